import test from 'ava';
import { canonicalJson, contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import {
  contentOf,
  type JournalledRuntime,
  storedEvents,
  storedRuntimeOf,
  type WrittenEvent,
  writtenEvents,
} from '../core/stored-content-in-memory.ts';
import { divided } from '../evidence/spoken-study.ts';
import { clipRange } from '../evidence/stored-detections.ts';
import { type StudyShape, storedStudy } from '../evidence/stored-study.ts';
import { type StoredTrack, twoTracks } from '../evidence/stored-tracks.ts';
import { changesOf } from '../reopening/mutations.ts';
import { faultOf, placeOf, reopened } from '../reopening/reopened.ts';
import { approval, reviewOf } from '../review/review-steps.ts';
import { captionedStudy, captionSteps } from './captioned-studies.ts';

/** A study with captions that were checked, down to the bytes. */
async function captionedRuntime(shape: StudyShape) {
  const study = storedStudy(shape);
  const review = reviewOf(study, approval);
  const steps = captionSteps({
    study: await captionedStudy(study),
    attempt: 0,
    classification: 'embedded_subtitle_tracks',
  });
  const before = [...study.commits.flat(), ...review.started, ...review.recorded];
  const drafts = [...before, ...steps.started, ...steps.recorded, ...steps.checked];
  const files = new Map(study.files);
  for (const { contentId, bytes } of [...review.objects, ...steps.objects]) files.set(contentId, bytes);
  const stored = storedRuntimeOf(study);
  return {
    stored,
    files,
    objects: steps.objects,
    firstEvent: before.length,
    events: writtenEvents(stored.runtimeId, drafts),
  };
}

type Captioned = Awaited<ReturnType<typeof captionedRuntime>>;

const withEvents = ({ stored }: Captioned, events: readonly unknown[]): JournalledRuntime => ({
  ...stored,
  events: storedEvents(events),
});

function withFile({ files }: Captioned, contentId: string, bytes: Uint8Array | null) {
  const changed = new Map(files);
  if (bytes === null) changed.delete(contentId);
  else changed.set(contentId, bytes);
  return contentOf(changed);
}

const many: StoredTrack[] = twoTracks.map((track) => ({
  ...track,
  cues: divided(clipRange, 40).map((part, index) => ({ ...part, text: `line ${index}` })),
}));

const few = await captionedRuntime({ version: 1, windows: 4, tracks: twoTracks });
const shared = await captionedRuntime({ version: 1, windows: 4, tracks: many });
const links = ['caption', 'caption_receipt', 'quality_control'] as const;

test('captions are reopened link by link, in either form', async (t) => {
  for (const captioned of [few, shared]) {
    const { checked } = await reopened(withEvents(captioned, captioned.events), contentOf(captioned.files));
    t.deepEqual(
      checked.slice(-3).map(({ link, contentId }) => [link, contentId]),
      captioned.objects.map(({ contentId }, index) => [links[index], contentId]),
    );
  }
  const formOf = ({ objects }: Captioned) => /artifact\.v\d/.exec(Buffer.from(objects[0]?.bytes ?? []).toString())?.[0];
  t.deepEqual([formOf(few), formOf(shared)], ['artifact.v1', 'artifact.v5']);
});

const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

test('captions, receipt or check that are gone, cut, longer, swapped or have one bit changed are named', async (t) => {
  const stored = withEvents(few, few.events);
  for (const [index, { contentId, bytes }] of few.objects.entries()) {
    const other = few.objects[(index + 1) % few.objects.length]?.bytes ?? bytes;
    const changes: [string, Uint8Array | null][] = [
      ['missing', null],
      ['size', Buffer.alloc(131_073)],
      ...[0, bytes.length >> 1, bytes.length - 1].map((at): [string, Uint8Array] => ['content', flipped(bytes, at)]),
      ['content', bytes.subarray(0, -1)],
      ['content', Buffer.concat([bytes, Buffer.from('\n')])],
      ['content', new Uint8Array()],
      ['content', other],
    ];
    for (const [place, changed] of changes) {
      const fault = await faultOf(stored, withFile(few, contentId, changed));
      t.deepEqual(
        [fault?.code, fault?.link, fault?.contentId, fault?.place],
        ['stored_content_inconsistent', links[index], contentId, place],
      );
    }
  }
});

/** A record stored under other bytes, renamed wherever the journal names it. */
function forged(captioned: Captioned, contentId: string, bytes: Uint8Array): Parameters<typeof faultOf> {
  const forgedId = contentIdOfBytes(bytes);
  const hex = (id: string): string => id.slice('sha256:'.length);
  const text = JSON.stringify(captioned.events).replaceAll(hex(contentId), hex(forgedId));
  return [withEvents(captioned, JSON.parse(text)), withFile(captioned, forgedId, bytes)];
}

const recordOf = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString('utf8'));

