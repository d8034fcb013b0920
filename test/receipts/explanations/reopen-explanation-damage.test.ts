import test from 'ava';
import { canonicalJson, contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import { captionedStudy, captionSteps } from '../captions/captioned-studies.ts';
import {
  contentOf,
  storedEvents,
  storedRuntimeOf,
  type WrittenEvent,
  writtenEvents,
} from '../core/stored-content-in-memory.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { changesOf } from '../reopening/mutations.ts';
import { faultOf, placeOf, reopened } from '../reopening/reopened.ts';
import { approval, reviewOf } from '../review/review-steps.ts';
import { explanationJob, explanationSteps } from './explained-captions.ts';

const study = storedStudy({ version: 1, windows: 4, tracks: twoTracks });
const review = reviewOf(study, approval);
const captioning = {
  study: await captionedStudy(study),
  attempt: 0,
  classification: 'embedded_subtitle_tracks',
} as const;
const captions = captionSteps(captioning);
const failed = explanationSteps(explanationJob(captioning));
const given = explanationSteps(explanationJob(captioning, { attempt: 1 }));

const stored = storedRuntimeOf(study);
const files = new Map(study.files);
for (const { contentId, bytes } of [...[...review.objects, ...captions.objects, ...given.settings], ...given.objects]) {
  files.set(contentId, bytes);
}
const before = [study.commits.flat(), review.started, review.recorded, captions.started, captions.recorded].flat();
const events = writtenEvents(stored.runtimeId, [
  ...[...before, ...failed.started, ...failed.failed],
  ...[...given.started, ...given.recorded],
]);

const withEvents = (changed: readonly unknown[]) => ({ ...stored, events: storedEvents(changed) });

function withFile(contentId: string, bytes: Uint8Array | null) {
  const changed = new Map(files);
  if (bytes === null) changed.delete(contentId);
  else changed.set(contentId, bytes);
  return contentOf(changed);
}

/** Everything that explanations store, by the link under which it is reopened. */
const kept = [
  ...given.settings.map((object, at) => ({
    ...object,
    link: at === 0 ? 'explanation_prompt' : 'explanation_configuration',
    maximum: 65_536,
  })),
  ...given.objects.map((object, at) => ({
    ...object,
    link: at === 0 ? 'explanation' : 'explanation_receipt',
    maximum: 131_072,
  })),
];

test('an explanation is reopened link by link, its settings once', async (t) => {
  const { checked } = await reopened(withEvents(events), contentOf(files));
  t.deepEqual(
    checked.slice(-4).map(({ link, contentId }) => [link, contentId]),
    kept.map(({ link, contentId }) => [link, contentId]),
  );
});

const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

test('whatever explanations store is named when it is gone, cut, longer, swapped or has one bit changed', async (t) => {
  for (const [index, { contentId, bytes, link, maximum }] of kept.entries()) {
    const other = kept[(index + 1) % kept.length]?.bytes ?? bytes;
    const changes: [string, Uint8Array | null][] = [
      ['missing', null],
      ['size', Buffer.alloc(maximum + 1)],
      ...[0, bytes.length >> 1, bytes.length - 1].map((at): [string, Uint8Array] => ['content', flipped(bytes, at)]),
      ['content', bytes.subarray(0, -1)],
      ['content', Buffer.concat([bytes, Buffer.from('\n')])],
      ['content', new Uint8Array()],
      ['content', other],
    ];
    for (const [place, changed] of changes) {
      const fault = await faultOf(withEvents(events), withFile(contentId, changed));
      t.deepEqual(
        [fault?.code, fault?.link, fault?.contentId, fault?.place],
        ['stored_content_inconsistent', link, contentId, place],
      );
    }
  }
});

/** A record stored under other bytes, renamed wherever the journal names it. */
function forged(contentId: string, bytes: Uint8Array): Parameters<typeof faultOf> {
  const forgedId = contentIdOfBytes(bytes);
  const hex = (id: string): string => id.slice('sha256:'.length);
  const text = JSON.stringify(events).replaceAll(hex(contentId), hex(forgedId));
  return [withEvents(JSON.parse(text)), withFile(forgedId, bytes)];
}

const recordOf = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString('utf8'));

