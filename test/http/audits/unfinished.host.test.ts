import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { mediaProbe } from '../../../contract/sources/media-probe.ts';
import { eventKey, headKey, rowKey } from '../../../storage/ledger/keys.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';
import { TestHost } from '../../host/test-host.ts';
import { eventually } from '../../patience.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';
import { ingest, storedFiles } from '../host/ingest-steps.ts';
import { humWav } from '../host/media.ts';
import { eventsPage, followed, plans, runtimeOf, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';
import { concluded, damaged, listOf, lists } from './steps.ts';

// What can be read of a study that has not come to its end, came to a bad one, or whose stored bytes are no longer what they were.

/** Registers media, and gives its source. */
async function sourceOf(t: ExecutionContext, host: CheckedWire, media: Buffer) {
  const { source, failure } = await ingest(t, host, media);
  if (source === null) throw new Error(`not registered: ${failure?.message}`);
  return source;
}

/** Waits until a runtime has this many events. */
async function grownTo(t: ExecutionContext, host: CheckedWire, runtimeId: string, events: number): Promise<void> {
  const isGrown = async () => (await runtimeOf(t, host, runtimeId)).journalHead >= events;
  await eventually(`${events} events of ${runtimeId}`, isGrown);
}

test('a study under way shows what it has, and nothing that is still to come', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  host.launcher.hold();
  const { runtimeId } = await startStudy(t, host, studyRequest(await sampleRow(t, host)));
  await grownTo(t, host, runtimeId, 9);
  const early = await concluded(t, host, runtimeId);
  t.deepEqual([early.audits.audits, early.decisions.decisions], [[], []]);
  t.deepEqual(
    early.evidence.evidence.map(({ kind }) => kind),
    ['speech-activity-receipt', 'language-ranges-receipt'],
  );
  t.is(early.evidence.journalHead, 9);
  host.launcher.release();
  await followed(t, host, runtimeId);
  const late = await concluded(t, host, runtimeId);
  t.true(late.audits.audits.length > 0 && late.decisions.decisions.length === 1);
  t.true(late.evidence.evidence.length > early.evidence.evidence.length);
});

test('a study that failed early shows what it had when it stopped', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const media = humWav(160, 2000);
  const source = await sourceOf(t, host, media);
  const path = host.objectFile(source.sourceContentId);
  host.launcher.hold();
  const { runtimeId } = await startStudy(t, host, studyRequest(source));
  await grownTo(t, host, runtimeId, 7);
  await truncate(path, 20);
  host.launcher.release();
  t.is((await followed(t, host, runtimeId)).last.lifecycle, 'failed');
  t.regex(await damaged(t, host, runtimeId), /^the source sha256:[a-f0-9]{64} fails at: raw-media: content$/);
  await writeFile(path, media);
  const { audits, decisions, evidence } = await concluded(t, host, runtimeId);
  t.deepEqual([audits.audits, decisions.decisions, evidence.evidence], [[], [], []]);
});

test('a study that ended before its journal began has nothing to show', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const media = humWav(161, 1000);
  const source = await sourceOf(t, host, media);
  const path = host.objectFile(source.sourceContentId);
  const sample = await sampleRow(t, host);
  host.launcher.hold();
  const waiting: string[] = [];
  // Ranges that nobody has measured before: each holds a worker for as long as its processes wait.
  for (const startMs of [2100, 2200]) {
    const request = studyRequest(sample, { range: { startMs, endMs: startMs + 500 } });
    waiting.push((await startStudy(t, host, request)).runtimeId);
  }
  for (const id of waiting) await grownTo(t, host, id, 9);
  const { runtimeId } = await startStudy(t, host, studyRequest(source));
  for (const list of lists) {
    t.is((await host.get(listOf(runtimeId, list))).status, 200, 'still waiting for a worker');
  }
  await truncate(path, 20);
  host.launcher.release();
  for (const id of [...waiting, runtimeId]) await followed(t, host, id);
  await writeFile(path, media);
  t.like(await runtimeOf(t, host, runtimeId), { lifecycle: 'interrupted', journalHead: 0 });
  const { audits, decisions, evidence } = await concluded(t, host, runtimeId);
  t.deepEqual([audits.audits, decisions.decisions, evidence.evidence], [[], [], []]);
  t.is(evidence.journalHead, 0);
});

const probeOf = (sourceSessionId: string): string => `/v1/source-sessions/${sourceSessionId}/media-probe`;

