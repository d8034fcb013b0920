import { ServiceError } from '../../contract/base/errors.ts';
import type { RequestedMethod } from '../../contract/captions/caption-method.ts';
import {
  type CaptionCorrectionPreview,
  type CaptionCorrections,
  type CorrectionHead,
  type CorrectionPreviewRequest,
  type CorrectionRequest,
  maximumCorrections,
} from '../../contract/captions/correction.ts';
import type { Reviewer } from '../../contract/review.ts';
import { contentIdOfJson, firstDifference } from '../../formats/canonical-json.ts';
import { CorrectionFault, correctedBy } from '../../receipts/captions/corrected-lines.ts';
import type { CaptionAbility } from '../../receipts/captions/prospect.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import { approvable } from '../../receipts/published/captions.ts';
import {
  type Correctable,
  correctableOf,
  correctionPreviewOf,
  correctionsOf,
} from '../../receipts/published/corrections.ts';
import { correctionHeadOf, recordCorrection } from '../../receipts/stages/correction.ts';
import type { HostBasis } from '../host-basis.ts';
import { storeBeforePromise } from '../supervision/refused-write.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import type { CaptionMethods } from './caption-methods.ts';
import type { CaptionPlans } from './caption-plans.ts';

interface CorrectionsOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'runtimes' | 'mutex'> {
  readonly reviewer: Reviewer;
  /** How captions are made without a method, and with one. */
  readonly ability: CaptionAbility;
  readonly methods: Pick<CaptionMethods, 'abilityFor'>;
  /** How they are made under an approval with a plan. */
  readonly plans: Pick<CaptionPlans, 'abilityOf' | 'asApproved'>;
  /** Called after each commit that added to a runtime's journal. */
  readonly committed: (runtimeId: string) => void;
}

const illegal = (message: string) => new ServiceError('illegal_caption_correction', message);

/** The lines of a runtime that can be corrected. Throws the obstacle if none can. */
function demandCorrectable({ obstacle, corrections, base }: Correctable) {
  if (obstacle !== null) throw new ServiceError(obstacle.code, obstacle.message);
  if (base === null) throw illegal('the runtime has no lines');
  return { corrections, base };
}

/** Runs what the lines may not allow; throws `illegal_caption_correction` then. */
async function withLinesThatAllow<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CorrectionFault) throw illegal(error.message);
    throw error;
  }
}

/**
 * The service behind corrections of captions by a person. A correction is a command. It is computed on the reopened runtime and
 * written with its check in one commit, under the mutex of the runtime. So no production and no revocation comes in between.
 * Captions stay as they were made; nothing is ever deleted. All throw `unknown_runtime` and `stored_content_inconsistent`.
 */
export class Corrections {
  readonly #options: CorrectionsOptions;
  readonly #slices = new TimeSlices();

  constructor(options: CorrectionsOptions) {
    this.#options = options;
  }

  /**
   * The lines of a runtime as they are and as the host made them, with every correction. Before captions are made, `method` selects the
   * lines of one way, and `plan` the lines of the plan with this digest. Throws the same as a production with this method then, and
   * `caption_plan_mismatch`.
   */
  async read(
    runtimeId: string,
    {
      method = null,
      plan = null,
      lookedSinceMs,
    }: {
      readonly method?: RequestedMethod | null;
      readonly plan?: string | null;
      readonly lookedSinceMs?: number;
    } = {},
  ): Promise<CaptionCorrections> {
    const { runtimes, reviewer, plans } = this.#options;
    const known = await runtimes.read(runtimeId, lookedSinceMs);
    const runtime = plan === null ? known : await plans.asApproved(known, plan);
    return this.#slices.run(correctionsOf(runtime, await this.#abilityFor(runtime, method), reviewer));
  }

