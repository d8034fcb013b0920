import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { lifeFlags, lifeWindowing, recogniserPort } from '../../fixtures/golden-store/life.ts';
import type { Release } from '../../fixtures/golden-store/release.ts';
import { erasingPrefix } from '../../storage/backup/named-objects.ts';
import { openStore } from '../actors/reopening/stored-studies.ts';
import { checkDataRoot, checkRuntimes } from './checks.ts';
import { LifeSurroundings } from './full-life.ts';
import { LaterClient } from './later-client.ts';
import { clockAfter, describedReleases, isOfLife, unpacked } from './stored-releases.ts';

type Stored = Release['stores'][string];
type Life = (t: ExecutionContext, client: StudyHost, later: LaterClient, stored: Stored) => Promise<void>;

let around: LifeSurroundings | undefined;
test.before(async () => {
  around = await LifeSurroundings.open(recogniserPort);
});
test.after.always(() => around?.close());

/** The study was heard and read to its end. */
async function isHeardAndRead(t: ExecutionContext, client: StudyHost, runtimeId: string): Promise<void> {
  const { evidence } = await client.evidence(runtimeId, 'all');
  for (const kind of ['transcript', 'screen_text']) {
    t.like(
      evidence.find((each) => each.kind === kind),
      { state: 'available' },
      kind,
    );
  }
}

const goesOn: Life = async (t, client, later, { id }) => {
  for await (const _ of client.follow(id));
  await isHeardAndRead(t, client, id);
  await later.finish(id);
};

/** What a client goes on with in each of the stores. */
const lives: Readonly<Record<string, Life>> = {
  'runtime.running.recognize': goesOn,
  'runtime.running.readScreen': goesOn,
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
    await goesOn(t, client, later, stored);
    await client.deletions.collect({ dryRun: false });
  },
  'deletion.erasing': async (t, client, later, { id, runtimeId = '' }) => {
    t.like((await client.deletions.runtime(id)).deleted, { kind: 'runtime', runtimeId: id });
    await t.throwsAsync(client.status(id), { message: /deleted/ });
    await later.explain(runtimeId);
    await later.finish(runtimeId);
  },
  'life.whole': async (t, client, later, { id, runtimeId = '' }) => {
    t.like((await client.deletions.runtime(id)).deleted, { kind: 'runtime', runtimeId: id });
    await isHeardAndRead(t, client, runtimeId);
    t.is((await client.signingKeys()).keys.length, 1);
    const journal = await later.journal(runtimeId);
    t.is(journal.filter(({ type }) => type === 'language.explanation_completed').length, 1);
    await later.finish(runtimeId);
  },
};

for (const [name, known] of describedReleases) {
  const stores = Object.entries(known.stores).filter(([state]) => isOfLife(state));
  if (stores.length === 0) continue;
  const folder = unpacked(name);
  test.after.always(() => rm(folder, { recursive: true, force: true }));
  for (const [state, stored] of stores) {
    test.serial(`a data root of ${name} from a full life, at ${state}, opens, and all in it ends well`, async (t) => {
      const root = join(folder, state);
      const host = await around?.openHost(t, root, {
        flags: lifeFlags,
        windowing: lifeWindowing,
        clock: clockAfter(known),
      });
      if (host === undefined) return t.fail('there are no surroundings');
      const { listening = '', authorizationToken: token = '' } = host.announced ?? {};
      const client = StudyHost.connect({ baseUrl: listening, token });
      await lives[state]?.(t, client, new LaterClient(host), stored);
      // Waits for the erasure that is under way.
      await client.deletions.collect({ dryRun: true });
      t.is(await host.stop(), 0);
      t.deepEqual(
        host.told().filter((line) => /damaged|ended at recovery|next start/.test(line)),
        [],
      );
      await checkDataRoot(t, root);
      await checkRuntimes(t, root);
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
