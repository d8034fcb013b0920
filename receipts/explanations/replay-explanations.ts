import { type ExplanationRequest, explanationLimits } from '../../contract/explanations/language-explanation.ts';
import type { ExplanationExecutorIdentity } from '../../contract/explanations/language-explanation-executor.ts';
import { ExplanationFailure } from '../../contract/explanations/language-explanation-failure.ts';
import type {
  ExplanationArtifact,
  ExplanationReceipt,
} from '../../contract/explanations/language-explanation-records.ts';
import { checkableOf, type VerifiedCaption } from '../captions/replay-captions.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { firstDifference } from '../core/first-difference.ts';
import { readReceipt, type StoredReceipt } from '../core/stored-receipt.ts';
import type { ReplayContext } from '../evidence/replay-media.ts';
import { facetsOf, outputOfFacets } from './explanation-facets.ts';
import {
  captionTextBytesOf,
  type ExplainableCaption,
  explanationInputOf,
  selectionObstacleOf,
} from './explanation-input.ts';
import { type ExplanationJob, explanationJobIdOf, fingerprintOf } from './explanation-job.ts';
import {
  type ExplanationReference,
  explanationFailed,
  explanationOf,
  explanationReceiptOf,
  explanationStarted,
  recordExplanation,
} from './language-explanation.ts';
import {
  explanationConfigurationShape,
  explanationPromptShape,
  explanationReceiptShape,
  explanationShape,
} from './reopen-explanations.ts';

/** An explanation that was written down, with its receipt. */
export interface StoredExplanation {
  readonly reference: ExplanationReference;
  readonly artifact: StoredReceipt<ExplanationArtifact>;
  readonly receipt: StoredReceipt<ExplanationReceipt>;
}

/** One attempt at an explanation as far as it came. */
export interface VerifiedExplanation {
  readonly job: ExplanationJob;
  readonly jobId: string;
  /** Of the request that it is an attempt at; kept, because every later request is compared with it. */
  readonly fingerprint: string;
  readonly state: 'started' | 'completed' | 'failed';
  /** Why it failed; null unless it did. */
  readonly failure: string | null;
  /** Null unless it is completed. */
  readonly stored: StoredExplanation | null;
}

/** Attempts that belong to one request. */
export const attemptsAt = (
  attempts: readonly VerifiedExplanation[],
  fingerprint: string,
): readonly VerifiedExplanation[] => attempts.filter((attempt) => attempt.fingerprint === fingerprint);

/** Why nobody may try again, or yet, at a request of which these attempts are known; null when somebody may. */
export function attemptObstacleOf(attempts: readonly VerifiedExplanation[]): string | null {
  if (attempts.some(({ state }) => state === 'started')) return 'the same explanation is under way';
  if (attempts.some(({ state }) => state === 'completed')) return 'the same explanation is there already';
  return attempts.length < explanationLimits.maxAttemptsPerRequest ? null : 'all attempts at this request are used';
}

/** The explanations of a run's captions, as far as the journal was read. */
export class ExplanationReplay {
  readonly #context: ReplayContext;
  readonly #attempts = new Map<string, VerifiedExplanation>();
  readonly #settings = new Set<string>();

  constructor(context: ReplayContext) {
    this.#context = context;
  }

