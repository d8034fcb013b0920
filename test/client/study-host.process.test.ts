import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { HostError, HostUnreachable, IngestFailed, NothingYet } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { approveCaptions } from '../actors/client-host.ts';
import { humWav } from '../http/host/media.ts';
import { studyUntil } from './asked-study.ts';
import { typesOf } from './event-types.ts';
import { OneHost } from './one-host.ts';

const sample = fileURLToPath(new URL('../../fixtures/sample/source/media/sample.mp4', import.meta.url));
const owner = { label: 'A file', rightsHolder: 'Me', ownershipAttested: true } as const;

const request = studyUntil(20_000, 'captions');

let host: OneHost;

test.before(async () => {
  host = await OneHost.start();
});

test.after.always(() => host.remove());

/** Reads what a study of the sample found: a picture, the waveform, evidence of one kind, claims and the overview. */
async function findingsAreRead(t: ExecutionContext, client: StudyHost, runtimeId: string): Promise<void> {
  const [keyframe] = await client.evidenceObjects.keyframes(runtimeId);
  const picture = await client.evidenceObjects.read(runtimeId, keyframe?.contentId ?? '');
  t.deepEqual([picture.type, picture.size], ['image/jpeg', keyframe?.bytes]);
  const waveform = await client.evidenceObjects.waveform(runtimeId);
  t.is(waveform?.windowMs, 20);
  t.true(waveform !== null && Math.max(...waveform.highest) > 1000 && Math.min(...waveform.lowest) < -1000);
  const { evidence } = await client.evidence(runtimeId, 'loudness');
  const found = evidence.map(({ kind, state }) => [kind, state]);
  t.deepEqual(found, [['loudness', 'available']]);
  t.true((await client.claims(runtimeId)).audits.length > 0);
  t.is((await client.overview(runtimeId)).situation.text, 'waiting for your review');
}

// In turn: these tests kill the one host, and start it again.
test.serial('a file is ingested, studied, approved and captioned, and its captions read, by one client', async (t) => {
  const { client } = host;
  const seen: string[] = [];
  const steps = new Set<string>();
  const source = await client.ingestFile(sample, {
    ...owner,
    onProgress: ({ status }) => seen.push(status),
    onMeasured: ({ stage }) => steps.add(stage),
  });
  t.true(steps.has('upload'));
  t.is(source.label, 'A file');
  t.is(seen.at(-1), 'registered');
  t.true((await client.sources()).some(({ sourceSessionId }) => sourceSessionId === source.sourceSessionId));

  const { runtimeId } = await client.plan(source, request);
  const study = client.study(source, request);
  t.is((await study.started).runtimeId, runtimeId);
  const types = await typesOf(study);
  t.is(types[0], 'artifact.recorded');
  t.is(types.at(-1), 'task.transitioned');
  t.is((await study.ended()).lifecycle, 'terminal');
  t.deepEqual(await typesOf(client.follow(runtimeId, { after: types.length - 1 })), ['task.transitioned']);

  await findingsAreRead(t, client, runtimeId);

  await t.throwsAsync(client.captions.produce(runtimeId), { instanceOf: NothingYet });
  await t.throwsAsync(client.captions.webvtt(runtimeId, 'target'), { instanceOf: NothingYet });
  const { reviewer } = await client.reviews.decisions(runtimeId);
  const { reviews } = await approveCaptions(client, runtimeId);
  t.is(reviews[0]?.state, 'approved_for_caption_production');
  await client.captions.produce(runtimeId);
  t.is((await client.captions.results(runtimeId)).results.length, 1);
  t.is((await client.captions.checked(runtimeId)).outcome, 'accepted');
  t.regex(await client.captions.webvtt(runtimeId, 'target'), /^WEBVTT\n/);
  t.regex(await client.export(runtimeId, 'captions.srt', { side: 'source' }), /^1\n00:/);

  const { url, grant } = await client.playbackUrl(runtimeId, host.address.baseUrl);
  const part = await fetch(url, { headers: { Origin: host.address.baseUrl, Range: 'bytes=0-9' } });
  t.is(part.status, 206);
  t.is(grant.mimeType, 'video/mp4');

  const revocation = { reasonCodes: ['new_review_required'], note: null } as const;
  const revoked = await client.reviews.revoke(runtimeId, revocation, {
    reviewerId: reviewer.id,
    attestation: reviewer.revocationAttestation,
  });
  t.is(revoked.reviews[0]?.state, 'approval_revoked');
});

test.serial('a study is followed to its end across a kill, to another port and another token', async (t) => {
  const { client } = host;
  const [source] = await client.sources();
  if (source === undefined) throw new Error('a host has its sample');
  const study = client.study(source, { targetLanguage: 'en', clientRequestId: 'killed' });
  const types: string[] = [];
  let before = '';
  for await (const { type } of study) {
    types.push(type);
    if (type !== 'media.operation_started' || before !== '') continue;
    before = host.address.baseUrl;
    await host.kill();
    void host.start();
  }
  t.not(host.address.baseUrl, before);
  t.is(types.at(-1), 'task.transitioned');
  const { lifecycle, journalHead } = await study.ended();
  t.is(lifecycle, 'terminal');
  t.is(types.length, journalHead);
});

