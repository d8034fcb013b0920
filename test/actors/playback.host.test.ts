import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type GrantedMedia, PlaybackGrants } from '../../actors/playback/playback-grants.ts';
import { PrivatePlayback } from '../../actors/playback/private-playback.ts';
import { loadSourceFolder } from '../../actors/sources/source-folder.ts';
import { SourceRegistry } from '../../actors/sources/source-registry.ts';
import type { ActorRow } from '../../actors/supervision/actor-row.ts';
import { playbackGrantMs } from '../../contract/playback.ts';
import { sampleFolder, sampleMedia } from '../../fixtures/sample/gold.ts';
import { openObjectStore } from '../../storage/objects/open-object-store.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { newStore, store } from './reopening/stored-studies.ts';
import { SimulatedClock } from './supervision/simulated-clock.ts';

const origin = 'http://127.0.0.1:4321';

/** A playback grant for the sample, on a clock that never moves. */
async function grantedSample(t: ExecutionContext) {
  const objectStore = await openObjectStore({ root: join(await scratchFolder(t), 'data') });
  const verifyFile = (path: string, contentId: string) => objectStore.verifyFile(path, contentId);
  const source = await loadSourceFolder(sampleFolder, { verifyFile });
  const clock = new SimulatedClock(Date.parse('2026-01-02T03:04:05.678Z'));
  const grants = new PlaybackGrants({
    clock,
    elapsed: clock.elapsed,
    newId: () => 'sample',
    newSecret: () => Buffer.alloc(32, 7),
  });
  const { revisionId } = source.session;
  const playback = new PrivatePlayback({
    grants,
    supervisor: { read: () => undefined },
    registry: { revision: (id) => (id === revisionId ? source : undefined) },
    ledger: { get: () => undefined },
    objectStore,
  });
  const media: GrantedMedia = {
    runtimeId: 'runtime:sample',
    origin,
    revisionId,
    contentId: source.session.source.contentId,
    mimeType: 'video/mp4',
  };
  const { grantId, secret } = grants.issue(media);
  return { clock, grants, media, playback, open: () => playback.open(grantId, secret, origin) };
}

// The tests that count descriptors run one after the other: they are those of the whole process.
async function descriptors(): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target === sampleMedia).length;
}

test.serial('open media learns the end of its grant on the millisecond', async (t) => {
  const { clock, open } = await grantedSample(t);
  const { reader, contentId, mimeType, onEnd } = await open();
  t.is(mimeType, 'video/mp4');
  t.is(reader.bytes > 0, true);
  t.regex(contentId, /^sha256:/);
  let ended = 0;
  onEnd(() => {
    ended += 1;
  });
  clock.advance(playbackGrantMs - 1);
  t.is(ended, 0);
  (await open()).reader.close();
  clock.advance(1);
  t.is(ended, 1);
  await t.throwsAsync(open(), { code: 'private_playback_grant_expired' });
  t.is(await descriptors(), 1);
  reader.close();
  t.is(await descriptors(), 0);
});

test.serial('a grant that ends while its files are looked at opens nothing', async (t) => {
  const { clock, open } = await grantedSample(t);
  const opening = open();
  clock.advance(playbackGrantMs);
  await t.throwsAsync(opening, { code: 'private_playback_grant_expired' });
  t.is(await descriptors(), 0);
});

test.serial('a host that closes ends every grant', async (t) => {
  const { clock, playback, open } = await grantedSample(t);
  const { reader, onEnd } = await open();
  let ended = 0;
  onEnd(() => {
    ended += 1;
  });
  playback.close();
  t.is(ended, 1);
  t.is(clock.pending, 0);
  reader.close();
});

test.serial('a source that is no longer registered is not played', async (t) => {
  const { grants, media, playback } = await grantedSample(t);
  const { grantId, secret } = grants.issue({ ...media, revisionId: 'source-revision:gone' });
  await t.throwsAsync(playback.open(grantId, secret, origin), { code: 'source_revalidation_failed' });
});

test.serial('many who open at once share the look at the records, and each has a descriptor', async (t) => {
  const { open } = await grantedSample(t);
  const opened = await Promise.all(Array.from({ length: 20 }, open));
  t.is(await descriptors(), 20);
  for (const { reader } of opened) reader.close();
  t.is(await descriptors(), 0);
});

const study = storedStudy({ version: 1, windows: 4 });

const { runtimeId, sourceArtifactId: artifactId, sourceSession } = study.run.record;

const grantRequest = {
  schema: 'studio.private-playback-grant-request.v1',
  source: { revisionId: sourceSession.revisionId, artifactId, contentId: sourceSession.source.contentId },
} as const;

test('bug: a runtime that was deleted during the look at its media got a grant for ever', async (t) => {
  const opened = await newStore(t);
  const { ledger, objectStore } = opened;
  await store(opened, study);
  const registry = new SourceRegistry();
  await registry.load(ledger);
  const clock = new SimulatedClock(0);
  const grants = new PlaybackGrants({
    clock,
    elapsed: clock.elapsed,
    newId: () => 'one',
    newSecret: () => Buffer.alloc(32),
  });
  let row: ActorRow | undefined = { kind: 'runtime' } as ActorRow;
  const playback = new PrivatePlayback({
    grants,
    registry,
    ledger,
    objectStore,
    supervisor: { read: () => row },
  });
  const granting = playback.grant(runtimeId, grantRequest, origin);
  row = undefined;
  playback.deleted(runtimeId);
  await t.throwsAsync(granting, { code: 'unknown_runtime' });
  t.is(clock.pending, 0);

  row = { kind: 'runtime' } as ActorRow;
  const granted = await playback.grant(runtimeId, grantRequest, origin);
  t.is(granted.runtimeId, runtimeId);
  playback.deleted(runtimeId);
  t.is(clock.pending, 0);
});
