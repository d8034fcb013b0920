import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { StubProvider } from '../../fixtures/hosted-model/stub-provider.ts';
import { openInProcess } from '../host/host-in-process.ts';
import { checkDataRoot, checkRuntimes } from './checks.ts';
import { CopiedLife, type Left } from './copied-lives.ts';
import { LaterClient, type StoredEvent } from './later-client.ts';
import { isDeadly } from './soak.ts';

const flags = [
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
];

/** Filled by the first test: a study with captions, and what each death in an explanation leaves, with the questions asked. */
const way = { folder: '', runtimeId: '', left: [] as Left<number>[], cut: 0 };
test.after.always(() => rm(way.folder, { recursive: true, force: true }));

/** A model for the hosts that start from now on. */
async function openModel(t: ExecutionContext): Promise<StubProvider> {
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  process.env.OPENAI_BASE_URL = provider.baseUrl;
  return provider;
}

/** How often an explanation began and ended; every one that ended badly was interrupted. */
function endings(t: ExecutionContext, journal: readonly StoredEvent[]) {
  const countOf = (step: string) => journal.filter(({ type }) => type === `language.explanation_${step}`).length;
  for (const { type, data } of journal) {
    if (type === 'language.explanation_failed') t.regex(JSON.stringify(data.reason), /"interrupted: /);
  }
  return { started: countOf('started'), completed: countOf('completed'), failed: countOf('failed') };
}

test.serial('without a crash the first words of the captions are explained', async (t) => {
  way.folder = await realpath(await mkdtemp(join(tmpdir(), 'crash-explained-')));
  const root = join(way.folder, 'way');
  await mkdir(root, { mode: 0o700 });
  const provider = await openModel(t);
  const first = await openInProcess(t, root, { flags });
  const captioning = new LaterClient(first);
  way.runtimeId = await captioning.study();
  await captioning.caption(way.runtimeId);
  await first.stop();

  const known = () => provider.asked.length;
  const life = new CopiedLife({ root, copies: way.folder, isWanted: isDeadly, known });
  let isCounted = false;
  const host = await openInProcess(t, root, { flags, points: (name) => isCounted && life.point(name) });
  isCounted = true;
  const client = new LaterClient(host);
  await client.explain(way.runtimeId);
  isCounted = false;
  way.left = life.left;
  t.deepEqual(endings(t, await client.journal(way.runtimeId)), { started: 1, completed: 1, failed: 0 });
  t.is(provider.asked.length, 1);
  await host.stop();
  t.log(life.passed.join(' '));
});

test.serial(
  'a host that dies after any commit of an explanation asks for it again only when it is asked',
  async (t) => {
    for (const { root, point, known: askedBefore } of way.left) {
      const provider = await openModel(t);
      const host = await openInProcess(t, root, { flags });
      const client = new LaterClient(host);
      const found = endings(t, await client.journal(way.runtimeId));
      t.is(found.started, found.completed + found.failed, point);
      t.is(provider.asked.length, 0, point);
      way.cut += found.failed;
      await client.explain(way.runtimeId);
      const left = endings(t, await client.journal(way.runtimeId));
      t.deepEqual(left, { ...left, completed: 1, failed: found.failed });
      t.true(askedBefore + provider.asked.length <= left.started, point);
      await host.stop();
      await checkDataRoot(t, root);
      await checkRuntimes(t, root);
      t.log(`died at ${point}, with ${askedBefore} questions asked and ${found.failed} cut`);
    }
  },
);

test.serial('some of the deaths came between the start of an explanation and its end', (t) => {
  t.true(way.cut > 0);
});
