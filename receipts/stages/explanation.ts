import type { z } from 'zod';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { CaptionLine } from '../../contract/captions/caption-line.ts';
import {
  type ExplanationConfiguration,
  type ExplanationExecutorIdentity,
  type ExplanationPrompt,
  explanationConfiguration,
  explanationPrompt,
  maximumExplanationSettingsBytes,
} from '../../contract/explanations/executor.ts';
import {
  type ExplainedLine,
  type ExplanationArtifact,
  ExplanationFailure,
  type ExplanationInput,
  type ExplanationReceipt,
  type ExplanationRequest,
  explanationLimits,
} from '../../contract/explanations/explanation.ts';
import { firstDifference } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { resultInSlices } from '../../formats/steps.ts';
import type { CheckableCaptions } from '../captions/quality-control.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../evidence-chain.ts';
import {
  type ExplanationJob,
  type ExplanationReference,
  explanationFailed,
  explanationJobIdOf,
  explanationOf,
  explanationRunReceipt,
  explanationStarted,
  facetsOf,
  fingerprintOf,
  outputOfFacets,
  recordExplanation,
  storedExplanation,
} from '../explanations/explanation.ts';
import { readStoredReceipt, type StoredReceipt, type StoredShape, storedJson } from '../stored-records.ts';
import type { FoldContext, StudyRun } from '../study-run.ts';
import { checkableBySteps, type VerifiedCaption } from './captions.ts';
import type { LaterStage } from './stage.ts';

/** The exact prompt and settings of a model. */
interface ExplanationSettings {
  readonly prompt: ExplanationPrompt;
  readonly configuration: ExplanationConfiguration;
}

/** An executor as records name it, and the settings that it is identified by, as they are stored. */
export function explanationExecutorOf({ prompt, configuration }: ExplanationSettings): {
  readonly identity: ExplanationExecutorIdentity;
  readonly objects: readonly StoredObject[];
} {
  const objects = { prompt: storedJson(prompt), configuration: storedJson(configuration) };
  return {
    identity: {
      id: 'studio.openai-language-explanation-generator',
      version: '1',
      classification: 'real_model',
      executionScope: 'current_run',
      model: configuration.model,
      promptContractContentId: objects.prompt.contentId,
      configurationContentId: objects.configuration.contentId,
    },
    objects: [objects.prompt, objects.configuration],
  };
}

/** How the prompt and settings of an explanation executor are stored. */
const explanationPromptShape = {
  link: 'explanation_prompt',
  schema: explanationPrompt,
  maximumBytes: maximumExplanationSettingsBytes,
} as const satisfies StoredShape<z.ZodType>;

const explanationConfigurationShape = {
  link: 'explanation_configuration',
  schema: explanationConfiguration,
  maximumBytes: maximumExplanationSettingsBytes,
} as const satisfies StoredShape<z.ZodType>;

/** Verified captions, every line with its whole lineage. */
export type ExplainableCaption = Pick<CheckableCaptions, 'artifact' | 'reference'>;

/** Lines on each side of the selected one that go along with it. */
const sideLines = (explanationLimits.maxContextLines - 1) / 2;

const sliceOf = (text: string, start: number, end: number): string => [...text].slice(start, end).join('');

/** Why a selection is not one of these captions; null when it is. Spans count Unicode code points, not UTF-16 units. */
export function selectionObstacleOf(
  { lines }: ExplainableCaption['artifact'],
  { lineId, selection }: Pick<ExplanationRequest, 'lineId' | 'selection'>,
): string | null {
  const line = lines.find(({ id }) => id === lineId);
  if (line === undefined) return 'the captions have no such line';
  const { text } = line[selection.side];
  if (text === null) return `the ${selection.side} side of the line has no text`;
  return sliceOf(text, selection.start, selection.end) === selection.text
    ? null
    : `the ${selection.side} side of the line has other words at this place`;
}

/** The selected line with up to two before and two after it, in order of time. */
function contextOf(lines: readonly CaptionLine[], lineId: string): readonly CaptionLine[] {
  const at = lines.findIndex(({ id }) => id === lineId);
  return lines.slice(Math.max(0, at - sideLines), at + sideLines + 1);
}

const withoutLineage = ({ id, startMs, endMs, source, target }: CaptionLine): ExplainedLine => ({
  id,
  startMs,
  endMs,
  source,
  target,
});

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** The basis of the context, each id once, in the order in which the lines name it. */
function lineageOf(lines: readonly CaptionLine[]): ExplanationInput['inputContextLineage'] {
  const studies = lines.map(({ lineage }) => lineage.study);
  const citations = studies.flatMap(({ semanticCitations }) => semanticCitations);
  return {
    claimIds: unique(studies.flatMap(({ claimIds }) => claimIds)),
    citationIds: unique(
      citations.flatMap(({ observations }) => observations.map(({ observationId }) => observationId)),
    ),
    semanticEvidenceArtifactIds: unique(citations.map(({ artifactId }) => artifactId)),
    semanticEvidenceReceiptIds: unique(citations.map(({ receiptId }) => receiptId)),
  };
}

