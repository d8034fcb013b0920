import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { checkDataRoot, checkRuntimes } from './checks.ts';
import { HostGone } from './client.ts';
import { startHost } from './host-process.ts';
import { LaterClient, type StoredEvent } from './later-client.ts';
import { isSoak, killPoints } from './soak.ts';

const flags = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
const lanes = 2;
const parts = isSoak ? 3 : 1;

/** Filled by the first test: a data root with a finished study, and every point that the later stages pass. */
const way = { root: '', runtimeId: '', points: [] as string[], cut: 0 };

async function scratch(t: ExecutionContext): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'crash-later-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  return root;
}

test.after.always(() => rm(way.root, { recursive: true, force: true }));

/** What is begun is ended, each once, and what could not be ended says that it was interrupted. */
function checkPairs(t: ExecutionContext, journal: readonly StoredEvent[]): void {
  const open = new Set<string>();
  for (const { type, data } of journal) {
    const [, of, step] = /^((?:publish|caption)\..+)_(started|completed|failed)$/.exec(type) ?? [];
    if (of === undefined) continue;
    const id = `${of} ${data.jobId ?? data.revocationId ?? data.reviewId ?? data.intakeId}`;
    if (step === 'started') {
      t.false(open.has(id), `${id} began twice`);
      open.add(id);
    } else t.true(open.delete(id), `${id} ends what was not begun`);
    if (step === 'failed') t.regex(JSON.stringify(data.reason), /interrupted: /);
  }
  t.deepEqual([...open], []);
}

test.serial('without a crash an approved study becomes captions, and its approval is withdrawn', async (t) => {
  way.root = await realpath(await mkdtemp(join(tmpdir(), 'crash-later-')));
  const first = await startHost(t, way.root, undefined, flags);
  way.runtimeId = await new LaterClient(first).study();
  t.is(await first.stop(), 0);

  const root = await scratch(t);
  await cp(way.root, root, { recursive: true });
  const host = await startHost(t, root, `+${Number.MAX_SAFE_INTEGER}`, flags);
  await host.count();
  const client = new LaterClient(host);
  await client.finish(way.runtimeId);
  way.points = host.points().map((line) => line.replace(/^crash point \d+: /, ''));
  checkPairs(t, await client.journal(way.runtimeId));
  t.is(await host.stop(), 0);
  t.log(way.points.join(' '));
  t.true(way.points.length >= 20);
});

/** Kills a host at one point of its way, starts it again, finishes what is left and looks at all of it. */
async function killAt(t: ExecutionContext, at: number): Promise<void> {
  const root = await scratch(t);
  await cp(way.root, root, { recursive: true });
  const host = await startHost(t, root, `+${at}`, flags);
  await host.count();
  await t.throwsAsync(new LaterClient(host).finish(way.runtimeId), { instanceOf: HostGone });
  t.is(await host.ended, 'SIGKILL');
  const again = await startHost(t, root, undefined, flags);
  const client = new LaterClient(again);
  await client.finish(way.runtimeId);
  const journal = await client.journal(way.runtimeId);
  checkPairs(t, journal);
  t.is(await again.stop(), 0);
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
  const cut = journal.filter(({ type }) => type === 'caption.production_failed').length;
  way.cut += cut;
  t.log(`killed at ${at}, ${way.points[at - 1]}${cut === 0 ? '' : ', which cut the captions'}`);
}

for (let part = 0; part < parts; part += 1) {
  test.serial(
    `a host that is killed between approval and withdrawal leaves nothing open and no approval burnt, part ${part + 1}`,
    async (t) => {
      const own = killPoints(way.points).filter((_, index) => index % parts === part);
      const lane = async (): Promise<void> => {
        for (let at = own.shift(); at !== undefined; at = own.shift()) await killAt(t, at);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    },
  );
}

test.serial('some of the deaths came while captions were made', (t) => {
  t.true(way.cut > 0);
});
