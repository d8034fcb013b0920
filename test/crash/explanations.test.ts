import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { StubProvider } from '../../fixtures/hosted-model/stub-provider.ts';
import { checkDataRoot, checkRuntimes } from './checks.ts';
import { HostGone } from './client.ts';
import { startHost } from './host-process.ts';
import { LaterClient, type StoredEvent } from './later-client.ts';
import { killPoints } from './soak.ts';

const flags = [
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
];

/** Filled by the first test: a data root with captions, and every point that an explanation passes. */
const way = { root: '', runtimeId: '', points: [] as string[], cut: 0 };

test.before(async () => {
  way.root = await realpath(await mkdtemp(join(tmpdir(), 'crash-explained-')));
});
test.after.always(() => rm(way.root, { recursive: true, force: true }));

/** A model, and a copy of the data root with captions, for one host after the other. */
async function scratch(t: ExecutionContext): Promise<{ readonly root: string; readonly provider: StubProvider }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'crash-explaining-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  await cp(way.root, root, { recursive: true });
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  process.env.OPENAI_BASE_URL = provider.baseUrl;
  return { root, provider };
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
  process.env.OPENAI_BASE_URL = 'http://127.0.0.1:9/v1';
  const first = await startHost(t, way.root, undefined, flags);
  const captioning = new LaterClient(first);
  way.runtimeId = await captioning.study();
  await captioning.caption(way.runtimeId);
  t.is(await first.stop(), 0);

  const { root, provider } = await scratch(t);
  const host = await startHost(t, root, `+${Number.MAX_SAFE_INTEGER}`, flags);
  await host.count();
  const client = new LaterClient(host);
  await client.explain(way.runtimeId);
  way.points = host.points().map((line) => line.replace(/^crash point \d+: /, ''));
  t.deepEqual(endings(t, await client.journal(way.runtimeId)), { started: 1, completed: 1, failed: 0 });
  t.is(provider.asked.length, 1);
  t.is(await host.stop(), 0);
  t.log(way.points.join(' '));
});

test.serial(
  'a host that is killed at any point of an explanation asks for it again only when it is asked',
  async (t) => {
    t.timeout(300_000, 'two lives for each point on a busy machine');
    for (const at of killPoints(way.points)) {
      const point = way.points[at - 1] ?? '';
      const { root, provider } = await scratch(t);
      const host = await startHost(t, root, `+${at}`, flags);
      await host.count();
      await t.throwsAsync(new LaterClient(host).explain(way.runtimeId), { instanceOf: HostGone });
      t.is(await host.ended, 'SIGKILL');
      const askedBefore = provider.asked.length;
      const again = await startHost(t, root, undefined, flags);
      const client = new LaterClient(again);
      const found = endings(t, await client.journal(way.runtimeId));
      t.is(found.started, found.completed + found.failed, point);
      t.is(provider.asked.length, askedBefore, point);
      way.cut += found.failed;
      await client.explain(way.runtimeId);
      const left = endings(t, await client.journal(way.runtimeId));
      t.deepEqual(left, { ...left, completed: 1, failed: found.failed });
      t.true(provider.asked.length <= left.started, point);
      t.is(await again.stop(), 0);
      await checkDataRoot(t, root);
      await checkRuntimes(t, root);
      t.log(`killed at ${point}, with ${askedBefore} questions asked and ${found.failed} cut`);
    }
  },
);

test.serial('some of the deaths came between the start of an explanation and its end', (t) => {
  t.true(way.cut > 0);
});
