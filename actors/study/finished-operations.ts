import {
  mostObservations,
  type ObservedOperation,
  observedOperation,
  type TimedOperation,
  type WorkCohort,
} from '../../contract/study/forecast.ts';
import { hashOf } from '../../formats/canonical-json.ts';
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
  /** Where each cohort that this host has added to goes on. */
  readonly #counters = new Map<string, Promise<{ next: number }>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The row of an operation, for the commit of its result. */
  async noted(cohort: WorkCohort, timed: TimedOperation): Promise<Write> {
    const places = placesOf(cohort);
    const number = await this.#taken(places);
    const place = String(number % mostObservations).padStart(digits, '0');
    const value: ObservedOperation = { cohort, number, timed };
    return { put: 'observation', key: places + place, value };
  }

  /** The finished operations of a cohort, newest first. A row that cannot be read counts as none. */
  async of(cohort: WorkCohort): Promise<TimedOperation[]> {
    return (await this.#rows(placesOf(cohort))).map(({ timed }) => timed);
  }

  /** The next number of a cohort, in the order of the calls: operations that end together wait for one read of its rows. */
  async #taken(places: string): Promise<number> {
    let counter = this.#counters.get(places);
    if (counter === undefined) {
      counter = this.#rows(places).then(([newest]) => ({ next: (newest?.number ?? -1) + 1 }));
      this.#counters.set(places, counter);
      counter.catch(() => this.#counters.delete(places));
    }
    const from = await counter;
    from.next += 1;
    return from.next - 1;
  }

  async #rows(places: string): Promise<ObservedOperation[]> {
    const rows = await this.#ledger.list('observation', places);
    return rows
      .flatMap(({ value }) => observedOperation.safeParse(value).data ?? [])
      .sort((one, other) => other.number - one.number);
  }
}
