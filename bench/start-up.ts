import type { Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { inTurn, quantity } from './measuring.ts';
import { copyDataRoot, type RecordedStudy, recordStudy, standInId, studyCopies, withLedger } from './recorded-study.ts';

const rounds = 5;
const stored = 10_000;
const studiesPerCommit = 20;
const atMost = 1.3;

export const startUp: Row = {
  name: 'start-up',
  measures: 'The time from the start of the process to the first answer, with many finished runtimes and with none.',
  grows: 'With the live work, not with the ended work.',
  async measure(folder) {
    const [full, empty] = [`${folder}/full`, `${folder}/empty`];
    // The empty root has been used before as well: it has its folders, its sources and its tools.
    await startedIn(empty);
    await copyDataRoot(empty, full);
    await fill(full, await recordStudy(`${folder}/recorded`));
    // The first start, with which the store settles after all that writing, does not count.
    const times = await inTurn(
      rounds,
      () => startedIn(full),
      () => startedIn(empty),
      1,
    );
    const ratio = times.measured / times.reference;
    return [
      {
        figure: `start-up to first 200 with ${stored} finished runtimes`,
        measured: quantity(times.measured, 'ms'),
        reference: `${quantity(times.reference, 'ms')} with none`,
        ratio,
        mustReach: `<= ${atMost} x with none`,
        reached: ratio <= atMost,
      },
    ];
  },
};

/** Stores the rows of finished runtimes; their objects in the object store are left out, a start does not look at them. */
async function fill(dataRoot: string, study: RecordedStudy): Promise<void> {
  const copyOf = studyCopies(study);
  await withLedger(dataRoot, async (ledger) => {
    for (let from = 0; from < stored; from += studiesPerCommit) {
      const ids = Array.from({ length: studiesPerCommit }, (_, n) => standInId(from + n));
      await ledger.commit(ids.flatMap(copyOf));
    }
  });
}

async function startedIn(dataRoot: string): Promise<number> {
  const from = performance.now();
  return withHost(dataRoot, async ({ client }) => {
    await client.read('/v1/source-sessions');
    return performance.now() - from;
  });
}
