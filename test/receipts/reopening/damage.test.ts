import test from 'ava';
import { z } from 'zod';
import { capability } from '../../../contract/base/artifact.ts';
import { contentId as contentIdShape } from '../../../contract/base/grammar.ts';
import { registeredSource } from '../../../contract/sources/source-session.ts';
import { runtimeStart } from '../../../contract/study/start.ts';
import { contentIdOfBytes } from '../../../formats/canonical-json.ts';
import { fieldsOf } from '../../fields.ts';
import { captionedClip, embeddedJob } from '../captions/captioned-studies.ts';
import {
  contentOf,
  storedEvents,
  storedRuntimeOf,
  type WrittenEvent,
  writtenEvents,
} from '../core/stored-content-in-memory.ts';
import { divided } from '../evidence/spoken-study.ts';
import { clipRange } from '../evidence/stored-detections.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { type StoredTrack, twoTracks } from '../evidence/stored-tracks.ts';
import { explanationJob, explanationSteps } from '../explanations/explained-captions.ts';
import { canonicalBytes, DamagedRuntime, jsonOf, someChangesOf, spoiled } from './damage.ts';
import { reopened } from './reopened.ts';

const checkedIn = async ({ stored, events, files }: DamagedRuntime) =>
  (await reopened({ ...stored, events: storedEvents(events) }, contentOf(files))).checked;

const finished = storedStudy({ version: 3, windows: 4 });
const study = new DamagedRuntime(
  storedRuntimeOf(finished),
  finished.files,
  writtenEvents(finished.run.record.runtimeId, finished.commits.flat()),
  0,
  finished.commits.map((_, at, commits) => commits.slice(0, at + 1).flat().length),
);

test('every stored file that is gone, cut, longer, empty, another or changed by a bit is named', async (t) => {
  const checked = await checkedIn(study);
  const others = [...study.files.values()];
  for (const [contentId, bytes] of study.files) {
    const link = checked.find((each) => each.contentId === contentId)?.link;
    for (const [expected, changed] of spoiled(bytes, others.find((each) => each !== bytes) ?? bytes)) {
      const fault = await study.faultOf(study.withFile(contentId, changed));
      t.is(fault?.link, link);
      t.is(fault?.contentId, contentId);
      t.is(fault?.place.split(': ').at(-1), expected);
      t.is(fault?.code, 'stored_content_inconsistent');
    }
  }
});

test('a stored file above its limit is refused before it is judged', async (t) => {
  for (const { link, contentId } of await checkedIn(study)) {
    if (contentId === null || link === 'source') continue;
    const fault = await study.faultOf(study.withFile(contentId, Buffer.alloc(17 * 1024 * 1024)));
    t.deepEqual([fault?.link, fault?.place, fault?.contentId], [link, 'size', contentId]);
  }
});

test('every change of a stored record is caught, when the journal names the changed one too', async (t) => {
  const receipts = ['read', 'assessment', 'decision', 'study_record', 'readiness', 'intake'];
  for (const [offset, { link, contentId }] of (await checkedIn(study)).entries()) {
    if (contentId === null || (link !== 'evidence' && !receipts.includes(link))) continue;
    for (const { at, value } of someChangesOf(jsonOf(study.files.get(contentId)), 7, offset)) {
      const fault = await study.faultOf(study.forged(contentId, canonicalBytes(value)));
      // Evidence that a detector might have found has still another length and another artifact than the journal says.
      if (link === 'evidence') t.not(fault, null, at);
      else t.is(fault?.link, link, `${link}${at}`);
    }
  }
});

test('an event that is dropped, doubled, moved or cut off is named by its number', async (t) => {
  for (const [index] of study.tail) {
    for (const changed of study.disordered(index)) {
      for (const events of [changed, study.renumbered(changed)])
        t.not(await study.placeOf({ events }), null, `event ${index + 1}`);
    }
    const cut = await study.placeOf({ events: study.events.slice(0, index) });
    t.regex(cut ?? '', /^(journal: event \d+: missing|read: no read of .*)$/, `cut before ${index + 1}`);
  }
});

/** Independent values of an event: times, limits of a run, and the number of its resumes. */
const free =
  /^\.(recordedAt|data\.task\.budget\.maxWallMs|data\.request\.limits\.maxWallMs|data\.receipt\.(resumes|finishedAt))$/;

test('every change of an event is caught, even if the journal is renumbered', async (t) => {
  const unseen = await study.unseenChanges(9);
  t.deepEqual(
    unseen.filter(({ at }) => !free.test(at)),
    [],
  );
});

const rowShape = z.strictObject({
  source: registeredSource,
  start: z.strictObject({
    record: runtimeStart,
    receiptContentId: contentIdShape,
    requestContentId: contentIdShape,
    ids: z.strictObject({
      taskId: z.string(),
      agentId: z.string(),
      claimId: z.string(),
      executionId: z.string(),
      // Only a study that recognizes words or texts has the two grants that are left out.
      grantIds: z.record(capability.exclude(['screen.read', 'semantic.recognize']), z.string()),
    }),
  }),
});

