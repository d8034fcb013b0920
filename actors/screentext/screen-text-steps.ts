import { failureMessage } from '../../contract/base/failure.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import { type KeptScreenText, keptScreenText } from '../../contract/screentext/screen-text-operation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { DetectionFailure } from '../../executors/detector/detection-failure.ts';
import { ProcessFailure } from '../../executors/process/process.ts';
import type { EffectOutcome } from '../../machines/commit-emission.ts';
import type { StudyInput } from '../../machines/study-types.ts';
import type { StoredContent } from '../../receipts/core/stored-content.ts';
import { readReceipt } from '../../receipts/core/stored-receipt.ts';
import { furtherShape } from '../../receipts/evidence/check-evidence.ts';
import { encodeFurther } from '../../receipts/evidence/detected-evidence.ts';
import {
  type ScreenReading,
  screenTextCompleted,
  screenTextFailed,
  screenTextRequestOf,
  screenTextStarted,
} from '../../receipts/screentext/screen-text-operation.ts';
import type { EventDraft, Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { LiveProgress } from '../reopening/live-progress.ts';
import { readStudy, type StudyRow, studyBudgetMs } from '../reopening/study-row.ts';
import { mediaGone } from '../sources/source-files.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import type { ProgressBoard } from '../supervision/progress-board.ts';
import type { ScreenTexts } from './screen-texts.ts';

export interface ScreenTextStepsOptions {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  /** Reads the evidence of the steps before. */
  readonly content: StoredContent;
  readonly registry: SourceRegistry;
  /** Null on a host without a reader. */
  readonly screenTexts: ScreenTexts | null;
  readonly progress: LiveProgress;
  readonly board: Pick<ProgressBoard, 'note' | 'forget'>;
  /** Told whenever a study keeps a part of a step behind which a next host goes on. */
  readonly moved: (runtimeId: string) => void;
  readonly report: (line: string) => void;
}

/** What an earlier reading with the same key left, or this one found. */
interface Result {
  readonly kept: KeptScreenText['screenText'];
  readonly found: FurtherArtifact | null;
  readonly reused: boolean;
}

/** The step that has the text on the screen of a study read. A reader that fails leaves the study without it. */
export class ScreenTextSteps {
  readonly #options: ScreenTextStepsOptions;

  constructor(options: ScreenTextStepsOptions) {
    this.#options = options;
  }

  /** Whether the screen of a study is to be read: it was accepted for that, and the host still has a recogniser. */
  isFor(runtimeId: string): boolean {
    const { ledger, screenTexts } = this.#options;
    return screenTexts !== null && readStudy(ledger, runtimeId).ids.screenTextGrantId !== undefined;
  }

  /** What the journal says before the reader runs. */
  started(study: StudyRow): readonly EventDraft[] {
    const reading = this.#reading(study);
    return reading === null ? [] : [screenTextStarted(study, reading)];
  }

  async readScreen({ runtimeId }: StudyInput, signal: AbortSignal): Promise<EffectOutcome> {
    const { ledger, objectStore, progress } = this.#options;
    const study = readStudy(ledger, runtimeId);
    const begun = progress.of(runtimeId).openReading;
    const reading = sameOr(study, begun, this.#reading(study));
    const renewed = renewal(study, begun, reading);
    if (reading === null) return { events: renewed, writes: [] };
    const { operationKey } = screenTextRequestOf(study, reading);
    const { sourceContentId } = study.record.analysisRequest;
    try {
      const result = (await this.#known(operationKey)) ?? (await this.#run(study, reading, signal));
      const { step } = screenTextCompleted(study, reading, result);
      await objectStore.putAll(step.objects);
      const value: KeptScreenText = { sourceContentId, screenText: result.kept };
      return {
        events: [...renewed, ...step.events],
        writes: result.reused ? [] : [{ put: 'operation', key: operationKey, value }],
      };
    } catch (error) {
      signal.throwIfAborted();
      return { events: [...renewed, screenTextFailed(study, reading, failureOf(error))], writes: [] };
    }
  }

  /** How this host would have the screen of a study read; null where it has no reader. */
  #reading(study: StudyRow): ScreenReading | null {
    const { screenTexts, progress } = this.#options;
    if (screenTexts === null) return null;
    const { analysisRequest, runtimeId } = study.record;
    return {
      producer: screenTexts.producer(this.#source(study)),
      limits: { maxWallMs: studyBudgetMs(analysisRequest.range) },
      keyframesFrom: progress.of(runtimeId).keyframesFrom,
    };
  }

  async #known(operationKey: string): Promise<Result | null> {
    const { ledger, objectStore, report } = this.#options;
    const [row] = await ledger.getMany('operation', [operationKey]);
    const kept = keptScreenText.safeParse(row).data?.screenText;
    if (kept === undefined) return null;
    if (kept.state === 'unavailable') return { kept, found: null, reused: true };
    const state = await objectStore.verify(kept.contentId);
    if (state === 'intact') return { kept, found: await this.#artifact(kept.contentId), reused: true };
    report(`stored evidence ${kept.contentId} is ${state}; the operation runs again`);
    if (state === 'damaged') await objectStore.quarantine(kept.contentId);
    return null;
  }

  async #artifact(contentId: string): Promise<FurtherArtifact> {
    const { body } = await readReceipt(furtherShape, this.#options.content, contentId);
    return body;
  }

  async #run(study: StudyRow, { keyframesFrom }: ScreenReading, signal: AbortSignal): Promise<Result> {
    const { objectStore, screenTexts, board, moved } = this.#options;
    if (screenTexts === null) throw new RangeError('this host has no reader of the screen');
    const { runtimeId, analysisRequest: request } = study.record;
    const [named] = keyframesFrom;
    const keyframes = named === undefined ? null : await this.#artifact(named.contentId);
    const total = request.range.endMs - request.range.startMs;
    const work = { source: this.#source(study), request, keyframes, signal };
    const found = await screenTexts
      .find({
        ...work,
        kept: () => moved(runtimeId),
        read: (completed) => board.note(runtimeId, { stage: 'readScreen', completed, total, unit: 'milliseconds' }),
      })
      .finally(() => board.forget(runtimeId));
    if (typeof found === 'string') {
      return { kept: { state: 'unavailable', reasonCode: found }, found: null, reused: false };
    }
    const { object, result } = encodeFurther(found);
    await objectStore.putAll([object]);
    const { contentId, bytes } = result;
    return { kept: { state: 'available', contentId, bytes }, found, reused: false };
  }

  #source({ record }: StudyRow): RegisteredSource {
    const source = this.#options.registry.revision(record.sourceSession.revisionId);
    if (source === undefined) throw mediaGone;
    return source;
  }
}

/** What an earlier host began goes on as it was begun, with the version that it was begun by, if the same would be read now. */
function sameOr(study: StudyRow, begun: ScreenReading | null, now: ScreenReading | null): ScreenReading | null {
  if (begun === null || now === null) return now;
  const [one, other] = [begun, now].map((each) => screenTextRequestOf(study, each).operationKey);
  return one === other ? begun : now;
}

/** A receipt names who reads: what an earlier host began with another reader is given up, and begun anew. */
function renewal(study: StudyRow, begun: ScreenReading | null, reading: ScreenReading | null): readonly EventDraft[] {
  if (begun === null) return reading === null ? [] : [screenTextStarted(study, reading)];
  if (begun === reading) return [];
  const gaveUp = screenTextFailed(study, begun, {
    code: 'executor_interrupted',
    message: 'who reads the screen on the host, or how it is set, changed after the reading had begun',
  });
  return reading === null ? [gaveUp] : [gaveUp, screenTextStarted(study, reading)];
}

/** Why a reader came to nothing. What is no failure of it is thrown on. */
function failureOf(error: unknown): { readonly code: 'executor_failed'; readonly message: string } {
  if (error instanceof ProcessFailure || error instanceof DetectionFailure) {
    return { code: 'executor_failed', message: failureMessage(error.message) };
  }
  throw error;
}
