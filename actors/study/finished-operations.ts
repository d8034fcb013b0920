import {
  mostObservations,
  type ObservedOperation,
  observedOperation,
  type TimedOperation,
  type WorkCohort,
} from '../../contract/study/forecast-calibration.ts';
import { hashOf } from '../../receipts/core/canonical-json.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';

const digits = String(mostObservations - 1).length;

/** The rows of a cohort: as many places as operations count, which are used in turn. */
const placesOf = (cohort: WorkCohort): string => `${hashOf(cohort)}/`;

/**
 * How long finished operations took, as the ledger keeps it. The rows name no runtime, source or medium: they stay when these are
 * deleted, and a cohort has a fixed number of them.
 */
export class FinishedOperations {
  readonly #ledger: Ledger;
  /** The next number of each cohort that this host has added to. */
  readonly #next = new Map<string, number>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The row of an operation, for the commit of its result. */
  async noted(cohort: WorkCohort, timed: TimedOperation): Promise<Write> {
    const places = placesOf(cohort);
    const stored = this.#next.has(places) ? [] : await this.#rows(places);
    // Operations that end together wait for the same rows; from here on each takes a number of its own.
    const number = this.#next.get(places) ?? (stored[0]?.number ?? -1) + 1;
    this.#next.set(places, number + 1);
    const place = String(number % mostObservations).padStart(digits, '0');
    const value: ObservedOperation = { cohort, number, timed };
    return { put: 'observation', key: places + place, value };
  }

  /** The finished operations of a cohort, newest first. A row that cannot be read counts as none. */
  async of(cohort: WorkCohort): Promise<TimedOperation[]> {
    return (await this.#rows(placesOf(cohort))).map(({ timed }) => timed);
  }

  async #rows(places: string): Promise<ObservedOperation[]> {
    const rows = await this.#ledger.list('observation', places);
    return rows
      .flatMap(({ value }) => observedOperation.safeParse(value).data ?? [])
      .sort((one, other) => other.number - one.number);
  }
}
