import { type ErrorCode, ServiceError } from '../../contract/base/errors.ts';
import type {
  CaptionChunkAnswer,
  CaptionProductionResults,
  CaptionProductions,
  CaptionQualityControls,
} from '../../contract/captions/caption-answers.ts';
import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import {
  type CaptionProductionRequest,
  captionCauses,
  maximumCaptionAttempts,
} from '../../contract/captions/caption-production.ts';
import type { CaptionForm, ShownCorrections } from '../../contract/captions/correction.ts';
import type { CaptionGuidelines } from '../../contract/captions/guideline-report.ts';
import type { CaptionQualityReports, QualityControlRequest } from '../../contract/captions/quality-control.ts';
import { firstWordOf } from '../../contract/causes/stored-failures.ts';
import { wireText } from '../../contract/causes/wording.ts';
import { firstDifference } from '../../formats/canonical-json.ts';
import type { CaptionProductionInput } from '../../machines/caption-production.ts';
import { type CaptionJob, captionJobIdOf, textToTranslateOf } from '../../receipts/captions/artifact.ts';
import { captionObstacleOf } from '../../receipts/captions/captioned-study.ts';
import { draftBaseOf, noCorrections } from '../../receipts/captions/corrected-lines.ts';
import { type CaptionAbility, captionProspectBySteps, captionsAreOff } from '../../receipts/captions/prospect.ts';
import { candidateOf } from '../../receipts/captions/quality-control.ts';
import { chunkOf } from '../../receipts/captions/stored-captions.ts';
import { webVttOf } from '../../receipts/captions/webvtt.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import {
  acceptedCaptionsOf,
  approvedStudyOf,
  publishedCaptionReportsOf,
  publishedCaptionsOf,
  publishedGuidelinesOf,
  publishedQualityControlsOf,
} from '../../receipts/published/captions.ts';
import { runtimeListOf } from '../../receipts/published/runtime.ts';
import { captionStarted } from '../../receipts/stages/captions.ts';
import { correctionsObstacle } from '../../receipts/stages/correction.ts';
import { Semaphore } from '../../storage/keyed-mutex.ts';
import { indexKey } from '../../storage/ledger/keys.ts';
import type { TranslatingEngines } from '../engines/engine-choices.ts';
import type { HostBasis } from '../host-basis.ts';
import type { VerifiedRuntimes } from '../reopening/verified-runtimes.ts';
import type { ActorDefinition } from '../supervision/actor-definition.ts';
import { isRowOf } from '../supervision/actor-row.ts';
import { readStored, settledActor } from '../supervision/reads.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import type { CaptionMethods } from './caption-methods.ts';
import type { CaptionPlans } from './caption-plans.ts';

interface CaptionsOptions extends Pick<HostBasis, 'supervisor' | 'runtimes' | 'mutex'> {
  readonly definition: ActorDefinition<'caption-production'>;
  /** How captions are made without a method. */
  readonly ability: CaptionAbility;
  /** How they are made with one. */
  readonly methods: CaptionMethods;
  /** How they are made under an approval with a plan. */
  readonly plans: Pick<CaptionPlans, 'abilityUnder'>;
  readonly engines: TranslatingEngines;
}

const underWay = ['producing', 'checking'];

/**
 * The most productions that a host with a translator makes at once; others wait. Each sends one question after the other, and
 * model servers refuse or delay a client with more. The number is a choice.
 */
export const mostTranslatedAtOnce = 4;

/**
 * The service that makes captions of approved studies and checks them. It answers once the result is on disk; all throw
 * `unknown_runtime` and `stored_content_inconsistent`.
 */
export class CaptionService {
  readonly #options: CaptionsOptions;
  readonly #reads: CaptionReads;
  readonly #slices = new TimeSlices();
  readonly #translating = new Semaphore(mostTranslatedAtOnce);

  constructor(options: CaptionsOptions) {
    this.#options = options;
    this.#reads = new CaptionReads(options.runtimes);
  }

