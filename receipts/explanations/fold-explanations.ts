import { type ExplanationRequest, explanationLimits } from '../../contract/explanations/language-explanation.ts';
import type { ExplanationExecutorIdentity } from '../../contract/explanations/language-explanation-executor.ts';
import { ExplanationFailure } from '../../contract/explanations/language-explanation-failure.ts';
import type {
  ExplanationArtifact,
  ExplanationReceipt,
} from '../../contract/explanations/language-explanation-records.ts';
import { checkableOf, type VerifiedCaption } from '../captions/fold-captions.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { firstDifference } from '../core/first-difference.ts';
import { readReceipt, type StoredReceipt } from '../core/stored-receipt.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import { explanationConfigurationShape, explanationPromptShape } from './explanation-executor.ts';
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
  explanationReceipt,
  explanationStarted,
  recordExplanation,
  storedExplanation,
} from './language-explanation.ts';
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

/** Why a request of which these attempts are known may not be tried again, or not yet; null when it may. */
export function attemptObstacleOf(attempts: readonly VerifiedExplanation[]): string | null {
  if (attempts.some(({ state }) => state === 'started')) return 'the same explanation is under way';
  if (attempts.some(({ state }) => state === 'completed')) return 'the same explanation is there already';
  return attempts.length < explanationLimits.maxAttemptsPerRequest ? null : 'all attempts at this request are used';
}

/** The explanations of a run's captions. */
export interface VerifiedExplanations {
  /** In the order in which they began. */
  readonly attempts: readonly VerifiedExplanation[];
  /** The executors whose words and settings were read, by what identifies these. */
  readonly settings: ReadonlySet<string>;
}

export const noExplanations: VerifiedExplanations = { attempts: [], settings: new Set() };

export const isExplaining = ({ attempts }: VerifiedExplanations): boolean =>
  attempts.some(({ state }) => state === 'started');

/** The executor is about to be asked about captions whose approval stands; `verified` is null where there are none. */
export async function foldExplanationStarted(
  context: FoldContext,
  { attempts, settings }: VerifiedExplanations,
  verified: VerifiedCaption | null,
): Promise<VerifiedExplanations> {
  const { journal, run } = context;
  const { request, grant } = journal.expect('language.explanation_started').data;
  if (verified === null) throw journal.fault('type');
  const caption = checkableOf(verified);
  const place = misplacedIn(request, caption);
  if (place !== null) throw journal.fault(place);
  const task = { run, request, input: explanationInputOf(run, caption, request), executor: grant.executor };
  const fingerprint = fingerprintOf(task);
  const earlier = attemptsAt(attempts, fingerprint);
  const isTooLarge = captionTextBytesOf(task.input) > explanationLimits.maxCaptionTextBytes;
  if (attemptObstacleOf(earlier) !== null || isTooLarge) throw journal.fault('type');
  const job = { ...task, attempt: earlier.length };
  const name = [job.executor.model, job.executor.promptContractContentId, job.executor.configurationContentId].join(
    ' ',
  );
  if (!settings.has(name)) await openSettings(context, job.executor);
  journal.take([explanationStarted(job)]);
  const jobId = explanationJobIdOf(job);
  return {
    attempts: [...attempts, { job, jobId, fingerprint, state: 'started', failure: null, stored: null }],
    settings: settings.has(name) ? settings : new Set([...settings, name]),
  };
}

/** Reopens an explanation and its receipt and derives both again. Throws `EvidenceChainError`. */
export async function foldExplanationCompleted(
  { run, journal, content, report }: FoldContext,
  explanations: VerifiedExplanations,
): Promise<VerifiedExplanations> {
  const { jobId, contentId, receiptContentId } = journal.expect('language.explanation_completed', 2).data;
  const open = explanations.attempts.find((attempt) => attempt.jobId === jobId);
  if (open?.state !== 'started') throw journal.fault('type', 2);
  const artifact = await storedExplanation.reopen(content, contentId, (found) => derivedExplanation(open.job, found));
  const receipt = await explanationReceipt.reopen(content, receiptContentId, ({ execution }) =>
    explanationReceipt.of(run, { artifact: artifact.body, execution }),
  );
  const { result } = artifact.body;
  const { events, refs: reference } = recordExplanation(run, artifact.body, receipt.body.execution);
  journal.take(events);
  const detail = counted(result.availableFacetCount, 'facet');
  report({ link: 'explanation', subject: jobId, contentId, detail });
  const { receiptId } = receipt.body;
  report({ link: 'explanation_receipt', subject: receiptId, contentId: receiptContentId, detail: result.status });
  return goneOn(explanations, { ...open, state: 'completed', stored: { reference, artifact, receipt } });
}

export function foldExplanationFailed(
  { journal, run }: FoldContext,
  explanations: VerifiedExplanations,
): VerifiedExplanations {
  const { jobId, reason } = journal.expect('language.explanation_failed').data;
  const open = explanations.attempts.find((attempt) => attempt.jobId === jobId);
  if (open?.state !== 'started') throw journal.fault('type');
  journal.take([explanationFailed(run, jobId, reason)]);
  return goneOn(explanations, { ...open, state: 'failed', failure: reason.message });
}

const goneOn = (explanations: VerifiedExplanations, attempt: VerifiedExplanation): VerifiedExplanations => ({
  ...explanations,
  attempts: explanations.attempts.map((each) => (each.jobId === attempt.jobId ? attempt : each)),
});

/** Reads the words and settings by which an executor is identified. */
async function openSettings(
  { content, report }: FoldContext,
  { model, promptContractContentId, configurationContentId }: ExplanationExecutorIdentity,
): Promise<void> {
  const prompt = await readReceipt(explanationPromptShape, content, promptContractContentId);
  const configuration = await readReceipt(explanationConfigurationShape, content, configurationContentId);
  checkObject(configuration.contentId, () =>
    demandDerived('explanation_configuration', { model: configuration.body.model }, { model }),
  );
  const { version } = prompt.body;
  report({ link: 'explanation_prompt', subject: `version ${version}`, contentId: prompt.contentId, detail: 'read' });
  report({
    link: 'explanation_configuration',
    subject: model,
    contentId: configuration.contentId,
    detail: configuration.body.baseUrl,
  });
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