  /** The way to the lines of a runtime before its captions: the one of its plan, of a request or of the host. */
  async #abilityFor(runtime: VerifiedRuntime, method: RequestedMethod | null = null): Promise<CaptionAbility> {
    const { ability, methods, plans } = this.#options;
    const { tail } = runtime.execution?.study ?? {};
    const study = tail?.captions.caption === null ? approvable(runtime) : null;
    if (study === null) return ability;
    if (method !== null) return methods.abilityFor(method, study);
    return tail?.plan == null ? ability : plans.abilityOf(tail.plan.plan, study);
  }

  /**
   * The lines after a correction, with its check and the findings of the guidelines; nothing is written. Throws
   * `caption_correction_conflict`, `illegal_caption_correction` and the error that keeps a runtime from corrections.
   */
  async preview(
    runtimeId: string,
    { head, lines, ...asked }: CorrectionPreviewRequest,
  ): Promise<CaptionCorrectionPreview> {
    const { runtimes, reviewer } = this.#options;
    const runtime = await runtimes.read(runtimeId);
    const ability = await this.#abilityFor(runtime);
    const correctable = demandCorrectable(await this.#slices.run(correctableOf(runtime, ability)));
    demandHead(correctionHeadOf(correctable.corrections, correctable.base), head);
    return withLinesThatAllow(() =>
      this.#slices.run(correctionPreviewOf(runtime, correctable, asked, reviewer, lines ?? null)),
    );
  }

  /**
   * Writes a correction with its check. The same request again, by its `clientRequestId`, writes nothing. Throws
   * `reviewer_identity_mismatch`, `caption_correction_conflict`, `illegal_caption_correction`, `insufficient_storage` and what
   * keeps a runtime from corrections.
   */
  async write(runtimeId: string, request: CorrectionRequest): Promise<CaptionCorrections> {
    const { runtimes, mutex, reviewer, ledger, objectStore, committed } = this.#options;
    return mutex.take(runtimeId, async () => {
      const beganAtMs = performance.now();
      const runtime = await runtimes.read(runtimeId, beganAtMs);
      if (request.reviewer.id !== reviewer.id) {
        throw new ServiceError('reviewer_identity_mismatch', 'this host has another reviewer');
      }
      if (isWritten(runtime, request)) return this.read(runtimeId, { lookedSinceMs: beganAtMs });
      const { objects, events } = await this.#recorded(runtime, request);
      await storeBeforePromise(objectStore, objects);
      await ledger.commit([{ append: runtimeId, events }]);
      committed(runtimeId);
      return this.read(runtimeId, { lookedSinceMs: beganAtMs });
    });
  }

  async #recorded(runtime: VerifiedRuntime, { clientRequestId, ...request }: CorrectionRequest) {
    const { reviewer } = this.#options;
    const ability = await this.#abilityFor(runtime);
    const { corrections, base } = demandCorrectable(await this.#slices.run(correctableOf(runtime, ability)));
    demandHead(correctionHeadOf(corrections, base), request.head);
    if (runtime.execution === null) throw illegal('the runtime has no lines');
    if (corrections.chain.length >= maximumCorrections) throw illegal('the runtime has as many corrections as it may');
    const { run } = runtime.execution.opened;
    return withLinesThatAllow(() => {
      const { changes } = correctedBy(corrections, base, request);
      return recordCorrection(run, {
        corrections,
        base,
        changes,
        reviewer,
        clientRequestId,
        note: request.note,
        reverts: request.reverts ?? null,
        requestContentId: contentIdOfJson(request),
      });
    });
  }
}

function demandHead(current: CorrectionHead, asked: CorrectionHead): void {
  if (firstDifference(current, asked) === null) return;
  throw new ServiceError('caption_correction_conflict', 'the lines were changed since they were read');
}

/** True if this very request is written already. Throws `illegal_caption_correction` if another one has its id. */
function isWritten({ execution }: VerifiedRuntime, { clientRequestId, ...request }: CorrectionRequest): boolean {
  const written = execution?.study.tail.corrections.chain.find(
    ({ receipt }) => receipt.body.clientRequestId === clientRequestId,
  );
  if (written === undefined) return false;
  if (written.receipt.body.requestContentId === contentIdOfJson(request)) return true;
  throw illegal('the clientRequestId is that of another correction');
}
