import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type JournalEvent, type RuntimeEvents, runtimeEvents } from '../../../contract/journal.ts';
import { type SourceSessionRow, sourceSessionList } from '../../../contract/sources/source-session.ts';
import { type RuntimeStatus, runtimeStatus } from '../../../contract/study/status.ts';
import { canonicalJson } from '../../../formats/canonical-json.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';
import type { WireAnswer } from '../../host/wire-question.ts';

export const plans = '/v1/runtime-plans';
export const starts = '/v1/runtime-starts';

/** The fields that an answer about a journal has beside the common ones. */
export const journalFields = ['studio-journal-head', 'access-control-expose-headers'];

/** The row of the built-in sample, which may be passed on; uploads may not. */
export async function sampleRow(t: ExecutionContext, contract: CheckedWire): Promise<SourceSessionRow> {
  const { sourceSessions } = contract.granted(t, await contract.get('/v1/source-sessions'), 200, sourceSessionList);
  const sample = sourceSessions.find(({ rightsScope }) => rightsScope === 'redistribution');
  if (sample === undefined) throw new Error('the sample is not listed');
  return sample;
}

/** A request over the first second of a source: short, and with a picture, sound and words in the sample. */
export const studyRequest = (source: SourceSessionRow, others: object = {}): object => ({
  sourceSessionId: source.sourceSessionId,
  sourceRevisionId: source.sourceRevisionId,
  range: { startMs: 0, endMs: 1000 },
  requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
  targetLanguage: 'en',
  selectedLanguagePackId: null,
  outputDepth: 'evidence',
  ...others,
});

export async function startStudy(t: ExecutionContext, contract: CheckedWire, request: object): Promise<RuntimeStatus> {
  const ack = contract.granted(t, await contract.post(starts, request), 202, runtimeStatus);
  t.is(ack.schema, 'studio.local-runtime-start-ack.v1');
  return ack;
}

export async function runtimeOf(t: ExecutionContext, contract: CheckedWire, id: string): Promise<RuntimeStatus> {
  const answer = await contract.get(`/v1/runtimes/${id}`);
  const status = contract.granted(t, answer, 200, runtimeStatus, journalFields);
  t.is(status.schema, 'studio.local-runtime-status.v1');
  return status;
}

/** A page of a journal: closed, contiguous, and with the head that its header field names. */
export async function eventsPage(
  t: ExecutionContext,
  contract: CheckedWire,
  runtimeId: string,
  query = '',
): Promise<RuntimeEvents> {
  const answer = await contract.get(`/v1/runtimes/${runtimeId}/events${query}`);
  const page = contract.granted(t, answer, 200, runtimeEvents, journalFields);
  t.is(page.runtimeId, runtimeId);
  t.regex(headField(answer), new RegExp(`^${page.journalHead};sha256=[a-f0-9]{64}$`));
  t.is(answer.headers['access-control-expose-headers'], 'Studio-Journal-Head');
  if (page.events.length > 0 && page.reachedHead && page.requestedCursor === 0) {
    t.is(headField(answer), chainHead(runtimeId, page.events));
  }
  return page;
}

export const headField = ({ headers }: WireAnswer): string => String(headers['studio-journal-head']);

/** The head of a journal, computed from nothing but its events. */
export function chainHead(runtimeId: string, events: readonly JournalEvent[]): string {
  let link = createHash('sha256').update(runtimeId, 'utf8').digest();
  for (const event of events) link = createHash('sha256').update(link).update(canonicalJson(event), 'utf8').digest();
  return `${events.length};sha256=${link.toString('hex')}`;
}

/** Follows a journal to its end as a client does: by long polls, until a page is both terminal and at the head. */
export async function followed(
  t: ExecutionContext,
  contract: CheckedWire,
  runtimeId: string,
): Promise<{ readonly events: readonly JournalEvent[]; readonly last: RuntimeEvents }> {
  const events: JournalEvent[] = [];
  for (let polls = 0; polls < 400; polls += 1) {
    const last = await eventsPage(t, contract, runtimeId, `?after=${events.length}&wait=8000`);
    events.push(...last.events);
    t.is(last.nextCursor, events.length);
    if (last.terminal && last.reachedHead) return { events, last };
  }
  throw new Error(`${runtimeId} did not end`);
}

/** A study that the gate holds inside its first pass over the media, and how far its journal has come. */
export async function heldStudy(
  t: ExecutionContext,
  contract: CheckedWire & { readonly gate: { close(): Promise<void> } },
  endMs: number,
): Promise<{ readonly runtimeId: string; readonly head: number }> {
  await contract.gate.close();
  const request = studyRequest(await sampleRow(t, contract), { range: { startMs: 500, endMs } });
  const { runtimeId } = await startStudy(t, contract, request);
  for (;;) {
    const page = await eventsPage(t, contract, runtimeId);
    if (page.events.at(-1)?.type === 'media.operation_started') return { runtimeId, head: page.journalHead };
    await setTimeout(50);
  }
}