/** The input of an explanation. Throws `RangeError` for a line that the captions do not have. */
export function explanationInputOf(
  { record }: StudyRun,
  { artifact, reference }: ExplainableCaption,
  { lineId, selection }: Pick<ExplanationRequest, 'lineId' | 'selection'>,
): ExplanationInput {
  const { input, lines } = artifact;
  const line = lines.find(({ id }) => id === lineId);
  if (line === undefined) throw new RangeError('an explanation needs a line of the captions');
  const context = contextOf(lines, lineId);
  const { studyId, artifactId, contentId } = input.study;
  return {
    source: {
      artifactId: input.sourceArtifactId,
      contentId: input.sourceContentId,
      analysisRequestId: input.analysisRequestId,
      rightsScope: record.sourceSession.sourceReceipt.rightsScope,
    },
    study: { studyId, artifactId, contentId },
    readiness: input.readiness,
    approval: line.lineage.approval,
    caption: reference,
    line: withoutLineage(line),
    contextLines: context.map(withoutLineage),
    selection,
    inputContextLineage: lineageOf(context),
  };
}

/** The text that a model would be shown, in bytes of UTF-8, both sides of every line. */
export const captionTextBytesOf = ({ contextLines }: ExplanationInput): number =>
  contextLines
    .flatMap(({ source, target }) => [source.text ?? '', target.text ?? ''])
    .reduce((sum, text) => sum + Buffer.byteLength(text, 'utf8'), 0);

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

const noExplanations: VerifiedExplanations = { attempts: [], settings: new Set() };

export const isExplaining = ({ attempts }: VerifiedExplanations): boolean =>
  attempts.some(({ state }) => state === 'started');

/** The executor is about to explain captions under a valid approval; `verified` is null if there are none. */
async function foldExplanationStarted(
  context: FoldContext,
  { attempts, settings }: VerifiedExplanations,
  verified: VerifiedCaption | null,
): Promise<VerifiedExplanations> {
  const { journal, run } = context;
  const { request, grant } = journal.expect('language.explanation_started').data;
  if (verified === null) throw journal.fault('type');
  const caption = await resultInSlices(checkableBySteps(verified), context.pause);
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
async function foldExplanationCompleted(
  { run, journal, content, report }: FoldContext,
  explanations: VerifiedExplanations,
): Promise<VerifiedExplanations> {
  const { jobId, contentId, receiptContentId } = journal.expect('language.explanation_completed', 2).data;
  const open = explanations.attempts.find((attempt) => attempt.jobId === jobId);
  if (open?.state !== 'started') throw journal.fault('type', 2);
  const artifact = await storedExplanation.reopen(content, contentId, (found) => derivedExplanation(open.job, found));
  const receipt = await explanationRunReceipt.reopen(content, receiptContentId, ({ execution }) =>
    explanationRunReceipt.of(run, { artifact: artifact.body, execution }),
  );
  const { result } = artifact.body;
  const { events, refs: reference } = recordExplanation(run, artifact.body, receipt.body.execution);
  journal.take(events);
  const detail = countText(result.availableFacetCount, 'facet');
  report({ link: 'explanation', subject: jobId, contentId, detail });
  const { receiptId } = receipt.body;
  report({ link: 'explanation_receipt', subject: receiptId, contentId: receiptContentId, detail: result.status });
  return goneOn(explanations, { ...open, state: 'completed', stored: { reference, artifact, receipt } });
}

function foldExplanationFailed(
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
  const prompt = await readStoredReceipt(explanationPromptShape, content, promptContractContentId);
  const configuration = await readStoredReceipt(explanationConfigurationShape, content, configurationContentId);
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

/** The field of a request that does not belong to these captions; null when all do. */
function misplacedIn(request: ExplanationRequest, { artifact, reference }: ExplainableCaption): string | null {
  if (firstDifference(request.caption, reference) !== null) return 'data.request.caption';
  return selectionObstacleOf(artifact, request) === null ? null : 'data.request.selection';
}

/** The answer of a model cannot be derived; everything around it can, and the facets must be in their stored form. */
function derivedExplanation(job: ExplanationJob, stored: ExplanationArtifact): ExplanationArtifact {
  try {
    return explanationOf(job, facetsOf(job.input, job.request.facetKinds, outputOfFacets(stored.facets)));
  } catch (error) {
    if (error instanceof ExplanationFailure) throw new EvidenceChainError('explanation', error.message, error);
    throw error;
  }
}

/** The part of an ended study that an explanation reads. */
interface Explainable {
  readonly tail: {
    readonly explanations: VerifiedExplanations;
    readonly captions: { readonly caption: VerifiedCaption | null };
    /** The approval under which something may begin. */
    readonly authority: object | null;
  };
}

/** The explanations of a model for single lines of the captions. */
export const explanationStage: LaterStage<Explainable, { readonly explanations: VerifiedExplanations }> = {
  name: 'explanation',
  nothing: { explanations: noExplanations },
  records: {
    explanation: storedExplanation.shape.schema,
    'explanation-receipt': explanationRunReceipt.shape.schema,
    'explanation-prompt': explanationPrompt,
    'explanation-configuration': explanationConfiguration,
  },
  folds: {
    'language.explanation_started': async (context, { tail: { explanations, authority, captions } }) => ({
      explanations: await foldExplanationStarted(context, explanations, authority === null ? null : captions.caption),
    }),
    'language.explanation_completed': async (context, { tail }) => ({
      explanations: await foldExplanationCompleted(context, tail.explanations),
    }),
    'language.explanation_failed': (context, { tail }) => ({
      explanations: foldExplanationFailed(context, tail.explanations),
    }),
  },
};
