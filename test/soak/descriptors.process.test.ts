import { execFileSync } from 'node:child_process';
import { mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { errorCodes } from '../../contract/base/errors.ts';
import { checkDataRoot, checkJournal, checkRuntimes } from '../crash/checks.ts';
import { CrashClient, knownNow, nothingPromised, type Promised } from '../crash/client.ts';
import { startHost } from '../crash/host-process.ts';
import { mediaNumber } from '../crash/media.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

/** How many are left in each round, so that they run out at another step: a connection, an upload, a folder, a tool. */
const left = [0, 1, 2, 3, 4, 5, 6, 8, 10, 14];

/** The wire reports a fault with a closed code; the client reports a connection that failed to open. */
const codeIn = (end: string): string | null => /"code":"(\w+)"/.exec(end)?.[1] ?? null;

test('a host that has no descriptors left refuses with closed codes, and works on as soon as there are some', async (t) => {
  t.timeout(900_000, 'a few uploads and studies');
  const root = join(await realpath(await scratchFolder(t)), 'data');
  await mkdir(root, { mode: 0o700 });
  const host = await startHost(t, root);
  const pid = host.announced?.pid ?? 0;
  const limit = (soft: number | string) => execFileSync('prlimit', ['--pid', `${pid}`, `--nofile=${soft}:`]);
  const before = nothingPromised(0, mediaNumber(0));
  await new CrashClient(host).drive(before);
  const descriptors = async () => (await readdir(`/proc/${pid}/fd`)).length;
  const usual = await descriptors();
  const met: Promised[] = [];
  for (const [round, free] of left.entries()) {
    const promised = nothingPromised(round + 1, mediaNumber(round + 1));
    met.push(promised);
    let end = 'whole';
    limit(usual + free);
    const working = new CrashClient(host).drive(promised).catch((error: unknown) => {
      end = error instanceof Error ? error.message : String(error);
    });
    await Promise.race([working, delay(20_000), host.ended]);
    if ((await Promise.race([host.ended, delay(100, 'alive')])) !== 'alive') {
      return t.fail(`with ${free} descriptors left the host ended: ${host.reported().join('\n')}`);
    }
    limit(4096);
    await working;
    t.log(`${free} descriptors left: ${end.slice(0, 160)}`);
    const code = codeIn(end);
    if (code !== null) t.true(Object.hasOwn(errorCodes, code), end);
    t.false(end.includes('the host died'), end);
  }
  const after = nothingPromised(left.length + 1, mediaNumber(left.length + 1));
  await new CrashClient(host).drive(after);
  for (const each of [before, after]) checkJournal(t, each);
  for (const each of met.map(knownNow)) if (each.isTerminal) await new CrashClient(host).finish(each);
  await delay(1000);
  t.true((await descriptors()) <= usual + 8, `${await descriptors()} descriptors are open, ${usual} were`);
  t.is(await host.stop(), 0, host.reported().join('\n'));
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
});
