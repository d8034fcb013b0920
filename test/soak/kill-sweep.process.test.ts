import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { checkDataRoot, checkJournal, checkRuntimes } from '../crash/checks.ts';
import { CopiedLife, inTwoLanes, type Left } from '../crash/copied-lives.ts';
import { FullLife, type KnownOfLife, knownOfLifeNow, LifeSurroundings, nothingKnown } from '../crash/full-life.ts';
import { slowClock } from '../crash/slow-clock.ts';

/** Every n-th point is opened; 1 takes them all. */
const stride = Number(process.env.MEDIA_STUDY_TEST_STRIDE ?? 1);
const opened: LifeSurroundings[] = [];
test.after.always(() => Promise.all(opened.map((each) => each.close())));

async function liveOnFrom(t: ExecutionContext, around: LifeSurroundings, left: Left<KnownOfLife>): Promise<void> {
  const { root, point } = left;
  const known = knownOfLifeNow(left.known);
  const host = await around.openHost(t, root, { clock: slowClock });
  try {
    const life = new FullLife(host, { root, page: around.page, known });
    t.deepEqual(await life.askAgain(), [], `told before ${point}`);
    await life.live();
    t.deepEqual(await life.askAgain(), [], `told after ${point}`);
    checkJournal(t, known.upload);
  } catch (cause) {
    throw new Error(`died at ${point}, after ${left.known.done}: ${cause}`, { cause });
  } finally {
    await host.stop();
  }
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
  // A life that goes on behind its backup makes no other.
  for (const folder of [root, `${root}-backup`]) await rm(folder, { recursive: true, force: true });
}

test('a host that dies at any commit or step of a full life loses nothing acknowledged', async (t) => {
  t.timeout(3_600_000, 'a life for each point');
  const around = await LifeSurroundings.open();
  opened.push(around);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'kill-sweep-')));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, 'way');
  await mkdir(root, { mode: 0o700 });
  const known = nothingKnown();
  let passed = 0;
  const life = new CopiedLife({
    root,
    copies: folder,
    known: () => knownOfLifeNow(known),
    isWanted: () => passed++ % stride === 0,
  });
  const host = await around.openHost(t, root, { points: life.point, clock: slowClock });
  await new FullLife(host, { root, page: around.page, known }).live();
  await host.stop();
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
  const names = [...new Set(life.passed)].sort();
  t.log(names.map((name) => `${name} ${life.passed.filter((each) => each === name).length}`).join(', '));
  let gone = 0;
  await inTwoLanes(life.left, async (left) => {
    await liveOnFrom(t, around, left);
    gone += 1;
    if (gone % 10 === 0) process.stderr.write(`${gone} of ${life.left.length} deaths\n`);
  });
  t.log(
    `${life.passed.length} points, ${life.left.length} deaths, after every step: ${[...new Set(life.left.map(({ known: { done } }) => done))].join(', ')}`,
  );
});
