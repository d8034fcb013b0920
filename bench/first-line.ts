import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Figure, Row } from './figure.ts';
import { type ReadyProcess, repository, startHost, startSources } from './host-process.ts';
import { inTurn, quantity } from './measuring.ts';

const run = promisify(execFile);

/** The last commit whose start compiled its sources each time. */
const compiling = 'cc86714';
const rounds = 9;
const atMost = 0.35;

export const firstLine: Row = {
  name: 'first-line',
  measures:
    'The time from the start of the process to its line on stdout, against an earlier version that compiled its sources at each start.',
  grows: 'With the loaded code, not with the data root.',
  async measure(folder) {
    const { sources, madeOf } = await earlierSources(folder);
    const [ours, theirs] = [`${folder}/ours`, `${folder}/theirs`];
    const times = await inTurn(
      rounds,
      () => untilReady(() => startHost(ours)),
      () => untilReady(() => startSources(sources, theirs)),
      1,
    );
    const ratio = times.measured / times.reference;
    const figure: Figure = {
      figure: 'start of a used data root to the JSON line',
      measured: quantity(times.measured, 'ms'),
      reference: `${quantity(times.reference, 'ms')} ${madeOf}`,
      ratio,
      mustReach: `<= ${atMost} x compiled at the start`,
      reached: ratio <= atMost,
    };
    return [figure];
  },
};

/** The sources as they were, with the packages of today; today's own in a clone without that history. */
async function earlierSources(folder: string): Promise<{ sources: string; madeOf: string }> {
  const sources = `${folder}/sources`;
  const archive = `${folder}/sources.tar`;
  try {
    await run('git', ['archive', '--output', archive, compiling], { cwd: repository });
  } catch {
    return { sources: repository, madeOf: 'of these sources, compiled' };
  }
  await mkdir(sources);
  await run('tar', ['-xf', archive, '-C', sources]);
  await symlink(path.join(repository, 'node_modules'), path.join(sources, 'node_modules'));
  return { sources, madeOf: `of ${compiling}, compiled` };
}

async function untilReady(start: () => Promise<ReadyProcess>): Promise<number> {
  const from = performance.now();
  const ready = await start();
  const took = performance.now() - from;
  await ready.stop();
  return took;
}