  /**
   * Makes captions under an approval and checks them. While a host has as many lines translated as it may, it waits, and the
   * journal has no attempt. It has none either if no server answers. Throws `illegal_caption_transition`,
   * `caption_authority_required` and `caption_current_run_causality_required`. It throws `caption_lines_unavailable` if captions
   * would have no line: the approval stays free then. With a method also `permission_required`, before all else, and
   * `engine_unavailable`. Under an approval with a plan it throws `caption_plan_mismatch` for another way or another plan. A check that could not be written down is nothing that fails here.
   */
  async produce(runtimeId: string, request: CaptionProductionRequest): Promise<CaptionProductions> {
    const { engines, runtimes } = this.#options;
    const make = () => this.#produced(runtimeId, request);
    if (engines.choices.translator === null) return make();
    // A request that is refused now does not wait, and neither do captions of which nothing is translated.
    const job = await this.#jobOf(await runtimes.read(runtimeId), request);
    const text = await this.#slices.run(textToTranslateOf(job));
    if (text === null) return make();
    return this.#translating.take(async () => {
      // An attempt that cannot begin would be one of three under the approval.
      const translator = await engines.translator();
      if (translator === null || !(await translator.isAbsent())) return make();
      throw new ServiceError('caption_translation_failed', 'translator: unreachable: no model server answers');
    });
  }

  async #produced(runtimeId: string, request: CaptionProductionRequest): Promise<CaptionProductions> {
    const { supervisor, runtimes, mutex, definition } = this.#options;
    const beganAtMs = performance.now();
    const jobId = await mutex.take(runtimeId, async () => {
      const job = await this.#jobOf(await runtimes.read(runtimeId, beganAtMs), request);
      const id = captionJobIdOf(job);
      const { attempt, classification, allowance } = job;
      const { approval } = request;
      const production = { runtimeId, jobId: id, approval, attempt, classification };
      const input: CaptionProductionInput = allowance === undefined ? production : { ...production, allowance };
      await supervisor.spawn(definition, id, input, [
        { append: runtimeId, events: [captionStarted(job)] },
        { put: 'index', key: indexKey(definition.name, supervisor.clock.now(), id), value: true },
      ]);
      return id;
    });
    const state = await settledActor(supervisor, jobId, underWay);
    if (state === 'failed') throw this.#failureOf(jobId);
    return this.#reads.productions(runtimeId, beganAtMs);
  }

  /** Checks captions whose check is still missing. Throws `illegal_caption_qc_transition`. */
  async check(runtimeId: string, { candidate }: QualityControlRequest): Promise<CaptionQualityControls> {
    const { supervisor, runtimes, mutex } = this.#options;
    const beganAtMs = performance.now();
    await mutex.take(runtimeId, async () => {
      const { execution } = await runtimes.read(runtimeId, beganAtMs);
      const caption = execution?.study.tail.captions.caption ?? null;
      if (caption === null || firstDifference(candidateOf(caption.reference), candidate) !== null) {
        throw new ServiceError('illegal_caption_qc_transition', 'the candidate is not one of this runtime');
      }
      if (caption.qualityControl !== null || !(await supervisor.send(candidate.jobId, { type: 'quality.check' }))) {
        throw new ServiceError('illegal_caption_qc_transition', 'the candidate has been checked, or is being checked');
      }
    });
    if ((await settledActor(supervisor, candidate.jobId, underWay)) !== 'checked') {
      throw new ServiceError('internal_failure', 'the check could not be written down');
    }
    return this.#reads.qualityControls(runtimeId, beganAtMs);
  }

  /** Stops what is being made under the approval of a runtime; resolves when the journal says that nothing is. */
  async stop(runtimeId: string): Promise<void> {
    const { supervisor, definition } = this.#options;
    const productions = supervisor.liveRows(definition.name).map(({ input }) => input);
    for (const { jobId } of productions.filter((production) => production.runtimeId === runtimeId)) {
      await supervisor.send(jobId, { type: 'authority.revoked' });
      // Without effect on one that has ended, or whose captions are on their way to the disk: it writes its own end.
      await settledActor(supervisor, jobId, ['producing']);
    }
  }

  /** The next attempt under an approval, in the order in which clients expect the reasons against it. */
  async #jobOf(runtime: VerifiedRuntime, { approval, method }: CaptionProductionRequest): Promise<CaptionJob> {
    const { record } = runtime.accepted;
    const { ability: usual, methods, plans } = this.#options;
    if (method !== undefined && method !== 'auto') methods.demand(method);
    const approved = runtime.execution?.study.tail.plan ?? null;
    const isUsual = method === undefined && (approved === null || approved.plan.asked.method === null);
    const { allowance } = isUsual ? usual : methods;
    const obstacle = captionObstacleOf(record, allowance.maxDurationMs);
    if (obstacle !== null) throw illegal(wireText(obstacle));
    const study = approvedStudyOf(runtime, approval);
    if (study === null) {
      throw new ServiceError('caption_authority_required', 'no valid approval of this runtime has this name');
    }
    if (isUsual && usual.classification === 'recorded_real_pipeline_fixture') {
      throw new ServiceError('caption_current_run_causality_required', captionsAreOff);
    }
    const captions = runtime.execution?.study.tail.captions;
    if (captions?.caption !== null || captions.open !== null) throw illegal('the approval is used already');
    if (captions.attempts >= maximumCaptionAttempts) throw illegal('all attempts under this approval are used');
    const without = () => (method === undefined ? usual : methods.abilityFor(method, study));
    const ability = await (approved === null ? without() : plans.abilityUnder(approved, study, method));
    const { job, absence } = await this.#slices.run(captionProspectBySteps(study, captions.attempts, ability));
    if (absence !== null) throw new ServiceError('caption_lines_unavailable', `${absence.code}: ${wireText(absence)}`);
    const { corrections } = runtime.execution?.study.tail ?? { corrections: noCorrections };
    const others = correctionsObstacle(corrections, () => draftBaseOf(job));
    if (others !== null) throw illegal(others);
    return job;
  }

  #failureOf(jobId: string): ServiceError {
    const row = readStored(() => this.#options.supervisor.read(jobId));
    const failure = isRowOf(row, 'caption-production') ? row.snapshot.context.failure : null;
    const message = failure?.message ?? 'interrupted: no reason was recorded';
    if (failure?.code === 'stored_content_inconsistent') return new ServiceError(failure.code, message);
    const word = firstWordOf(message, captionCauses);
    return new ServiceError((word === null ? undefined : answerCodes[word]) ?? 'illegal_caption_transition', message);
  }
}

