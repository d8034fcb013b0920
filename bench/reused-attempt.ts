import type { Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { inTurn, millisecondsOf, quantity } from './measuring.ts';
import { newAttempt, runStudy } from './sample-study.ts';

const rounds = 15;
const allowanceMs = 100;

export const reusedAttempt: Row = {
  name: 'reused-attempt',
  measures: 'A second attempt over a range with stored evidence, against one poll of an ended journal.',
  grows: 'With the reads and claims of the study, not with the length of its range.',
  async measure(folder) {
    return withHost(`${folder}/data`, async ({ client }) => {
      const runtimeId = await runStudy(client, await newAttempt(client));
      const times = await inTurn(
        rounds,
        async () => {
          const request = await newAttempt(client);
          return millisecondsOf(() => runStudy(client, request));
        },
        () => millisecondsOf(() => client.read(`/v1/runtimes/${runtimeId}/events?after=0&limit=200`)),
        2,
      );
      return [
        {
          figure: 'new attempt over the same range, start to terminal',
          measured: quantity(times.measured, 'ms'),
          reference: `${quantity(times.reference, 'ms')} one poll`,
          ratio: null,
          mustReach: `<= one poll + ${allowanceMs} ms`,
          reached: times.measured <= times.reference + allowanceMs,
        },
      ];
    });
  },
};
