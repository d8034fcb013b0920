import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openInProcess } from '../host/host-in-process.ts';
import { checkDataRoot, checkRuntimes } from './checks.ts';
import { CopiedLife, inTwoLanes, type Left } from './copied-lives.ts';
import { LaterClient, type StoredEvent } from './later-client.ts';
import { isDeadly } from './soak.ts';

const flags = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
/** Filled by the first test: a finished study, and what each death in its later stages leaves. */
const way = { folder: '', runtimeId: '', left: [] as Left<undefined>[], cut: 0 };
test.after.always(() => rm(way.folder, { recursive: true, force: true }));

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
  way.folder = await realpath(await mkdtemp(join(tmpdir(), 'crash-later-')));
  const root = join(way.folder, 'way');
  await mkdir(root, { mode: 0o700 });
  const first = await openInProcess(t, root, { flags });
  way.runtimeId = await new LaterClient(first).study();
  await first.stop();

  const life = new CopiedLife({ root, copies: way.folder, isWanted: isDeadly, known: () => undefined });
  let isCounted = false;
  const host = await openInProcess(t, root, { flags, points: (name) => isCounted && life.point(name) });
  isCounted = true;
  const client = new LaterClient(host);
  await client.finish(way.runtimeId);
  isCounted = false;
  way.left = life.left;
  checkPairs(t, await client.journal(way.runtimeId));
  await host.stop();
  t.log(life.passed.join(' '));
  t.true(life.passed.length >= 20);
});

/** Goes on with what a death left, finishes it and looks at all of it. */
async function liveOnFrom(t: ExecutionContext, { root, point }: Left<undefined>): Promise<void> {
  const host = await openInProcess(t, root, { flags });
  const client = new LaterClient(host);
  await client.finish(way.runtimeId);
  const journal = await client.journal(way.runtimeId);
  checkPairs(t, journal);
  await host.stop();
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
  const cut = journal.filter(({ type }) => type === 'caption.production_failed').length;
  way.cut += cut;
  t.log(`died at ${point}${cut === 0 ? '' : ', which cut the captions'}`);
}

test.serial(
  'a host that dies after any commit between approval and withdrawal leaves nothing open and no approval burnt',
  async (t) => {
    await inTwoLanes(way.left, (left) => liveOnFrom(t, left));
  },
);

test.serial('some of the deaths came while captions were made', (t) => {
  t.true(way.cut > 0);
});
