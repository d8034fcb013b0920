import { mostObservations, observedOperation } from '../contract/study/forecast.ts';
import { chanceOf, whole } from '../fixtures/chance.ts';
import { calibratedScenarios, calibrationOf } from '../rules/forecast.ts';
import type { Ledger } from '../storage/ledger/ledger.ts';
import type { Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { withLedger } from './recorded-study.ts';
import { newAttempt, runStudy } from './sample-study.ts';

/** As many as are kept: of fewer, one in seven runs would miss by chance. */
const studies = mostObservations;
const sampleMs = 50_000;

/** Operations that finished after five like them, and how many of these took a time within their interval. */
interface Coverage {
  readonly forecast: number;
  readonly held: number;
}

/** Holds every finished operation of a ledger against the interval that those before it had made. */
async function coverageOf(ledger: Ledger): Promise<Coverage> {
  const rows = (await ledger.list('observation')).map(({ value }) => observedOperation.parse(value));
  const inOrder = rows.toSorted((one, other) => one.number - other.number);
  const forecast = inOrder.flatMap(({ cohort, number, timed }) => {
    if (cohort.capability !== 'media.detect') return [];
    const observations = inOrder
      .filter((each) => JSON.stringify(each.cohort) === JSON.stringify(cohort) && each.number < number)
      .map((each) => each.timed);
    const range = { startMs: 0, endMs: timed.mediaMs };
    const calibration = calibrationOf(range, [{ cohort, observations: observations.toReversed() }]);
    if (calibration === null) return [];
    const [operation] = calibratedScenarios(range, calibration).expected.workload.operations;
    return operation === undefined ? [] : [operation.lowMs <= timed.workMs && timed.workMs <= operation.highMs];
  });
  return { forecast: forecast.length, held: forecast.filter((isHeld) => isHeld).length };
}

export const forecastCoverage: Row = {
  name: 'forecast-coverage',
  measures:
    'How often the interval of a forecast had the time of a real pass, over ranges of 8 to 25 seconds of the sample.',
  grows: 'With the number of studies, one after the other.',
  async measure(folder) {
    const dataRoot = `${folder}/data`;
    const chance = chanceOf(5);
    await withHost(dataRoot, async ({ client }) => {
      for (let at = 0; at < studies; at += 1) {
        const lengthMs = whole(chance, 8000, 25_000);
        const startMs = whole(chance, 0, sampleMs - lengthMs);
        const request = await newAttempt(client);
        await runStudy(client, { ...request, range: { startMs, endMs: startMs + lengthMs } });
      }
    });
    const { forecast, held } = await withLedger(dataRoot, coverageOf);
    const share = forecast === 0 ? null : held / forecast;
    return [
      {
        figure: 'decoding passes that took a time within the interval forecast for four of five',
        measured: `${held} of ${forecast}`,
        reference: 'the passes before each on the same host',
        ratio: share,
        mustReach: '0.7 to 0.9',
        reached: share !== null && share >= 0.7 && share <= 0.9,
      },
    ];
  },
};
