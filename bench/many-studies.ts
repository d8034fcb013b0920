import type { Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { inTurn, millisecondsOf, quantity } from './measuring.ts';
import { newAttempt, runStudy } from './sample-study.ts';

const rounds = 3;
const together = 8;
const rangeMs = 6000;
const atMost = 0.9;

export const manyStudies: Row = {
  name: 'many-studies',
  measures: 'Many studies at once, each of a range of its own, against the same studies one after the other.',
  grows: 'Linear in all ranges: as many studies run at once as there are cores, and the others wait.',
  async measure(folder) {
    return withHost(`${folder}/data`, async ({ client }) => {
      let shiftMs = 0;
      // A range that was studied before would be read from its evidence.
      const requests = () => {
        shiftMs += 1;
        const starts = Array.from({ length: together }, (_, at) => at * rangeMs + shiftMs);
        return Promise.all(starts.map((startMs) => newAttempt(client, { startMs, endMs: startMs + rangeMs })));
      };
      const times = await inTurn(
        rounds,
        async () => {
          const all = await requests();
          return millisecondsOf(() => Promise.all(all.map((request) => runStudy(client, request))));
        },
        async () => {
          const all = await requests();
          return millisecondsOf(async () => {
            for (const request of all) await runStudy(client, request);
          });
        },
        1,
      );
      const ratio = times.measured / times.reference;
      return [
        {
          figure: `${together} studies of ${rangeMs / 1000} s at once`,
          measured: quantity(times.measured, 'ms'),
          reference: `${quantity(times.reference, 'ms')} one after the other`,
          ratio,
          mustReach: `<= ${atMost} x one after the other`,
          reached: ratio <= atMost,
        },
      ];
    });
  },
};
