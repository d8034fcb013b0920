import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import type { KeyframeFact } from '../../contract/evidence/evidence-object.ts';
import type { EventData, EventType, JournalEvent } from '../../contract/journal.ts';
import { runtimeOverview } from '../../contract/overview.ts';
import { mediaProbe } from '../../contract/sources/media-probe.ts';
import { runtimeEvidence } from '../../contract/study/runtime-evidence.ts';
import { evidenceKinds } from '../../contract/study/study-record.ts';
import { readSampleGold } from '../../fixtures/sample/gold.ts';
import { canonicalJson, contentIdOfBytes } from '../../formats/canonical-json.ts';
import { furtherInPass } from '../../kinds/kinds.ts';
import { eventKey, headKey, rowKey } from '../../storage/ledger/keys.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import type { CheckedWire } from '../host/checked-wire.ts';
import { TestHost } from '../host/test-host.ts';
import { eventually } from '../patience.ts';
import { withRawRows } from '../storage/ledger/scratch.ts';
import { concluded, damaged, listOf, lists } from './audits/steps.ts';
import { ingest, storedFiles } from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';
import { eventsPage, followed, plans, runtimeOf, sampleRow, startStudy, studyRequest } from './host/study-steps.ts';

const dataOf = <Type extends EventType>(events: readonly JournalEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map(({ data }) => data as EventData<Type>);

const storedIdOf = (receipt: unknown): string => contentIdOfBytes(Buffer.from(`${canonicalJson(receipt)}\n`));

/** A host has no recognizer by default. */
const expectedKinds = evidenceKinds.filter((kind) => kind !== 'transcript');

/** A host that has studied the first ten seconds of the sample: speech in two languages. */
async function openStudied(t: ExecutionContext): Promise<{ host: TestHost; runtimeId: string }> {
  const host = await TestHost.open(t, { life: 'studied' });
  return { host, runtimeId: host.known.studies.tenSeconds };
}

// Readable answers about a finished study.

test('a finished study shows its assessments with citations that lead to reads', async (t) => {
  const { host, runtimeId } = await openStudied(t);
  const { audits, decisions } = await concluded(t, host, runtimeId);
  const { events, journalHead } = await eventsPage(t, host, runtimeId, '?limit=200');
  t.is(audits.journalHead, journalHead);
  const assessed = dataOf(events, 'analysis.evidence.assessment_completed');
  t.deepEqual(
    audits.audits.map(({ operationId, artifactId, receiptContentId }) => [operationId, artifactId, receiptContentId]),
    assessed.map(({ operationId, outputArtifactId, receipt }) => [operationId, outputArtifactId, storedIdOf(receipt)]),
  );
  const reads = dataOf(events, 'evidence.read_completed');
  const claims = audits.audits.flatMap((audit) => audit.claims);
  t.true(claims.some(({ kind, value }) => kind === 'speech_activity' && value === 'speech'));
  t.true(claims.some(({ kind, value }) => kind === 'language_identity' && value === 'ko'));
  for (const { readOperationId, receiptContentId, evidenceArtifactId } of claims.flatMap((claim) => claim.citations)) {
    const read = reads.find(({ operationId }) => operationId === readOperationId);
    t.is(storedIdOf(read?.receipt), receiptContentId);
    t.is(read?.receipt.input.artifactId, evidenceArtifactId);
  }
  const [decided] = dataOf(events, 'analysis.evidence.decision_completed');
  t.like(decisions.decisions[0], {
    receiptId: decided?.receipt.receiptId,
    receiptContentId: storedIdOf(decided?.receipt),
    auditedClaimCount: claims.length,
  });
  t.deepEqual(
    decisions.decisions[0]?.inputs.map(({ artifactId }) => artifactId),
    audits.audits.map(({ artifactId }) => artifactId),
  );
});

test('all evidence of a finished study can be read with its facts', async (t) => {
  const { host, runtimeId } = await openStudied(t);
  const { evidence } = await concluded(t, host, runtimeId);
  t.deepEqual([...new Set(evidence.evidence.map(({ kind }) => kind))], expectedKinds);
  const gold = await readSampleGold();
  const cues = evidence.evidence.flatMap(({ kind, facts }): { kind: string; text?: string }[] =>
    kind === 'subtitle_track' ? [...facts] : [],
  );
  const spoken = gold.subtitleTracks.flatMap((track) => track.cues).filter(({ startMs }) => startMs < 10_000);
  t.deepEqual(
    cues.map(({ kind, text }) => (kind === 'subtitle_cue' ? text : kind)),
    spoken.map(({ text }) => text),
  );
  for (const { state, tool, kind, artifactId } of evidence.evidence) {
    t.is(state, 'available');
    t.is(tool === null, kind.endsWith('-receipt'));
    t.regex(artifactId ?? '', /^artifact:[a-f0-9]{64}$/);
  }
});

test('the overview of a finished study has the content of the lists, in words', async (t) => {
  const { host, runtimeId } = await openStudied(t);
  const { audits } = await concluded(t, host, runtimeId);
  const evidence = host.granted(t, await host.get(`${listOf(runtimeId, 'evidence')}?kind=all`), 200, runtimeEvidence);
  const overview = host.granted(t, await host.get(listOf(runtimeId, 'overview')), 200, runtimeOverview);
  t.is(overview.journalHead, audits.journalHead);
  t.deepEqual(
    overview.findings.map(({ kind, artifactId }) => [kind, artifactId]),
    evidence.evidence.map(({ kind, artifactId }) => [kind, artifactId]),
  );
  t.true(overview.claims.some(({ text }) => /^speech in \d+ windows?, \d+\.\d s, between /.test(text)));
  const again = overview.actions.find(({ action }) => action === 'study_again');
  const request = { ...again?.body, clientRequestId: 'by-its-overview' };
  const started = await host.post(again?.path ?? '', request);
  t.is(started.status, 202, started.body.toString('utf8'));
});

test('one kind of evidence is that part of the whole list', async (t) => {
  const { host, runtimeId } = await openStudied(t);
  const { evidence } = await concluded(t, host, runtimeId);
  for (const kind of evidenceKinds) {
    const answer = await host.get(`${listOf(runtimeId, 'evidence')}?kind=${kind}`);
    const part = host.granted(t, answer, 200, runtimeEvidence);
    t.deepEqual(part, { ...evidence, evidence: evidence.evidence.filter((row) => row.kind === kind) });
    t.is(part.evidence.length > 0, kind !== 'transcript');
  }
});

test('the kinds that came later are answered only on request', async (t) => {
  const { host, runtimeId } = await openStudied(t);
  const { evidence } = await concluded(t, host, runtimeId);
  const asked = async (kind: string) =>
    host.granted(t, await host.get(`${listOf(runtimeId, 'evidence')}?kind=${kind}`), 200, runtimeEvidence);
  const all = await asked('all');
  t.deepEqual(all.evidence.slice(0, evidence.evidence.length), evidence.evidence);
  const further = all.evidence.slice(evidence.evidence.length);
  t.deepEqual(
    further.map(({ kind, state }) => [kind, state]),
    furtherInPass.map(({ name }) => [name, 'available']),
  );
  for (const row of further) t.deepEqual((await asked(row.kind)).evidence, [row]);
  // The journal records them, and no receipt names them.
  const { events } = await eventsPage(t, host, runtimeId, '?limit=200');
  const [detected] = dataOf(events, 'media.operation_completed');
  const named = detected?.receipt.evidence.map(({ artifactId }) => artifactId) ?? [];
  for (const { artifactId } of further) {
    t.true(detected?.outputArtifactIds.includes(artifactId ?? ''));
    t.false(named.includes(artifactId));
  }
});

test('an object that a fact names is answered with its bytes, and no other object is', async (t) => {
  const { host, runtimeId } = await openStudied(t);
  const asked = `${listOf(runtimeId, 'evidence')}?kind=keyframes`;
  const { evidence } = host.granted(t, await host.get(asked), 200, runtimeEvidence);
  const facts = (evidence[0]?.facts ?? []) as KeyframeFact[];
  t.true(facts.length > 0);
  const objects = `${listOf(runtimeId, 'evidence')}/objects`;
  for (const { contentId, bytes } of facts) {
    const path = `${objects}/${contentId}`;
    const got = await host.get(path);
    t.is(got.status, 200);
    t.is(contentIdOfBytes(got.body), contentId);
    t.is(got.body.length, bytes);
    t.is(got.headers['content-type'], 'image/jpeg');
    t.is(got.headers.etag, `"${contentId}"`);
    const known = await host.get(path, { headers: { 'If-None-Match': `"${contentId}"` } });
    t.is(known.status, 304);
    t.is(known.body.length, 0);
  }
  const path = `${objects}/${facts[0]?.contentId}`;
  t.is((await host.ask('HEAD', path)).headers['content-length'], String(facts[0]?.bytes));
  host.refused(t, await host.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
  host.refused(t, await host.get(`${path}?kind=keyframes`), 'unknown_query');
  host.refused(t, await host.ask('POST', path, { json: {} }), 'method_not_allowed', ['allow']);
  host.refused(t, await host.get(`${listOf('x', 'evidence')}/objects/${facts[0]?.contentId}`), 'unknown_runtime');
  // The evidence itself and the media are objects of the host, too.
  const [row] = evidence;
  const others = [
    row?.contentId,
    row?.state === 'available' ? row.tool?.digest : null,
    `sha256:${'0'.repeat(64)}`,
    'x',
    '..',
    '%00',
  ];
  for (const other of others) host.refused(t, await host.get(`${objects}/${other}`), 'not_found');
  host.refused(t, await host.get(`${objects}/%FF`), 'invalid_identity');
});

test('HEAD answers each list like GET, without a body', async (t) => {
  const { host, runtimeId } = await openStudied(t);
  for (const list of lists) {
    const [got, head] = [await host.get(listOf(runtimeId, list)), await host.ask('HEAD', listOf(runtimeId, list))];
    t.is(head.status, 200);
    t.is(head.body.length, 0);
    for (const field of ['content-type', 'content-length', 'cache-control'] as const) {
      t.is(head.headers[field], got.headers[field]);
    }
  }
  t.is((await host.ask('HEAD', listOf('runtime:x', 'evidence'))).status, 404);
});

test('a list is read by GET, without unknown parameters', async (t) => {
  const { host, runtimeId } = await openStudied(t);
  for (const list of lists) {
    const path = listOf(runtimeId, list);
    host.refused(t, await host.ask('POST', path, { json: {} }), 'method_not_allowed', ['allow']);
    host.refused(t, await host.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
    host.refused(t, await host.get(`${path}?after=1`), 'unknown_query');
    host.refused(t, await host.get(`${path}/`), 'not_found');
    t.is((await host.get(`${path}?`)).status, 200);
  }
  for (const list of lists.slice(0, 2)) {
    host.refused(t, await host.get(`${listOf(runtimeId, list)}?kind=silence`), 'unknown_query');
  }
  const evidence = listOf(runtimeId, 'evidence');
  for (const kind of ['', 'Silence', 'claims', 'silence,loudness', '*']) {
    const message = host.refused(t, await host.get(`${evidence}?kind=${kind}`), 'unknown_query');
    t.true(message.includes('speech_activity'));
    // The rest has no room, and no name is cut.
    t.regex(message, / and \d+ more$/);
  }
  host.refused(t, await host.get(`${evidence}?kind=silence&kind=silence`), 'duplicate_query');
  host.refused(t, await host.get(`${evidence}?kind=%FF`), 'invalid_target');
});

test('a runtime that never existed is unknown to every request', async (t) => {
  const { host, runtimeId } = await openStudied(t);
  const names = ['x', 'runtime:00000000-0000-4000-8000-000000000000', `${runtimeId}%00`, `${runtimeId}%2Fdetect`];
  for (const list of lists) {
    for (const name of names) host.refused(t, await host.get(listOf(name, list)), 'unknown_runtime');
    host.refused(t, await host.get(listOf('%E0%A4', list)), 'invalid_identity');
  }
  host.refused(t, await host.get(`${listOf('x', 'evidence')}?kind=claims`), 'unknown_query');
});

// Readable answers about a study that is unfinished, that failed, or whose stored bytes have changed.

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

test('a running study shows its results so far, and nothing of the future', async (t) => {
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

test('a study that failed early shows its results up to the failure', async (t) => {
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
  // Ranges without an earlier measurement: each holds a worker for as long as its processes wait.
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
