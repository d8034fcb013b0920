import { setTimeout as delay } from 'node:timers/promises';
import type { Figure, Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { quantity } from './measuring.ts';
import { memoryOf } from './process-figures.ts';
import { newAttempt, runStudy } from './sample-study.ts';

const restMs = 5_000;
const limit = 150;

export const memoryAtRest: Row = {
  name: 'memory-at-rest',
  measures: 'The memory of the host process at rest.',
  grows: 'Not with the data root: the caches of journals and records have limits.',
  async measure(folder) {
    return withHost(`${folder}/data`, async ({ client, pid }) => {
      await client.read('/v1/source-sessions');
      const started = await atRest(pid, 'after start-up');
      await runStudy(client, await newAttempt(client));
      return [started, await atRest(pid, 'after one study')];
    });
  },
};

async function atRest(pid: number, when: string): Promise<Figure> {
  await delay(restMs);
  const { resident, proportional } = await memoryOf(pid);
  return {
    figure: `memory at rest, ${when}`,
    measured: `${quantity(resident, 'MB')} resident`,
    reference: `${quantity(proportional, 'MB')} proportional share`,
    ratio: null,
    mustReach: `<= ${limit} MB resident`,
    reached: resident <= limit,
  };
}