test('a recording cut at 90 percent is studied as far as it goes, and probe and evidence say so', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const media = humWav(70, 4000);
  const source = await sourceOf(t, host, media.subarray(0, Math.floor(media.length * 0.9)));
  const { durationMs } = source;
  t.true(durationMs > 3500 && durationMs < 3700, String(durationMs));

  const probe = host.granted(t, await host.get(probeOf(source.sourceSessionId)), 200, mediaProbe);
  t.is(probe.incomplete_media?.cause, 'ends_early');
  t.is(probe.incomplete_media?.measured, durationMs / 1000);
  const statedMs = Math.round((probe.incomplete_media?.stated ?? 0) * 1000);
  t.true(Math.abs(statedMs - 4000) <= 2, String(statedMs));

  const beyond = studyRequest(source, { range: { startMs: 0, endMs: durationMs + 1 } });
  host.refused(t, await host.post(plans, beyond), 'invalid_analysis_request');
  const request = studyRequest(source, { range: { startMs: 0, endMs: durationMs } });
  const { runtimeId } = await startStudy(t, host, request);
  t.is((await followed(t, host, runtimeId)).last.lifecycle, 'terminal');
  const { evidence } = (await concluded(t, host, runtimeId)).evidence;
  const available = evidence.filter(({ state }) => state === 'available');
  t.true(available.some(({ kind }) => kind === 'loudness'));
  const note = { incompleteMedia: 'ends_early', statedMs, measuredMs: durationMs };
  for (const { parameters } of available) t.like(parameters, note);
});

test('the probe record of a source that is not listed is unknown', async (t) => {
  const host = await TestHost.open(t);
  host.refused(t, await host.get(probeOf('source-session:none')), 'unknown_source_session');
});

test('each object of a study that changes or goes fails all its lists, until it is whole again', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const runtimeId = host.known.studies.oneSecond;
  const { events } = await eventsPage(t, host, runtimeId, '?limit=200');
  const named = JSON.stringify(events).match(/sha256:[a-f0-9]{64}/g) ?? [];
  const stored = (await storedFiles(host)).join();
  const objects = [...new Set(named)].filter((contentId) => stored.includes(contentId.slice('sha256:'.length)));
  t.true(objects.length >= 15, `${objects.length} objects`);
  for (const contentId of objects) {
    const path = host.objectFile(contentId);
    const bytes = await readFile(path);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(path, flipped);
    t.regex(await damaged(t, host, runtimeId), new RegExp(`${contentId} fails at: content$`));
    await rm(path);
    t.regex(await damaged(t, host, runtimeId), new RegExp(`${contentId} fails at: missing$`));
    await writeFile(path, bytes);
  }
  await concluded(t, host, runtimeId);
});

test('every row of a study that is gone or damaged fails all its lists, and no others', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const ids: string[] = [];
  for (const clientRequestId of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const { runtimeId } = await startStudy(t, host, studyRequest(await sampleRow(t, host), { clientRequestId }));
    t.is((await followed(t, host, runtimeId)).last.lifecycle, 'terminal');
    ids.push(runtimeId);
  }
  const [event = '', gone = '', head = '', start = '', snapshot = '', tail = ''] = ids;
  const { journalHead } = await eventsPage(t, host, tail);
  await host.stop();
  const nonsense = Buffer.from('nothing of the kind');
  await withRawRows(dataRootAt(host.dataRoot).ledger, async (rows) => {
    await rows.put(eventKey(event, 9), nonsense);
    await rows.del(eventKey(gone, 9));
    await rows.put(headKey(head), nonsense);
    await rows.put(rowKey('record', `study/${start}`), nonsense);
    await rows.del(rowKey('snapshot', snapshot));
    await rows.put(eventKey(tail, journalHead + 1), nonsense);
  });
  await host.start();
  const places = [];
  for (const id of ids) places.push(await damaged(t, host, id));
  t.regex(places[0] ?? '', /^the journal fails at: malformed_journal: event 9 /);
  t.regex(places[1] ?? '', /^the journal fails at: invalid_journal_chain: /);
  t.regex(places[2] ?? '', /^the journal fails at: malformed_journal: the head /);
  t.is(places[3], 'the row fails at: start: damaged');
  t.is(places[4], 'the row fails at: snapshot: missing');
  t.regex(places[5] ?? '', /^the journal fails at: invalid_journal_chain: .* after its head /);
  await concluded(t, host, host.known.studies.tenSeconds);
});
