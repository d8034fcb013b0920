import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { StudyHost } from '../../client/study-host.ts';
import { lifeFlags, lifeWindowing, recognizerPort } from '../../fixtures/golden-store/life.ts';
import type { Release } from '../../fixtures/golden-store/release.ts';
import { sampleMedia } from '../../fixtures/sample/gold.ts';
import { openVideoHost, type VideoHost } from '../../fixtures/video-host/server.ts';
import { erasingPrefix } from '../../storage/backup/named-objects.ts';
import { openStore } from '../actors/reopening/stored-studies.ts';
import { openInProcess, withDownloader } from '../host/host-in-process.ts';
import { ModelInMemory } from '../host/model-in-memory.ts';
import { patienceMs } from '../patience.ts';
import { checkWhole } from './checks.ts';
import { LifeSurroundings } from './full-life.ts';
import { clientOf } from './host-process.ts';
import { LaterClient } from './later-client.ts';
import { endsWell, olderFlags } from './older-stores.ts';
import { clockAfter, describedReleases, isOfLife, storesAt, unpacked } from './stored-releases.ts';

type Stored = Release['stores'][string];
type Life = (t: ExecutionContext, client: StudyHost, later: LaterClient, stored: Stored) => Promise<void>;

/** A stub at the addresses that the stores hold. */
const videoPort = 41_897;
const videoFlags = ['--videohost-origin', `http://127.0.0.1:${videoPort}`, '--allow-loopback-videohost'];

/** A video host at the port that the stores name. Whatever else has it on this machine, as another run of the tests, may have it for minutes. */
async function openVideos(): Promise<VideoHost> {
  for (const end = Date.now() + 10 * patienceMs; ; await delay(500)) {
    try {
      return await openVideoHost({ media: sampleMedia, statedSeconds: 50, port: videoPort });
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || Date.now() > end) throw error;
    }
  }
}

let around: LifeSurroundings | undefined;
let videos: VideoHost | undefined;
test.before(async () => {
  around = await LifeSurroundings.open(recognizerPort);
  videos = await openVideos();
});
test.after.always(async () => {
  await around?.close();
  await videos?.close();
});

/** Evidence of these kinds was read to the end. */
async function hasAvailable(t: ExecutionContext, client: StudyHost, runtimeId: string, kinds: readonly string[]) {
  const { evidence } = await client.evidence(runtimeId, 'all');
  for (const kind of kinds) {
    t.like(
      evidence.find((each) => each.kind === kind),
      { state: 'available' },
      kind,
    );
  }
}

const speechAndText = ['transcript', 'screen_text'] as const;

const comesToItsEnd: Life = async (t, client, later, { id }) => {
  for await (const _ of client.follow(id));
  await hasAvailable(t, client, id, speechAndText);
  await later.finish(id);
};

/** The next requests of a client in each of the stores. */
const lives: Readonly<Record<string, Life>> = {
  'runtime.running.recognize': comesToItsEnd,
  'runtime.running.readScreen': comesToItsEnd,
  'life.subtitled': async (t, client) => {
    const source = (await client.sources()).find(({ label }) => label === 'Golden clip');
    if (source === undefined) return t.fail('the source is not listed');
    const { subtitleTracks } = await client.subtitles.list(source.sourceSessionId);
    t.like(subtitleTracks, { 0: { label: 'lines.srt', language: 'fr', format: 'srt' }, length: 1 });
    const study = client.study(source, {
      range: { startMs: 0, endMs: 1000 },
      requestedSourceLanguage: { mode: 'declared', languages: ['fr'], reason: null },
      targetLanguage: 'fr',
      outputDepth: 'captions',
    });
    t.is((await study.ended()).lifecycle, 'terminal');
    const { evidence } = await client.evidence((await study.started).runtimeId, 'subtitle_track');
    t.deepEqual(
      evidence.map(({ facts }) => facts),
      [[{ kind: 'subtitle_cue', index: 0, startMs: 100, endMs: 900, text: 'Bonjour' }]],
    );
  },
  // Cut behind the second window of a pass; a host of another version does not read the windows.
  'life.windowed': async (t, client, later, stored) => {
    await comesToItsEnd(t, client, later, stored);
    await client.deletions.collect({ dryRun: false });
  },
  'life.recognized': async (t, client, _later, { id }) => {
    await hasAvailable(t, client, id, ['transcript']);
    t.regex(await client.captions.webvtt(id, 'target'), /he forgot to close the door/);
  },
  'deletion.erasing': async (t, client, later, { id, runtimeId = '' }) => {
    t.like((await client.deletions.runtime(id)).deleted, { kind: 'runtime', runtimeId: id });
    await t.throwsAsync(client.status(id), { message: /deleted/ });
    await later.explain(runtimeId);
    await later.finish(runtimeId);
  },
  'life.whole': async (t, client, later, { id, runtimeId = '' }) => {
    t.like((await client.deletions.runtime(id)).deleted, { kind: 'runtime', runtimeId: id });
    await hasAvailable(t, client, runtimeId, speechAndText);
    t.is((await client.signingKeys()).keys.length, 1);
    const journal = await later.journal(runtimeId);
    t.is(journal.filter(({ type }) => type === 'language.explanation_completed').length, 1);
    await later.finish(runtimeId);
  },
};

for (const [name, known] of describedReleases) {
  const cut = storesAt('process', name, known);
  const stores = Object.entries(known.stores).filter(([state]) => isOfLife(state));
  if (stores.length + cut.length === 0) continue;
  const folder = unpacked(
    name,
    [...stores, ...cut].map(([state]) => state),
  );
  test.after.always(() => rm(folder, { recursive: true, force: true }));
  for (const [state, stored] of cut) {
    test.serial(`${state} of ${name} opens, all in its data root ends well`, async (t) => {
      const host = await openInProcess(t, join(folder, state), {
        clock: clockAfter(known),
        flags: [...olderFlags, ...videoFlags],
        environment: { ...withDownloader, OPENAI_BASE_URL: new ModelInMemory().baseUrl },
      });
      await endsWell(t, host, state, stored);
    });
  }
  for (const [state, stored] of stores) {
    test.serial(`${state} of a full life of ${name} opens, all in it ends well`, async (t) => {
      const root = join(folder, state);
      const host = await around?.openHost(t, root, {
        flags: lifeFlags,
        windowing: lifeWindowing,
        clock: clockAfter(known),
      });
      if (host === undefined) return t.fail('there are no surroundings');
      const client = clientOf(host);
      await lives[state]?.(t, client, new LaterClient(host), stored);
      // Waits for the erasure that is under way.
      await client.deletions.collect({ dryRun: true });
      t.is(await host.stop(), 0);
      t.deepEqual(
        host.reported().filter((line) => /damaged|ended at recovery|next start/.test(line)),
        [],
      );
      await checkWhole(t, root);
      const store = await openStore(root);
      t.teardown(() => store.close());
      t.deepEqual(await store.ledger.list('record', erasingPrefix), []);
      const operations = await store.ledger.list('operation');
      t.deepEqual(
        operations.filter(({ value }) => value instanceof Object && 'window' in value),
        [],
        'no window of a pass is kept',
      );
    });
  }
}
