import test from 'ava';
import { PlaybackGrants } from '../../../actors/playback/playback-grants.ts';
import { PrivatePlayback } from '../../../actors/playback/private-playback.ts';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import type { ActorRow } from '../../../actors/supervision/actor-row.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { newDataRoot, openStore, store } from '../reopening/stored-studies.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

const study = storedStudy({ version: 1, windows: 4 });
const { runtimeId, sourceArtifactId: artifactId, sourceSession } = study.run.record;
const request = {
  schema: 'studio.private-playback-grant-request.v1',
  source: { revisionId: sourceSession.revisionId, artifactId, contentId: sourceSession.source.contentId },
} as const;
const origin = 'http://127.0.0.1:4321';

test('bug: a runtime that was deleted while its media was looked at got a grant that no one could revoke', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  const { ledger, objectStore } = opened;
  t.teardown(() => ledger.close());
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
    ...{ grants, registry, ledger, objectStore },
    kindName: 'runtime',
    supervisor: { read: () => row },
  });
  const granting = playback.grant(runtimeId, request, origin);
  row = undefined;
  playback.deleted(runtimeId);
  await t.throwsAsync(granting, { code: 'unknown_runtime' });
  t.is(clock.pending, 0);

  row = { kind: 'runtime' } as ActorRow;
  const granted = await playback.grant(runtimeId, request, origin);
  t.is(granted.runtimeId, runtimeId);
  playback.deleted(runtimeId);
  t.is(clock.pending, 0);
});