  /** In the order in which they began. */
  get attempts(): readonly VerifiedExplanation[] {
    return [...this.#attempts.values()];
  }

  get isOpen(): boolean {
    return this.attempts.some(({ state }) => state === 'started');
  }

  /** Somebody is about to be asked: about captions whose approval stands; null where there are none. */
  async started(verified: VerifiedCaption | null): Promise<void> {
    const { journal, run } = this.#context;
    const { request, grant } = journal.expect('language.explanation_started').data;
    if (verified === null) throw journal.fault('type');
    const caption = checkableOf(verified);
    const place = misplacedIn(request, caption);
    if (place !== null) throw journal.fault(place);
    const task = { run, request, input: explanationInputOf(run, caption, request), executor: grant.executor };
    const fingerprint = fingerprintOf(task);
    const earlier = attemptsAt(this.attempts, fingerprint);
    const isTooLarge = captionTextBytesOf(task.input) > explanationLimits.maxCaptionTextBytes;
    if (attemptObstacleOf(earlier) !== null || isTooLarge) throw journal.fault('type');
    const job = { ...task, attempt: earlier.length };
    await this.#openSettings(job.executor);
    journal.take([explanationStarted(job)]);
    const jobId = explanationJobIdOf(job);
    this.#attempts.set(jobId, { job, jobId, fingerprint, state: 'started', failure: null, stored: null });
  }

  /** Reopens an explanation and its receipt and derives both again. Throws `EvidenceChainError`. */
  async completed(): Promise<void> {
    const { journal, content, report } = this.#context;
    const { jobId, contentId, receiptContentId } = journal.expect('language.explanation_completed', 2).data;
    const open = this.#open(jobId, 2);
    const artifact = await readReceipt(explanationShape, content, contentId);
    const derived = checkObject(contentId, () => {
      const again = derivedExplanation(open.job, artifact.body);
      demandDerived('explanation', artifact.body, again, 'jobId');
      return again;
    });
    const receipt = await readReceipt(explanationReceiptShape, content, receiptContentId);
    const { execution } = receipt.body;
    checkObject(receiptContentId, () =>
      demandDerived('explanation_receipt', receipt.body, explanationReceiptOf(derived, execution)),
    );
    const { events, refs } = recordExplanation(open.job, derived.facets, execution);
    journal.take(events);
    this.#attempts.set(jobId, { ...open, state: 'completed', stored: { reference: refs, artifact, receipt } });
    const { receiptId } = receipt.body;
    const detail = counted(derived.result.availableFacetCount, 'facet');
    report({ link: 'explanation', subject: jobId, contentId, detail });
    report({
      link: 'explanation_receipt',
      subject: receiptId,
      contentId: receiptContentId,
      detail: derived.result.status,
    });
  }

  failed(): void {
    const { journal, run } = this.#context;
    const { jobId, reason } = journal.expect('language.explanation_failed').data;
    const open = this.#open(jobId, 0);
    journal.take([explanationFailed(run, jobId, reason)]);
    this.#attempts.set(jobId, { ...open, state: 'failed', failure: reason.message });
  }

  #open(jobId: string, offset: number): VerifiedExplanation {
    const attempt = this.#attempts.get(jobId);
    if (attempt?.state === 'started') return attempt;
    throw this.#context.journal.fault('type', offset);
  }

  /** Reads the words and settings by which an executor is identified, once each. */
  async #openSettings({ model, promptContractContentId, configurationContentId }: ExplanationExecutorIdentity) {
    const { content, report } = this.#context;
    const settings = [model, promptContractContentId, configurationContentId].join(' ');
    if (this.#settings.has(settings)) return;
    const prompt = await readReceipt(explanationPromptShape, content, promptContractContentId);
    const configuration = await readReceipt(explanationConfigurationShape, content, configurationContentId);
    checkObject(configuration.contentId, () =>
      demandDerived('explanation_configuration', { model: configuration.body.model }, { model }),
    );
    this.#settings.add(settings);
    const { version } = prompt.body;
    report({ link: 'explanation_prompt', subject: `version ${version}`, contentId: prompt.contentId, detail: 'read' });
    report({
      link: 'explanation_configuration',
      subject: model,
      contentId: configuration.contentId,
      detail: configuration.body.baseUrl,
    });
  }
}

/** Which field of a request does not belong to these captions; null when all do. */
function misplacedIn(request: ExplanationRequest, { artifact, reference }: ExplainableCaption): string | null {
  if (firstDifference(request.caption, reference) !== null) return 'data.request.caption';
  return selectionObstacleOf(artifact, request) === null ? null : 'data.request.selection';
}

/** What a model said cannot be derived; everything around it can, and the facets must be as they are always stored. */
function derivedExplanation(job: ExplanationJob, stored: ExplanationArtifact): ExplanationArtifact {
  try {
    return explanationOf(job, facetsOf(job.input, job.request.facetKinds, outputOfFacets(stored.facets)));
  } catch (error) {
    if (error instanceof ExplanationFailure) throw new EvidenceChainError('explanation', error.message, error);
    throw error;
  }
}
