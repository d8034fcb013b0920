import { ClassicLevel } from 'classic-level';
import { Supervisor } from '../actors/supervision/supervisor.ts';
import { systemClock } from '../actors/supervision/system-clock.ts';
import { TimeBudgets } from '../actors/supervision/time-budgets.ts';
import { transitionKey } from '../actors/supervision/transition-rows.ts';
import { canonicalJson } from '../formats/canonical-json.ts';
import { commitKey, eventKey, headKey, rowKey } from '../storage/ledger/keys.ts';
import { openLedger } from '../storage/ledger/open-ledger.ts';
import { countingKind } from './counting-definition.ts';
import type { Row } from './figure.ts';
import { inTurn, millisecondsOf } from './measuring.ts';
import { standInId } from './recorded-study.ts';

const rounds = 7;
const steps = 200;
const atLeast = 0.4;
const ids = Array.from({ length: 100 }, (_, n) => standInId(n));

export const transitions: Row = {
  name: 'transitions',
  measures:
    'Transitions of supervised actors, each committed and synced, against a bare loop that writes the same rows.',
  grows: 'With the commits. Actors that move at the same time share a commit and its sync.',
  async measure(folder) {
    let batches = 0;
    const times = await inTurn(
      rounds,
      async (round) => {
        const run = await supervised(`${folder}/${round}`);
        batches = run.batches;
        return run.milliseconds;
      },
      (round) => bare(`${folder}/${round}`, `${folder}/${round}-bare`),
      1,
    );
    const rate = (milliseconds: number) => Math.round((ids.length * steps * 1000) / milliseconds);
    const ratio = times.reference / times.measured;
    return [
      {
        figure: `committed transitions, ${ids.length} actors, fsync`,
        measured: `${rate(times.measured)}/s in ${batches} batches`,
        reference: `${rate(times.reference)}/s in ${steps} bare batches`,
        ratio,
        mustReach: `>= ${atLeast} x bare batches`,
        reached: ratio >= atLeast,
      },
    ];
  },
};

async function supervised(directory: string): Promise<{ milliseconds: number; batches: number }> {
  const fatal = (error: Error): never => {
    throw error;
  };
  let batches = 0;
  const points = (name: string) => {
    if (name === 'commit:after') batches += 1;
  };
  const ledger = await openLedger({
    directory,
    clock: systemClock,
    encodeEvent: canonicalJson,
    onFatal: fatal,
    points,
  });
  try {
    const budgets = new TimeBudgets(systemClock);
    const elapsed = () => performance.now();
    const supervisor = new Supervisor({ ledger, clock: systemClock, elapsed, budgets, fatal, report: () => undefined });
    supervisor.register(countingKind);
    await Promise.all(ids.map((id) => supervisor.spawn(countingKind, id, { runtimeId: id }, [])));
    batches = 0;
    const milliseconds = await millisecondsOf(() =>
      Promise.all(
        ids.map(async (id) => {
          for (let step = 0; step < steps; step += 1) await supervisor.send(id, { type: 'step' });
        }),
      ),
    );
    supervisor.stop();
    return { milliseconds, batches };
  } finally {
    await ledger.close();
  }
}

/** Writes the rows that the supervised actors left behind, one synced batch for each step of all of them. */
async function bare(directory: string, copy: string): Promise<number> {
  const level = (path: string) =>
    new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  const source = level(directory);
  const batches: { type: 'put'; key: Buffer; value: Buffer }[][] = [];
  for (let step = 1; step <= steps; step += 1) {
    const keys = [
      commitKey,
      // The first transition of each is the one into its first state.
      ...ids.flatMap((id) => [
        eventKey(id, step),
        headKey(id),
        rowKey('snapshot', id),
        rowKey('transition', transitionKey(id, step + 1)),
      ]),
    ];
    const values = await source.getMany(keys);
    batches.push(
      keys.map((key, at) => {
        const value = values[at];
        if (value === undefined) throw new Error(`the store has no row ${key.toString('utf8')}`);
        return { type: 'put', key, value };
      }),
    );
  }
  await source.close();
  const target = level(copy);
  await target.open();
  try {
    return await millisecondsOf(async () => {
      for (const batch of batches) await target.batch(batch, { sync: true });
    });
  } finally {
    await target.close();
  }
}
