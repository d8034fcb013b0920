import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Clock } from '../../contract/base/clock.ts';
import { errorCodes } from '../../contract/base/errors.ts';
import { checkDataRoot, checkJournal, checkRuntimes } from '../crash/checks.ts';
import { CrashClient, knownNow, nothingPromised, type Promised } from '../crash/client.ts';
import { startHost } from '../crash/host-process.ts';
import { mediaNumber } from '../crash/media.ts';
import { slowClock } from '../crash/slow-clock.ts';
import { Standstill } from '../crash/standstill.ts';
import { openInProcess } from '../host/host-in-process.ts';
import { scratchFolder, seededNumbers } from '../storage/ledger/scratch.ts';

const rounds = Number(process.env.MEDIA_STUDY_TEST_INJECTIONS ?? 200);
const below = seededNumbers(Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_123));

const calls = [
  'openat',
  'write,pwrite64,writev',
  'fsync,fdatasync',
  'rename,renameat,renameat2',
  'unlink,unlinkat',
] as const;
/** Each thread counts for itself. Most calls that change files are made by four threads in turn, so each makes few of them. */
const mostOf: Readonly<Record<(typeof calls)[number], number>> = {
  openat: 60,
  'write,pwrite64,writev': 60,
  'fsync,fdatasync': 15,
  'rename,renameat,renameat2': 8,
  'unlink,unlinkat': 8,
};
const faults = ['error=EIO', 'error=ENOSPC', 'error=EMFILE', 'error=EROFS', 'signal=SIGKILL'] as const;

interface Injection {
  readonly call: (typeof calls)[number];
  readonly fault: (typeof faults)[number];
  readonly nth: number;
}

const injectionText = ({ call, fault, nth }: Injection): string => `${fault} at ${call} ${nth}`;

/** Has the kernel refuse the nth call of each thread of a process, and of what that starts, or end the process there. */
async function inject(pid: number, { call, fault, nth }: Injection): Promise<ChildProcess> {
  const what = ['-e', `trace=${call}`, '-e', `inject=${call}:${fault}:when=${nth}`];
  const strace = spawn('strace', ['-f', '-q', '-o', '/dev/null', ...what, '-p', `${pid}`], { stdio: 'ignore' });
  await delay(300);
  return strace;
}

/**
 * Ends a tracer, so that a signal to the host is the host's: one that comes while the tracer lets go is lost. A tracer that waits for
 * a process of several threads that was ended waits for ever; the kernel lets go in its place.
 */
async function releaseTraced(strace: ChildProcess): Promise<void> {
  if (strace.exitCode !== null || strace.signalCode !== null) return;
  const gone = once(strace, 'exit');
  strace.kill('SIGINT');
  const late = setTimeout(() => strace.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(late);
}

/** One host that meets a fault while a client works, and one after it that has to go on without a hand. */
async function live(t: ExecutionContext, root: string, injection: Injection, promised: Promised): Promise<string> {
  const host = await startHost(t, root);
  const strace = await inject(host.announced?.pid ?? 0, injection);
  const working = new CrashClient(host).drive(promised).then(
    () => 'nothing noticed',
    (error: unknown) => {
      // For every refused call the client learns of it, or of the end of the host.
      if (error instanceof Standstill) t.fail(`${injectionText(injection)}: ${error.message}`);
      return error instanceof Error ? error.message : String(error);
    },
  );
  await Promise.race([working, host.ended]);
  await releaseTraced(strace);
  const ended = await host.stop();
  const words = host.reported().join('\n');
  // A host may end if its storage fails. It gives the reason, and no unforeseen error ends it.
  t.notRegex(words, /^Node\.js v\d/m, `${injectionText(injection)}: ${words}`);
  return ended === 0 ? working : `${await working} (${ended}: ${host.reported().at(-1)})`;
}

/**
 * An error of the wire is of the closed set; a client's error about a closed connection is not an answer. A refusal by
 * the system is not a fault of the program.
 */
function checkEnd(t: ExecutionContext, injection: Injection, end: string): void {
  const [, status, code] = /^answered (\d{3}): .*"code":"(\w+)"/.exec(end) ?? [];
  if (status === undefined) return;
  t.true(Object.hasOwn(errorCodes, code ?? ''), `${injectionText(injection)}: ${end}`);
  t.not(code, 'internal_failure', `${injectionText(injection)}: ${end}`);
}

test('whatever call the system refuses, nothing acknowledged is lost, and the next host goes on without a hand', async (t) => {
  t.timeout(7_200_000, 'two hosts for each fault');
  const folder = await realpath(await scratchFolder(t));
  const ends = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const root = join(folder, `root-${round}`);
    await mkdir(root, { mode: 0o700 });
    const call = calls[round % calls.length] ?? calls[0];
    const fault = faults[Math.floor(round / calls.length) % faults.length] ?? faults[0];
    const injection: Injection = { call, fault, nth: 1 + below(mostOf[call]) };
    const promised = nothingPromised(round, mediaNumber(round));
    const end = await live(t, root, injection, promised);
    checkEnd(t, injection, end);
    const known = knownNow(promised);
    const host = await openInProcess(t, root, { clock: slowClock });
    const client = new CrashClient(host);
    const outcome = await goOn(client, known).catch((cause: unknown) => {
      throw new Error(`after ${injectionText(injection)}, which ended with ${end}: ${cause}`, { cause });
    });
    await host.stop();
    // A study may have been ended by the fault, with its reason in the journal.
    if (outcome === 'whole' && known.events.at(-1)?.includes('"status":"completed"')) checkJournal(t, known);
    await checkDataRoot(t, root);
    await checkRuntimes(t, root);
    const what = `${injection.fault}: ${end === 'nothing noticed' ? end : end.slice(0, 160).replaceAll(/[0-9a-f-]{36}/g, '…')} → ${outcome}`;
    ends.set(what, (ends.get(what) ?? 0) + 1);
    await rm(root, { recursive: true });
    process.stderr.write(`${round + 1}: ${injectionText(injection)}: ${what}\n`);
  }
  for (const [what, count] of ends) t.log(`${count} × ${what}`);
});