/** How an attempt that failed for no fault of the request is answered, by its cause. */
const answerCodes: Readonly<Partial<Record<(typeof captionCauses)[number], ErrorCode>>> = {
  translator: 'caption_translation_failed',
  damaged: 'stored_content_inconsistent',
  internal: 'internal_failure',
};

const illegal = (message: string) => new ServiceError('illegal_caption_transition', message);

/**
 * The service behind reads of captions and of their checks. Every answer rests on a runtime that was reopened as a whole;
 * all throw `unknown_runtime` and `stored_content_inconsistent`.
 */
export class CaptionReads {
  readonly #runtimes: VerifiedRuntimes;

  readonly #slices = new TimeSlices();

  constructor(runtimes: VerifiedRuntimes) {
    this.#runtimes = runtimes;
  }

  async productions(runtimeId: string, lookedSinceMs?: number): Promise<CaptionProductions> {
    const runtime = await this.#runtimes.read(runtimeId, lookedSinceMs);
    return {
      schema: 'studio.local-runtime-caption-productions.v1',
      ...runtimeListOf(runtime),
      captions: publishedCaptionsOf(runtime).map(({ row }) => row),
    };
  }

  async results(runtimeId: string): Promise<CaptionProductionResults> {
    const runtime = await this.#runtimes.read(runtimeId);
    return {
      schema: 'studio.local-runtime-caption-production-results.v1',
      ...runtimeListOf(runtime),
      results: publishedCaptionsOf(runtime).map(({ row, caption }) => ({
        verification: row,
        artifact: caption.artifact.body,
      })),
    };
  }

  /**
   * Some lines of long captions, in the records in which they are stored. Throws `not_found` for a production of another runtime
   * or in one record, and for a chunk that it does not have.
   */
  async chunk(runtimeId: string, jobId: string, index: number): Promise<CaptionChunkAnswer> {
    const runtime = await this.#runtimes.read(runtimeId);
    const published = publishedCaptionsOf(runtime).find(({ row }) => row.jobId === jobId);
    const found = published === undefined ? null : chunkOf(published.caption.artifact.body, index);
    if (found === null) throw new ServiceError('not_found', 'this runtime has no such chunk of captions');
    return { schema: 'studio.local-runtime-caption-chunk.v1', ...runtimeListOf(runtime), ...found };
  }

  async qualityControls(runtimeId: string, lookedSinceMs?: number): Promise<CaptionQualityControls> {
    const runtime = await this.#runtimes.read(runtimeId, lookedSinceMs);
    return {
      schema: 'studio.local-runtime-caption-quality-controls.v1',
      ...runtimeListOf(runtime),
      qualityControls: publishedQualityControlsOf(runtime),
    };
  }

  /** Measurements of the captions, computed from the stored lines for each answer. */
  async qualityReports(runtimeId: string): Promise<CaptionQualityReports> {
    return this.#slices.run(publishedCaptionReportsOf(await this.#runtimes.read(runtimeId)));
  }

  /** A file of captions held against guidelines, in the rows that it has. Throws the same as an export of captions. */
  async guidelines(runtimeId: string, form: CaptionForm): Promise<CaptionGuidelines> {
    return this.#slices.run(publishedGuidelinesOf(await this.#runtimes.read(runtimeId), form));
  }

  /**
   * One side of accepted captions as a WebVTT file. Throws `not_found` for a production that is not of this runtime,
   * `illegal_caption_qc_transition` while no check has accepted it, and `caption_authority_required` once its approval was
   * withdrawn.
   */
  async webVtt(
    runtimeId: string,
    jobId: string,
    { side, corrections }: { readonly side: CaptionSide; readonly corrections: ShownCorrections },
  ): Promise<string> {
    const runtime = await this.#runtimes.read(runtimeId);
    const captions = await this.#slices.run(acceptedCaptionsOf(runtime, { jobId, corrections }));
    return this.#slices.run(webVttOf(captions, side));
  }
}
