import test from 'ava';
import { z } from 'zod';
import { contentId as contentIdShape } from '../../../contract/base/grammar.ts';
import { capability } from '../../../contract/base/operation.ts';
import { registeredSource } from '../../../contract/sources/source-session.ts';
import { runtimeStart } from '../../../contract/study/runtime-start.ts';
import { canonicalJson, contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import {
  contentOf,
  type JournalledRuntime,
  storedEvents,
  storedRuntimeOf,
  writtenEvents,
} from '../core/stored-content-in-memory.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { changesOf, type Mutation } from './mutations.ts';
import { faultOf, placeOf, reopened } from './reopened.ts';

const study = storedStudy({ version: 3, windows: 4 });
const stored = storedRuntimeOf(study);
const content = contentOf(study.files);
const events = writtenEvents(stored.runtimeId, study.commits.flat());

const withFile = (contentId: string, bytes: Uint8Array | null) => {
  const files = new Map(study.files);
  if (bytes === null) files.delete(contentId);
  else files.set(contentId, bytes);
  return contentOf(files);
};

const withEvents = (changed: readonly unknown[]): JournalledRuntime => ({ ...stored, events: storedEvents(changed) });

/** Numbered and timed again, as a forger of a journal would do it. */
const renumbered = (changed: readonly (typeof events)[number][]) =>
  writtenEvents(
    stored.runtimeId,
    changed.map(({ producer, causationId, correlationId, type, data }) => ({
      ...{ producer, causationId, correlationId, type, data },
    })),
  );

const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

test('every stored file that is gone, cut, longer, empty, another or has one bit changed is named', async (t) => {
  const { checked } = await reopened(stored, content);
  const others = [...study.files.values()];
  for (const [contentId, bytes] of study.files) {
    const link = checked.find((each) => each.contentId === contentId)?.link;
    const other = others.find((each) => each !== bytes) ?? bytes;
    const changes: [string, Uint8Array | null][] = [
      ['missing', null],
      ...[0, bytes.length >> 1, bytes.length - 1].map((at): [string, Uint8Array] => ['content', flipped(bytes, at)]),
      ['content', bytes.subarray(0, -1)],
      ['content', Buffer.concat([bytes, Buffer.from('\n')])],
      ['content', new Uint8Array()],
      ['content', other],
    ];
    for (const [expected, changed] of changes) {
      const fault = await faultOf(stored, withFile(contentId, changed));
      t.is(fault?.link, link);
      t.is(fault?.contentId, contentId);
      t.is(fault?.place.split(': ').at(-1), expected);
      t.is(fault?.code, 'stored_content_inconsistent');
    }
  }
});

test('a stored file above its limit is refused before it is judged', async (t) => {
  const { checked } = await reopened(stored, content);
  for (const { link, contentId } of checked) {
    if (contentId === null || link === 'source') continue;
    const fault = await faultOf(stored, withFile(contentId, Buffer.alloc(17 * 1024 * 1024)));
    t.deepEqual([fault?.link, fault?.place, fault?.contentId], [link, 'size', contentId]);
  }
});

/** A record stored under other bytes, renamed wherever the journal names it. */
function forgedRecord(contentId: string, record: unknown): [JournalledRuntime, ReturnType<typeof contentOf>] {
  const bytes = Buffer.from(`${canonicalJson(record)}\n`);
  const forgedId = contentIdOfBytes(bytes);
  const hex = (id: string): string => id.slice('sha256:'.length);
  const text = JSON.stringify(events).replaceAll(hex(contentId), hex(forgedId));
  return [withEvents(JSON.parse(text)), withFile(forgedId, bytes)];
}

/** Every n-th change that really changes the value: each sweep takes seconds, and all of them take minutes. */
const someChangesOf = (value: unknown, stride: number, offset: number): Mutation[] =>
  changesOf(value).filter((_, index) => index % stride === offset % stride);

test('every change of a stored record is caught, when the journal names the changed one too', async (t) => {
  const { checked } = await reopened(stored, content);
  const receipts = ['read', 'assessment', 'decision', 'study_record', 'readiness', 'intake'];
  for (const [offset, { link, contentId }] of checked.entries()) {
    if (contentId === null || (link !== 'evidence' && !receipts.includes(link))) continue;
    const record = JSON.parse(Buffer.from(study.files.get(contentId) ?? []).toString('utf8'));
    for (const { at, value } of someChangesOf(record, 7, offset)) {
      const fault = await faultOf(...forgedRecord(contentId, value));
      // Evidence that a detector might have found has still another length and another artifact than the journal says.
      if (link === 'evidence') t.not(fault, null, at);
      else t.is(fault?.link, link, `${link}${at}`);
    }
  }
});

test('an event that is dropped, doubled, moved or cut off is named by its number', async (t) => {
  for (const [index] of events.entries()) {
    const event = events[index] ?? events[0];
    const next = events[index + 1];
    const changes = [
      events.toSpliced(index, 1),
      events.toSpliced(index, 0, ...(event === undefined ? [] : [event])),
      ...(next === undefined || event === undefined ? [] : [events.toSpliced(index, 2, next, event)]),
    ];
    for (const changed of changes) {
      for (const journal of [changed, renumbered(changed)]) {
        const place = await placeOf(withEvents(journal), content);
        t.not(place, null, `event ${index + 1}`);
      }
    }
    const cut = await placeOf(withEvents(events.slice(0, index)), content);
    t.regex(cut ?? '', /^(journal: event \d+: missing|read: no read of .*)$/, `cut before ${index + 1}`);
  }
});

/** What an event says that nothing else follows from: times, limits of a run, and how often it was taken up again. */
const freeEvents =
  /^\[\d+\]\.(recordedAt|data\.task\.budget\.maxWallMs|data\.request\.limits\.maxWallMs|data\.receipt\.(resumes|finishedAt))$/;

test('every change of an event is caught, whoever numbers the journal again', async (t) => {
  const missed: string[] = [];
  for (const [index, event] of events.entries()) {
    for (const { at, value } of someChangesOf(event, 9, index)) {
      const place = await placeOf(withEvents(events.with(index, value as (typeof events)[number])), content);
      if (place === null) missed.push(`[${index}]${at}`);
    }
  }
  t.deepEqual(
    missed.filter((at) => !freeEvents.test(at)),
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
      grantIds: z.record(capability, z.string()),
    }),
  }),
});

test('every change of a row that keeps its shape is caught and named', async (t) => {
  const links = new Set<string>();
  for (const { at, value } of someChangesOf({ source: stored.source, start: stored.start }, 3, 1)) {
    const rows = rowShape.safeParse(value);
    if (!rows.success) continue;
    const place = await placeOf({ ...stored, ...rows.data }, content);
    t.not(place, null, at);
    links.add(place?.split(':')[0] ?? '');
  }
  t.true(
    [...links].every((link) => ['row', 'start', 'source'].includes(link)),
    [...links].join(),
  );
});

test('a row that says another end than the journal is caught', async (t) => {
  const reason = { code: 'executor_failed', message: 'deadline: over' } as const;
  t.is(await placeOf({ ...stored, lifecycle: 'failed', reason }, content), 'row: snapshot.reason');
  t.is(await placeOf({ ...stored, lifecycle: 'interrupted' }, content), 'row: snapshot.status');
  t.is(await placeOf({ ...stored, events: [] }, content), 'journal: event 1: missing');
  t.is(await placeOf({ ...stored, lifecycle: 'running', events: [] }, content), 'journal: event 1: missing');
});
