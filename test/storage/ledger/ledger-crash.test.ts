import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { builtProcess } from '../../built-process.ts';
import { openScratchLedger, scratchFolder, seededNumbers } from './scratch.ts';

const runs = ['run:a', 'run:b', 'run:c'];

function startFixture(t: ExecutionContext, name: string, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [builtProcess(`fixtures/storage/${name}`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** Lets the writer run until it has printed `lines` lines (then kills it) or has died; returns what it acknowledged. */
async function runUntilKilled(child: ChildProcess, lines: number): Promise<Map<string, number>> {
  let printed = '';
  let count = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
    count += chunk.filter((byte) => byte === 0x0a).length;
    if (count >= lines) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const acknowledged = new Map<string, number>();
  for (const line of printed.split('\n').slice(0, -1)) {
    const [runId = '', step = ''] = line.split(' ');
    acknowledged.set(runId, Number(step));
  }
  return acknowledged;
}

/** Everything acknowledged is there, and every commit is there as a whole or not at all. */
async function checkStore(t: ExecutionContext, directory: string, acknowledged: Map<string, number>) {
  const ledger = await openScratchLedger(t, directory);
  const steps: number[] = [];
  for (const runId of runs) {
    const row = ledger.get('snapshot', runId);
    const step = typeof row === 'object' && row !== null && 'step' in row ? Number(row.step) : 0;
    t.true(step >= (acknowledged.get(runId) ?? 0), `${runId}: ${step} of ${acknowledged.get(runId)}`);
    t.is(ledger.get('live', runId) ?? 0, step * 2);
    t.is((await ledger.verifyJournal(runId)).seq, step * 2);
    steps.push(step);
  }
  await ledger.close();
  return steps;
}

test('after kill -9 anywhere everything acknowledged is there, and nothing is there by halves', async (t) => {
  const seed = 31337;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  for (let round = 0; round < 3; round += 1) {
    const directory = await scratchFolder(t);
    const acknowledged = await runUntilKilled(startFixture(t, 'commit-forever.ts', [directory]), 30 + below(600));
    t.is(acknowledged.size, runs.length);
    await checkStore(t, directory, acknowledged);
  }
});

test('killed before a batch is written the batch is missing, killed after it the batch is there', async (t) => {
  for (const [point, steps] of [
    ['commit:before', 3],
    ['commit:after', 4],
  ] as const) {
    const directory = await scratchFolder(t);
    const writer = startFixture(t, 'commit-forever.ts', [directory, point, '4']);
    const acknowledged = await runUntilKilled(writer, Number.POSITIVE_INFINITY);
    t.deepEqual([...acknowledged.values()], [3, 3, 3], point);
    t.deepEqual(await checkStore(t, directory, acknowledged), [steps, steps, steps], point);
  }
});

test('a disk that takes no more ends all writing, and keeps what was acknowledged', async (t) => {
  const directory = await scratchFolder(t);
  const command = 'ulimit -f 4096 && exec "$0" "$1" "$2"';
  const child = spawn(
    '/bin/sh',
    ['-c', command, process.execPath, builtProcess('fixtures/storage/commit-until-full.ts'), directory],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  t.teardown(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  });
  await once(child, 'close');
  const { acknowledged, answers, fatal } = JSON.parse(printed);
  t.true(acknowledged > 3);
  t.deepEqual(answers, ['commit_failed', 'commit_failed', 'commit_failed']);
  t.deepEqual(fatal, ['commit_failed']);
  const ledger = await openScratchLedger(t, directory);
  t.is((await ledger.list('record')).length, acknowledged);
  t.is((await ledger.verifyJournal('run')).seq, acknowledged);
  t.is(ledger.get('live', 'later'), undefined);
  await ledger.close();
});