test.serial('a running study is canceled, its reader gets the end, and a second cancel is refused', async (t) => {
  const { client } = host;
  const [source] = await client.sources();
  if (source === undefined) return t.fail('no source');
  const study = client.study(source, {
    ...request,
    range: { startMs: 0, endMs: 50_000 },
    clientRequestId: 'canceled',
  });
  const { runtimeId } = await study.started;
  t.like(await client.cancel(runtimeId), { lifecycle: 'interrupted', reason: { code: 'executor_interrupted' } });
  t.is((await study.ended()).lifecycle, 'interrupted');
  const { sourceSessionId } = source;
  const { runtimes } = await client.runtimes({ sourceSessionId, lifecycle: 'interrupted', limit: 1 });
  t.like(runtimes[0], { runtimeId, range: { startMs: 0, endMs: 50_000 } });
  t.deepEqual((await client.videohostIngests().catch((error) => error)).code, 'videohost_local_ingest_unavailable');
  t.like(await t.throwsAsync(client.cancel(runtimeId), { instanceOf: HostError }), {
    code: 'runtime_already_terminal',
  });
});

test.serial('one stream tells of several studies at once, and how far work has come is read at any time', async (t) => {
  const { client } = host;
  const [source] = await client.sources();
  if (source === undefined) return t.fail('no source');
  const start = (clientRequestId: string) => client.study(source, { ...request, clientRequestId }).started;
  const runtimeIds = (await Promise.all(['one', 'other'].map(start))).map(({ runtimeId }) => runtimeId);
  const seqs = new Map<string, number[]>(runtimeIds.map((runtimeId) => [runtimeId, []]));
  const ended = new Set<string>();
  for await (const { event, data } of client.watch({ runtimes: Object.fromEntries(runtimeIds.map((id) => [id, 0])) })) {
    if (event === 'journal') seqs.get(data.runId)?.push(data.seq);
    if (event === 'ended') ended.add(data.runtimeId);
    if (ended.size === 2) break;
  }
  for (const runtimeId of runtimeIds) {
    const { journalHead } = await client.status(runtimeId);
    const expected = Array.from({ length: journalHead }, (_, at) => at + 1);
    t.deepEqual(seqs.get(runtimeId), expected);
    t.like(await client.progress(runtimeId), { id: runtimeId, stage: 'ended' });
  }
  const { transitions } = await client.lifecycles.transitions(runtimeIds[0] ?? '');
  const seen: number[] = [];
  for await (const { event, data } of client.watch({ actors: { [runtimeIds[0] ?? '']: 2 } })) {
    if (event === 'transition') seen.push(data.seq);
    if (seen.length === transitions.length - 2) break;
  }
  t.deepEqual(seen, transitions.map(({ seq }) => seq).slice(2));
  const unknown = client.watch({ ingests: ['owned-ingest:none'] }).next();
  t.like(await t.throwsAsync(unknown, { instanceOf: HostError }), { code: 'unknown_ingest' });
});

test.serial('a refusal has its code, whether a retry can succeed, and a remedy', async (t) => {
  const { client, address } = host;
  const unknown = await t.throwsAsync(client.status('runtime:none'), { instanceOf: HostError });
  t.like(unknown, {
    code: 'unknown_runtime',
    status: 404,
    retryable: false,
    message: 'no such runtime',
    hint: 'use the runtimeId of the answer that started the study',
  });
  const stranger = StudyHost.connect({ ...address, token: '0'.repeat(64) });
  t.like(await t.throwsAsync(stranger.sources(), { instanceOf: HostError }), { code: 'unauthorized', status: 401 });
});

test('a host that does not answer is reported as unreachable', async (t) => {
  const nobody = StudyHost.connect({ baseUrl: 'http://127.0.0.1:9/', token: '' }, { reconnectMs: 0 });
  const error = await t.throwsAsync(nobody.sources(), { instanceOf: HostUnreachable });
  t.is(error?.message, 'no host answers at http://127.0.0.1:9');
});

test.serial('a file that is not media fails its ingest with the reason', async (t) => {
  const { client } = host;
  // Random bytes; a text is refused before it is sent.
  const noise = new File([Buffer.from('00ff17a9c3000180', 'hex')], 'notes.mp4');
  const error = await t.throwsAsync(client.ingestFile(noise, owner), { instanceOf: IngestFailed });
  t.is(error?.code, 'probe_failed');
  await t.throwsAsync(client.ingestFile(new Blob(['not media']), owner), { instanceOf: TypeError });
});

test.serial('an aborted ingest is canceled', async (t) => {
  const { client } = host;
  const controller = new AbortController();
  const failed = new Error('changed my mind');
  let ingestId = '';
  const ingest = client.ingestFile(sample, {
    ...owner,
    signal: controller.signal,
    onProgress: (status) => {
      ingestId = status.ingestId;
      controller.abort(failed);
    },
  });
  t.is(await t.throwsAsync(ingest), failed);
  const path = `${host.address.baseUrl}/v1/owned-media-ingests/${encodeURIComponent(ingestId)}`;
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${host.address.token}` } });
  t.like(await answer.json(), { status: 'failed', failure: { code: 'canceled' } });
});

test.serial('an upload to a killed host continues after the bytes that had arrived', async (t) => {
  const { client } = host;
  const media = new File([humWav(60, 600_000)], 'long.wav');
  const seen: number[] = [];
  let isKilled = false;
  const source = await client.ingestFile(media, {
    ...owner,
    onUpload: ({ sent, total }) => {
      t.is(total, media.size);
      seen.push(sent);
      if (sent === 0 || isKilled) return;
      isKilled = true;
      host.kill().then(() => host.start());
    },
  });
  t.is(source.label, 'A file');
  t.true(isKilled);
  t.is(seen.filter((sent) => sent === 0).length, 1);
  const sorted = [...seen].sort((one, other) => one - other);
  t.deepEqual(sorted, seen);
  t.is(seen.at(-1), media.size);
});

test('a start line is taken as text, and anything else is refused', async (t) => {
  const { baseUrl, token } = host.address;
  const client = StudyHost.connect(JSON.stringify({ listening: baseUrl, authorizationToken: token }));
  t.true((await client.sources()).length > 0);
  t.throws(() => StudyHost.connect('{}'), { instanceOf: TypeError });
});