test('every change of a row that keeps its shape is caught and named', async (t) => {
  const { source, start } = study.stored;
  const links = new Set<string>();
  for (const { at, value } of someChangesOf({ source, start }, 3, 1)) {
    const rows = rowShape.safeParse(value);
    if (!rows.success) continue;
    const place = await study.placeOf({ stored: rows.data });
    t.not(place, null, at);
    links.add(place?.split(':')[0] ?? '');
  }
  t.true(links.size > 0, 'no change keeps the shape');
  t.true(
    [...links].every((link) => ['row', 'start', 'source'].includes(link)),
    [...links].join(),
  );
});

test('a row that says another end than the journal is caught', async (t) => {
  const reason = { code: 'executor_failed', message: 'deadline: over' } as const;
  t.is(await study.placeOf({ stored: { lifecycle: 'failed', reason } }), 'row: snapshot.reason');
  t.is(await study.placeOf({ stored: { lifecycle: 'interrupted' } }), 'row: snapshot.status');
  t.is(await study.placeOf({ events: [] }), 'journal: event 1: missing');
  t.is(await study.placeOf({ stored: { lifecycle: 'running' }, events: [] }), 'journal: event 1: missing');
});

/** A runtime with captions that were checked, and what they stored. */
async function captionedRuntime(tracks: readonly StoredTrack[]) {
  const { study, review, steps, made, objects } = await captionedClip({ version: 1, windows: 4, tracks });
  const before = [...study.commits, review.started, review.recorded].flat();
  const files = new Map([...study.files, ...objects.map(({ contentId, bytes }) => [contentId, bytes] as const)]);
  const drafts = [...study.commits, ...made, steps.checked].flat();
  const events = writtenEvents(study.run.record.runtimeId, drafts);
  const runtime = new DamagedRuntime(storedRuntimeOf(study), files, events, before.length);
  return { runtime, objects: steps.objects };
}

const many: StoredTrack[] = twoTracks.map((track) => ({
  ...track,
  cues: divided(clipRange, 40).map((part, index) => ({ ...part, text: `line ${index}` })),
}));

const captions = { whole: captionedRuntime(twoTracks), shared: captionedRuntime(many) };
const links = ['caption', 'caption_receipt', 'quality_control'] as const;

test('captions are reopened link by link, in either form', async (t) => {
  const forms: (string | undefined)[] = [];
  for (const { runtime, objects } of await Promise.all([captions.whole, captions.shared])) {
    t.deepEqual(
      (await checkedIn(runtime)).slice(-3).map(({ link, contentId }) => [link, contentId]),
      objects.map(({ contentId }, index) => [links[index], contentId]),
    );
    forms.push(/artifact\.v\d/.exec(Buffer.from(objects[0]?.bytes ?? []).toString())?.[0]);
  }
  t.deepEqual(forms, ['artifact.v1', 'artifact.v5']);
});

test('captions, receipt or check that are gone, cut, swapped or have one bit changed are named', async (t) => {
  const { runtime, objects } = await captions.whole;
  for (const [index, { contentId, bytes }] of objects.entries()) {
    const other = objects[(index + 1) % objects.length]?.bytes ?? bytes;
    for (const [place, changed] of [...spoiled(bytes, other), ['size', Buffer.alloc(131_073)] as const]) {
      const fault = await runtime.faultOf(runtime.withFile(contentId, changed));
      t.deepEqual(
        [fault?.code, fault?.link, fault?.contentId, fault?.place],
        ['stored_content_inconsistent', links[index], contentId, place],
      );
    }
  }
});

for (const [form, strides] of [
  ['whole', [7, 3, 3]],
  ['shared', [211, 101, 53]],
] as const) {
  test(`every change of ${form} captions, their receipt or check is caught, if the journal names it`, async (t) => {
    const { runtime, objects } = await captions[form];
    for (const [index, { contentId, bytes }] of objects.entries()) {
      for (const { at, value } of someChangesOf(jsonOf(bytes), strides[index] ?? 1)) {
        const changed = canonicalBytes(value);
        const fault = await runtime.faultOf(runtime.forged(contentId, changed));
        t.deepEqual([fault?.link, fault?.contentId], [links[index], contentIdOfBytes(changed)], at);
      }
    }
  });
}

test('captions that are stored in another than their canonical form are caught', async (t) => {
  const { runtime, objects } = await captions.whole;
  for (const [index, { contentId, bytes }] of objects.entries()) {
    const place = (other: Buffer) => runtime.placeOf(runtime.forged(contentId, other));
    const spaced = Buffer.from(`${JSON.stringify(jsonOf(bytes), null, 1)}\n`);
    t.is(await place(spaced), `${links[index]}: canonical_form`);
    const doubled = Buffer.from(Buffer.from(bytes).toString().replace('{', '{"jobId":"",'));
    t.is(await place(doubled), `${links[index]}: canonical_form`);
    t.is(await place(Buffer.from([0xff, 0x0a])), `${links[index]}: encoding`);
  }
});