/** Continues the promised work. A study or an ingest may have ended with a code, which reported the fault. */
async function goOn(client: CrashClient, known: Promised): Promise<string> {
  try {
    if (known.ingestId === null) return 'nothing promised';
    await client.finish(known);
    return 'whole';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, code] = /the ingest failed: (\w+)/.exec(message) ?? [];
    if (code !== undefined) return `ingest failed: ${code}`;
    if (known.runtime === null || !known.isTerminal) throw error;
    return 'whole';
  }
}

test('a clock that is set back an hour leaves times of journals in order and work going on', async (t) => {
  t.timeout(300_000, 'two hosts');
  const folder = await realpath(await scratchFolder(t));
  const root = join(folder, 'data');
  const [first, second] = [nothingPromised(1, mediaNumber(1)), nothingPromised(2, mediaNumber(2))];
  let shift = 0;
  const clock: Clock = { ...slowClock, now: () => slowClock.now() + shift };
  const host = await openInProcess(t, root, { clock });
  const client = new CrashClient(host);
  await client.drive(first);
  shift = -3_600_000;
  await client.finish(first);
  await client.drive(second);
  for (const each of [first, second]) checkJournal(t, each);
  await host.stop();
  shift = -7_200_000;
  const again = await openInProcess(t, root, { clock });
  await new CrashClient(again).finish(second);
  await again.stop();
  await checkRuntimes(t, root);
});

test('a file system that is full, and one that takes no more, refuse with their codes and harm nothing', async (t) => {
  t.timeout(300_000, 'three hosts');
  const folder = await realpath(await scratchFolder(t));
  const mount = join(folder, 'small');
  await mkdir(mount);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1g,mode=700', 'none', mount]);
  } catch {
    t.log('this user may not mount');
    t.pass();
    return;
  }
  t.teardown(() => void execFileSync('umount', ['-l', mount]));
  const root = join(mount, 'data');
  const first = nothingPromised(1, mediaNumber(1));
  const host = await startHost(t, root);
  await new CrashClient(host).drive(first);
  execFileSync('sh', ['-c', `cat /dev/zero > ${mount}/ballast 2>/dev/null || true`]);
  const full = await new CrashClient(host)
    .drive(nothingPromised(2, mediaNumber(2)))
    .catch((error: unknown) => String(error));
  t.log(`full: ${String(full).slice(0, 200)}`);
  t.regex(String(full), /insufficient_storage|the host died|fetch failed/);
  execFileSync('rm', [join(mount, 'ballast')]);
  await host.stop();
  const again = await startHost(t, root);
  await new CrashClient(again).finish(first);
  const third = nothingPromised(3, mediaNumber(3));
  await new CrashClient(again).drive(third);
  checkJournal(t, third);
  t.is(await again.stop(), 0);
  // The kernel takes no file system away from a host that writes to it.
  execFileSync('mount', ['-o', 'remount,ro', mount]);
  const readOnly = await startHost(t, root);
  t.is(readOnly.announced, null);
  t.log(`read-only: exit ${await readOnly.ended}, ${readOnly.reported().at(-1)}`);
  t.regex(readOnly.reported().join('\n'), /storage_read_only/);
  execFileSync('mount', ['-o', 'remount,rw', mount]);
  const last = await startHost(t, root);
  for (const each of [first, third]) await new CrashClient(last).finish(each);
  t.is(await last.stop(), 0);
  await cp(root, join(folder, 'copy'), { recursive: true });
  await checkRuntimes(t, join(folder, 'copy'));
});
