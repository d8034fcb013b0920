import type { MediaCapability } from '../../contract/evidence/media-operation.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import {
  mostObservations,
  type ObservedOperation,
  observedOperation,
  type PictureSize,
  type TimedOperation,
  type WorkCohort,
} from '../../contract/study/forecast.ts';
import type { AnalysisRequest } from '../../contract/study/plan.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import type { MediaOperation } from '../../receipts/evidence/media-operation.ts';
import type { Calibration } from '../../rules/forecast.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import { readMediaProbe } from '../sources/source-records.ts';
import type { MediaPasses } from './media-passes.ts';
import { mediaOperationOf, mediaStepNames, mediaTaskOf } from './media-task.ts';

/** The most pixels of each class, ascending; some encoders fill full HD up to 1,088 lines. */
const classes: readonly (readonly [PictureSize, number])[] = [
  ['sd', 720 * 576],
  ['hd', 1280 * 720],
  ['full_hd', 1920 * 1088],
];

function sizeOf(width: number | undefined, height: number | undefined): PictureSize {
  if (width === undefined || height === undefined) return 'unknown';
  return classes.find(([, most]) => width * height <= most)?.[0] ?? 'ultra_hd';
}

/** Operations whose cost depends on the subtitles of a medium. */
const readsSubtitles: Readonly<Record<MediaCapability, boolean>> = { 'media.detect': false, 'media.subtitles': true };

/** Among which operations one over this medium is counted. */
function workCohortOf({ capability, tools }: MediaOperation, { tracks }: MediaProbe): WorkCohort {
  const video = tracks.find((track) => track.type === 'video');
  const audio = tracks.find((track) => track.type === 'audio');
  const subtitles = tracks.flatMap((track) => (track.type === 'subtitle' ? [track.codec] : []));
  return {
    capability,
    detectors: hashOf(tools),
    video: video === undefined ? null : { codec: video.codec, size: sizeOf(video.width, video.height) },
    audioCodec: audio?.codec ?? null,
    subtitleCodecs: readsSubtitles[capability] ? subtitles.sort() : null,
  };
}

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

interface StudyCalibrationOptions extends Pick<HostBasis, 'ledger' | 'objectStore'> {
  readonly passes: Pick<MediaPasses, 'identity'>;
}

/** The times of the operations of this host: every study adds to them, and forecasts may use them. */
export class StudyCalibration {
  readonly #options: StudyCalibrationOptions;
  readonly #finished: FinishedOperations;

  constructor(options: StudyCalibrationOptions) {
    this.#options = options;
    this.#finished = new FinishedOperations(options.ledger);
  }

  /** The row of an operation that really ran, for the commit of its result. Throws `source_revalidation_failed`. */
  async noted(source: RegisteredSource, operation: MediaOperation, timed: TimedOperation): Promise<Write> {
    const probe = await readMediaProbe(this.#options.objectStore, source);
    return this.#finished.noted(workCohortOf(operation, probe), timed);
  }

  /** The finished operations like those of a study, newest first. Throws `source_revalidation_failed`. */
  async of(source: RegisteredSource, request: AnalysisRequest): Promise<Calibration> {
    const { objectStore, passes } = this.#options;
    const probe = await readMediaProbe(objectStore, source);
    return Promise.all(
      mediaStepNames.map(async (step) => {
        const cohort = workCohortOf(mediaOperationOf(passes, mediaTaskOf(step, source, request)), probe);
        return { cohort, observations: await this.#finished.of(cohort) };
      }),
    );
  }
}