test('captions in the shared form are refused if the whole form has room', async (t) => {
  const [{ runtime, objects }, shared] = await Promise.all([captions.whole, captions.shared]);
  const forged = runtime.forged(objects[0]?.contentId ?? '', shared.objects[0]?.bytes ?? Buffer.of());
  t.is(await runtime.placeOf(forged), 'caption: executor.sourceCaptionContentId');
});

test('an event of captions that is dropped, doubled, moved or cut off is named by its number', async (t) => {
  const { runtime } = await captions.whole;
  for (const [index] of runtime.tail) {
    for (const [at, events] of runtime.disordered(index).entries()) {
      t.regex((await runtime.placeOf({ events })) ?? '', /^journal: /, `${index} ${at}`);
      const place = await runtime.placeOf({ events: runtime.renumbered(events) });
      t.regex(place ?? '', /^journal: event \d+: /, `${index} ${at}`);
    }
  }
});

test('every change of an event of captions is caught, even if the journal is renumbered', async (t) => {
  const unseen = await (await captions.whole).runtime.unseenChanges(5);
  t.deepEqual(
    unseen.filter(({ at }) => at !== '.recordedAt'),
    [],
  );
});

/** A runtime with an attempt of an explanation that failed and one that was answered, and everything that they store. */
async function explainedRuntime() {
  const { study, captioned, made, objects } = await captionedClip();
  const captioning = { study: captioned, ...embeddedJob };
  const failed = explanationSteps(explanationJob(captioning));
  const given = explanationSteps(explanationJob(captioning, { attempt: 1 }));
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
  const stored = [...objects, ...kept].map(({ contentId, bytes }) => [contentId, bytes] as const);
  const before = [...study.commits, ...made].flat();
  const drafts = [before, failed.started, failed.failed, given.started, given.recorded].flat();
  const events = writtenEvents(study.run.record.runtimeId, drafts);
  const files = new Map([...study.files, ...stored]);
  const runtime = new DamagedRuntime(storedRuntimeOf(study), files, events, before.length);
  return { runtime, kept, explanation: given.objects[0] };
}

const explained = explainedRuntime();

test('an explanation is reopened link by link, its settings once', async (t) => {
  const { runtime, kept } = await explained;
  t.deepEqual(fieldsOf((await checkedIn(runtime)).slice(-4), 'link', 'contentId'), fieldsOf(kept, 'link', 'contentId'));
});

test('whatever explanations store is named if it is gone, cut, swapped or has one bit changed', async (t) => {
  const { runtime, kept } = await explained;
  for (const [index, { contentId, bytes, link, maximum }] of kept.entries()) {
    const other = kept[(index + 1) % kept.length]?.bytes ?? bytes;
    for (const [place, changed] of [...spoiled(bytes, other), ['size', Buffer.alloc(maximum + 1)] as const]) {
      const fault = await runtime.faultOf(runtime.withFile(contentId, changed));
      t.deepEqual(
        [fault?.code, fault?.link, fault?.contentId, fault?.place],
        ['stored_content_inconsistent', link, contentId, place],
      );
    }
  }
});

test('every change of what explanations store is caught, if the journal names it too', async (t) => {
  const { runtime, kept } = await explained;
  for (const { contentId, bytes } of kept) {
    for (const { at, value } of someChangesOf(jsonOf(bytes), 5)) {
      const fault = await runtime.faultOf(runtime.forged(contentId, canonicalBytes(value)));
      t.is(fault?.code, 'stored_content_inconsistent', at);
    }
  }
});

test('an explanation whose facets break the rules is caught by itself', async (t) => {
  const { runtime, explanation } = await explained;
  const record = jsonOf(explanation?.bytes) as { facets: object[]; result: object };
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
    const fault = await runtime.faultOf(runtime.forged(explanation?.contentId ?? '', canonicalBytes(changed)));
    t.deepEqual([fault?.link, fault?.place], ['explanation', place]);
  }
});

test('records that are stored in another than their canonical form are caught', async (t) => {
  const { runtime, kept } = await explained;
  for (const { contentId, bytes, link } of kept) {
    const spaced = Buffer.from(`${JSON.stringify(jsonOf(bytes), null, 1)}\n`);
    t.is(await runtime.placeOf(runtime.forged(contentId, spaced)), `${link}: canonical_form`);
    t.is(await runtime.placeOf(runtime.forged(contentId, Buffer.from([0xff, 0x0a]))), `${link}: encoding`);
  }
});

test('an event of explanations that is dropped, doubled, moved or cut off is named by its number', async (t) => {
  const { runtime } = await explained;
  for (const [index] of runtime.tail) {
    for (const [at, changed] of runtime.disordered(index).entries()) {
      const place = await runtime.placeOf({ events: runtime.renumbered(changed) });
      t.regex(place ?? '', /^(journal: event \d+|explanation): /, `${index} ${at}`);
    }
  }
});

test('every change of an event of explanations is caught', async (t) => {
  const unseen = await (await explained).runtime.unseenChanges(7);
  const isFree = ({ at, event }: { at: string; event: WrittenEvent }) =>
    at === '.recordedAt' || (event.type === 'language.explanation_failed' && at === '.data.reason.message');
  t.deepEqual(
    unseen.filter((change) => !isFree(change)),
    [],
  );
});