for (const [form, captioned, strides] of [
  ['whole', few, [7, 3, 3]],
  ['shared', shared, [211, 101, 53]],
] as const) {
  test(`every change of captions in their ${form} form, their receipt or their check is caught, when the journal names the changed one too`, async (t) => {
    for (const [index, { contentId, bytes }] of captioned.objects.entries()) {
      const record = recordOf(bytes);
      const changes = changesOf(record);
      const stride = strides[index] ?? 1;
      for (const { at, value } of changes.filter((_, number) => number % stride === 0)) {
        const changed = Buffer.from(`${canonicalJson(value)}\n`);
        const fault = await faultOf(...forged(captioned, contentId, changed));
        t.deepEqual([fault?.link, fault?.contentId], [links[index], contentIdOfBytes(changed)], at);
      }
    }
  });
}

test('captions that are stored in another than their canonical form are caught', async (t) => {
  for (const [index, { contentId, bytes }] of few.objects.entries()) {
    const spaced = Buffer.from(`${JSON.stringify(recordOf(bytes), null, 1)}\n`);
    t.is(await placeOf(...forged(few, contentId, spaced)), `${links[index]}: canonical_form`);
    const doubled = Buffer.from(Buffer.from(bytes).toString().replace('{', '{"jobId":"",'));
    t.is(await placeOf(...forged(few, contentId, doubled)), `${links[index]}: canonical_form`);
    t.is(await placeOf(...forged(few, contentId, Buffer.from([0xff, 0x0a]))), `${links[index]}: encoding`);
  }
});

test('captions in the shared form where the whole one has room are not those that were made', async (t) => {
  const [captions] = few.objects;
  const [other] = shared.objects;
  if (captions === undefined || other === undefined) throw new Error('there are captions');
  t.is(await placeOf(...forged(few, captions.contentId, other.bytes)), 'caption: executor.sourceCaptionContentId');
});

/** Numbered and timed again, as a forger of a journal would do it. */
const renumbered = ({ stored }: Captioned, changed: readonly WrittenEvent[]): WrittenEvent[] =>
  writtenEvents(
    stored.runtimeId,
    changed.map(({ producer, causationId, correlationId, type, data }) => ({
      ...{ producer, causationId, correlationId, type, data },
    })),
  );

test('an event of captions that is dropped, doubled, moved or cut off is named by its number', async (t) => {
  const { events, firstEvent, files } = few;
  for (const [index, event] of events.entries()) {
    if (index < firstEvent) continue;
    const next = events[index + 1];
    const changes = [
      events.toSpliced(index, 1),
      events.toSpliced(index, 0, event),
      ...(next === undefined ? [] : [events.toSpliced(index, 2, next, event)]),
    ];
    for (const [at, changed] of changes.entries()) {
      t.regex((await placeOf(withEvents(few, changed), contentOf(files))) ?? '', /^journal: /, `${index} ${at}`);
      const place = await placeOf(withEvents(few, renumbered(few, changed)), contentOf(files));
      t.regex(place ?? '', /^journal: event \d+: /, `${index} ${at}`);
    }
  }
});

test('every change of an event of captions is caught, whoever numbers the journal again', async (t) => {
  const { events, firstEvent, files } = few;
  const missed: string[] = [];
  for (const [index, event] of events.entries()) {
    if (index < firstEvent) continue;
    const changes = changesOf(event);
    for (const { at, value } of changes.filter((_, number) => number % 5 === index % 5)) {
      const place = await placeOf(withEvents(few, events.with(index, value as WrittenEvent)), contentOf(files));
      if (place === null) missed.push(at);
    }
  }
  t.deepEqual(
    missed.filter((at) => at !== '.recordedAt'),
    [],
  );
});