test('every change of what explanations store is caught, when the journal names the changed one too', async (t) => {
  for (const { contentId, bytes } of kept) {
    const record = recordOf(bytes);
    const changes = changesOf(record);
    for (const { at, value } of changes.filter((_, number) => number % 5 === 0)) {
      const fault = await faultOf(...forged(contentId, Buffer.from(`${canonicalJson(value)}\n`)));
      t.is(fault?.code, 'stored_content_inconsistent', at);
    }
  }
});

test('an explanation that says of its facets what no rule allows is caught in itself', async (t) => {
  const [explanation] = given.objects;
  if (explanation === undefined) throw new Error('there is an explanation');
  const record = recordOf(explanation.bytes) as { facets: object[]; result: object };
  const [meaning, word] = record.facets;
  const changes: [string, object][] = [
    ['facets[0].availability', { ...record, facets: [word, meaning] }],
    ['facets[1].availability', { ...record, facets: [meaning, meaning] }],
    ['facets[1]', { ...record, facets: [meaning] }],
    ['facets.1.reasonCode', { ...record, facets: [meaning, { ...word, reasonCode: 'target_unavailable' }] }],
    ['facets.1.reasonCode', { ...record, facets: [meaning, { ...word, reasonCode: 'generator_abstained' }] }],
    ['facets.0.content.sceneMeaning', { ...record, facets: [{ ...meaning, content: { sceneMeaning: ' a ' } }, word] }],
    ['result.status', { ...record, result: { ...record.result, status: 'completed' } }],
  ];
  for (const [place, changed] of changes) {
    const fault = await faultOf(...forged(explanation.contentId, Buffer.from(`${canonicalJson(changed)}\n`)));
    t.deepEqual([fault?.link, fault?.place], ['explanation', place]);
  }
});

test('records that are stored in another than their canonical form are caught', async (t) => {
  for (const { contentId, bytes, link } of kept) {
    const spaced = Buffer.from(`${JSON.stringify(recordOf(bytes), null, 1)}\n`);
    t.is(await placeOf(...forged(contentId, spaced)), `${link}: canonical_form`);
    t.is(await placeOf(...forged(contentId, Buffer.from([0xff, 0x0a]))), `${link}: encoding`);
  }
});

/** Numbered and timed again, as a forger of a journal would do it. */
const renumbered = (changed: readonly WrittenEvent[]): WrittenEvent[] =>
  writtenEvents(
    stored.runtimeId,
    changed.map(({ producer, causationId, correlationId, type, data }) => ({
      ...{ producer, causationId, correlationId, type, data },
    })),
  );

test('an event of explanations that is dropped, doubled, moved or cut off is named by its number', async (t) => {
  for (const [index, event] of events.entries()) {
    if (index < before.length) continue;
    const next = events[index + 1];
    const changes = [
      events.toSpliced(index, 1),
      events.toSpliced(index, 0, event),
      ...(next === undefined ? [] : [events.toSpliced(index, 2, next, event)]),
    ];
    for (const [at, changed] of changes.entries()) {
      const place = await placeOf(withEvents(renumbered(changed)), contentOf(files));
      t.regex(place ?? '', /^(journal: event \d+|explanation): /, `${index} ${at}`);
    }
  }
});

test('every change of an event of explanations is caught', async (t) => {
  const missed: string[] = [];
  for (const [index, event] of events.entries()) {
    if (index < before.length) continue;
    const changes = changesOf(event);
    for (const { at, value } of changes.filter((_, number) => number % 7 === index % 7)) {
      const place = await placeOf(withEvents(events.with(index, value as WrittenEvent)), contentOf(files));
      if (place === null) missed.push(`${event.type} ${at}`);
    }
  }
  t.deepEqual(
    missed.filter((at) => !at.endsWith(' .recordedAt') && at !== 'language.explanation_failed .data.reason.message'),
    [],
  );
});
