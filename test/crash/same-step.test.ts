import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { deathLimit, resumeLimit } from '../../actors/supervision/host-deaths.ts';
import { builtProcess } from '../built-process.ts';
import { checkRuntimes } from './checks.ts';

/** What ends work that keeps nothing: the lives beside others, and those alone. */
const deathsAllowed = 1 + resumeLimit + deathLimit;

interface Life {
  readonly signal: NodeJS.Signals | null;
  readonly told: string;
}

/** One host in a process of its own, on the data root that the one before left. */
const live = (dataRoot: string, dies: 'at once' | 'after a window'): Promise<Life> =>
  new Promise((resolve, reject) => {
    const host = builtProcess('test/crash/host-that-dies.ts');
    execFile(process.execPath, [host, dataRoot, dies], (error, told, problems) => {
      if (error === null) resolve({ signal: null, told });
      else if (error.signal === 'SIGKILL') resolve({ signal: error.signal, told });
      else reject(new Error(problems, { cause: error }));
    });
  });

async function livesUntilTheEnd(t: ExecutionContext, root: string, dies: Parameters<typeof live>[1]) {
  for (let deaths = 0; deaths <= 2 * deathsAllowed; deaths += 1) {
    const { signal, told } = await live(root, dies);
    if (signal === null) return { deaths, status: JSON.parse(told) as Record<string, unknown> };
    t.log(`death ${deaths + 1}`);
  }
  throw new Error('the study has not ended');
}

async function dataRoot(t: ExecutionContext): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'same-step-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  return root;
}

test('a step that its host dies in again and again ends its study, with what to do about it', async (t) => {
  t.timeout(900_000, 'nine lives on a busy machine');
  const root = await dataRoot(t);
  const { deaths, status } = await livesUntilTheEnd(t, root, 'at once');
  t.is(deaths, deathsAllowed);
  t.like(status, { lifecycle: 'interrupted', terminal: true });
  t.deepEqual(status.reason, {
    code: 'executor_interrupted',
    message:
      'resumes exhausted: the host died 5 times while this was the only work running; ' +
      'look in the log of the system for why it died (often memory), then begin another attempt',
  });
  await checkRuntimes(t, root);
});

test('a step that keeps a window in each life of its host is never ended by its deaths', async (t) => {
  t.timeout(900_000, 'a life for each window on a busy machine');
  const root = await dataRoot(t);
  const { deaths, status } = await livesUntilTheEnd(t, root, 'after a window');
  t.true(deaths > deathsAllowed, `${deaths} deaths`);
  t.like(status, { lifecycle: 'terminal', reason: null });
  await checkRuntimes(t, root);
});
