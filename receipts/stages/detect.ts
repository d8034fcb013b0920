import type { z } from 'zod';
import type { Artifact } from '../../contract/base/artifact.ts';
import type { Range } from '../../contract/base/grammar.ts';
import {
  type EvidenceArtifact,
  evidenceArtifact,
  type FurtherArtifact,
  type FurtherResult,
  maximumEvidenceBytes,
} from '../../contract/evidence/evidence.ts';
import type {
  MediaEvidence,
  MediaOperationReceipt,
  MediaOperationResult,
} from '../../contract/evidence/media-operation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { type StageName, studyStages } from '../../contract/study/stages.ts';
import { countText } from '../../formats/readable-numbers.ts';
import type { EvidenceKind, KindParameters } from '../../kinds/kind.ts';
import { furtherInPass, furtherRecord, kindNamed } from '../../kinds/kinds.ts';
import { checkAgainstPass, checkDelivered, type DeliveredEvidence, type DeliveredPass } from '../evidence/delivered.ts';
import { checkFactsAmongThemselves } from '../evidence/facts.ts';
import {
  detectedArtifactKind,
  type MediaOperation,
  operationCompleted,
  operationFailed,
  operationStarted,
} from '../evidence/media-operation.ts';
import { checkEvidenceObjects } from '../evidence/readable-evidence.ts';
import { type CheckedLink, checkObject, demandDerived, EvidenceChainError } from '../evidence-chain.ts';
import { readStoredReceipt, type StoredContent, type StoredShape } from '../stored-records.ts';
import { isIdle, operationDone } from '../study/progress.ts';
import type { FoldContext, StudyRun } from '../study-run.ts';
import type { RunSoFar, RunStage } from './stage.ts';

/** The parameters of evidence that its operation stated before it ran: all but those that it measured on the way. */
export function statedParameters({ kind, parameters }: EvidenceArtifact | FurtherArtifact): KindParameters {
  const measured = kindNamed(kind)?.measured ?? [];
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !measured.includes(name)));
}

/** How detected evidence is stored. */
export const evidenceShape = {
  link: 'evidence',
  schema: evidenceArtifact,
  maximumBytes: maximumEvidenceBytes,
} as const satisfies StoredShape<z.ZodType>;

/** How further evidence is stored. */
export const furtherShape = {
  link: 'evidence',
  schema: furtherRecord,
  maximumBytes: maximumEvidenceBytes,
} as const satisfies StoredShape<z.ZodType>;

type MeasuredFact = EvidenceArtifact['facts'][number] | FurtherArtifact['facts'][number];

/** A fact of one moment reaches to its end; that of a whole track has no place in time. */
function spanOf(fact: MeasuredFact, range: Range): Range {
  if ('startMs' in fact) return fact;
  return 'atMs' in fact ? { startMs: fact.atMs, endMs: fact.atMs } : range;
}

function checkFacts(kind: EvidenceKind, { facts, input: { range } }: EvidenceArtifact | FurtherArtifact): void {
  let earlier = range.startMs;
  for (const [index, fact] of facts.entries()) {
    const { startMs, endMs } = spanOf(fact, range);
    if (!Object.hasOwn(kind.facts, fact.kind)) throw new EvidenceChainError('evidence', `facts[${index}].kind`);
    const isInside = earlier <= startMs && startMs <= endMs && endMs <= range.endMs;
    if (!isInside) throw new EvidenceChainError('evidence', `facts[${index}]`);
    earlier = startMs;
  }
}

/** The evidence of a model names the digest of its samples; no other evidence has one. */
function checkSamples(kind: EvidenceKind, { input }: EvidenceArtifact | FurtherArtifact): void {
  const isNamed = 'derivedAudio' in input && input.derivedAudio !== null;
  const isEstimated = 'isEstimated' in kind && kind.isEstimated === true;
  if (isNamed !== isEstimated) throw new EvidenceChainError('evidence', 'input.derivedAudio');
}

/** The parameters that an operation states for one kind, named as in the artifact. */
function parametersFor(kind: string, { parameters }: EvidenceOrigin['operation']): KindParameters {
  const prefix = `${kind}.`;
  const stated = Object.entries(parameters).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(stated.map(([name, value]) => [name.slice(prefix.length), value]));
}

function checkTools({ tool }: Pick<EvidenceArtifact, 'tool'>, { tools }: EvidenceOrigin['operation']): void {
  const { name, version, digest } = tool;
  const isOne = tools.some((each) => each.name === name && each.version === version && each.digest === digest);
  if (!isOne) throw new EvidenceChainError('evidence', 'tool');
}

/** The origin of evidence: its source, its tracks and its tools, as one operation of one run stated them. */
export interface EvidenceOrigin {
  readonly run: StudyRun;
  readonly source: Pick<RegisteredSource, 'tracks' | 'subtitleTracks'>;
  readonly operation: Pick<MediaOperation, 'tools' | 'parameters'>;
  readonly kind: string;
}

/** Evidence over an attached subtitle file cites the text that it was read from. */
function attachedFile({ subtitleTracks = [] }: EvidenceOrigin['source'], index: number | null) {
  const track = subtitleTracks.find(({ trackIndex }) => trackIndex === index);
  return track === undefined ? {} : { subtitleContentId: track.text.contentId };
}

/**
 * Checks that an evidence artifact is of the source, range, tools and parameters that its operation states. Its facts must be of
 * its kind, in order and inside the range. The measurements of a detector cannot be derived again. Throws `EvidenceChainError` of
 * the evidence.
 */
export function checkEvidence(
  artifact: EvidenceArtifact | FurtherArtifact,
  { run, source, operation, kind }: EvidenceOrigin,
): void {
  const { sourceContentId, range } = run.record.analysisRequest;
  const { trackIndex } = artifact.input;
  const { input } = artifact;
  const parameters = statedParameters(artifact);
  const cited = 'subtitleContentId' in input ? { subtitleContentId: input.subtitleContentId } : {};
  demandDerived(
    'evidence',
    {
      kind: artifact.kind,
      input: { sourceContentId: input.sourceContentId, range: input.range, ...cited },
      parameters,
    },
    {
      kind,
      input: { sourceContentId, range, ...attachedFile(source, trackIndex) },
      parameters: parametersFor(kind, operation),
    },
  );
  checkTools(artifact, operation);
  const track = source.tracks.find(({ index }) => index === trackIndex);
  const declared = kindNamed(kind);
  if (declared === undefined) throw new EvidenceChainError('evidence', 'kind');
  if (track?.kind !== declared.track) throw new EvidenceChainError('evidence', 'input.trackIndex');
  checkFacts(declared, artifact);
  checkFactsAmongThemselves(declared, artifact);
  checkSamples(declared, artifact);
}

/** One kind of evidence as an operation delivered it, with the artifact that holds its facts. */
export type VerifiedEvidence =
  | { readonly delivered: Extract<MediaEvidence, { state: 'available' }>; readonly artifact: EvidenceArtifact }
  | { readonly delivered: Extract<MediaEvidence, { state: 'unavailable' }>; readonly artifact: null };

/** One kind of further evidence, with the run's artifact that holds its facts. */
export interface VerifiedFurther {
  readonly artifactId: string;
  readonly contentId: string;
  readonly artifact: FurtherArtifact;
}

/** A pass over the media that came to its end. */
export interface VerifiedOperation {
  readonly receipt: MediaOperationReceipt;
  readonly evidence: readonly VerifiedEvidence[];
  /** The measurements beside the evidence. */
  readonly further: readonly VerifiedFurther[];
  /** The run's own artifacts over the stored evidence, in the order of the evidence; then those of the further evidence. */
  readonly artifacts: readonly Artifact[];
}

async function openEvidence(
  delivered: MediaEvidence,
  origin: Omit<EvidenceOrigin, 'kind'>,
  content: StoredContent,
): Promise<{ evidence: VerifiedEvidence; result: MediaOperationResult['evidence'][number] }> {
  const { kind } = delivered;
  if (delivered.state === 'unavailable') {
    const { artifactId: _, contentId: __, ...result } = delivered;
    return { evidence: { delivered, artifact: null }, result };
  }
  const { state, contentId } = delivered;
  const { body: artifact, bytes } = await readStoredReceipt(evidenceShape, content, contentId);
  checkObject(contentId, () => checkEvidence(artifact, { ...origin, kind }));
  return { evidence: { delivered, artifact }, result: { kind, state, contentId, bytes } };
}

function checkedEvidence({ delivered, artifact }: VerifiedEvidence): CheckedLink {
  const { kind: subject, contentId } = delivered;
  const detail = artifact === null ? `unavailable: ${delivered.reasonCode}` : countText(artifact.facts.length, 'fact');
  return { link: 'evidence', subject, contentId, detail };
}

/** The further evidence that a pass recorded behind its `first` artifacts: the journal alone names it. */
function furtherRecorded({ journal }: FoldContext, first: number, recorded: number): FurtherResult[] {
  const results: FurtherResult[] = [];
  for (let offset = first; offset < recorded; offset += 1) {
    const { kind, content } = journal.expect('artifact.recorded', offset).data.artifact;
    const further = furtherInPass.find(({ name }) => detectedArtifactKind(name) === kind);
    if (further === undefined || results.some((result) => result.kind === further.name))
      throw journal.fault('data.artifact.kind', offset);
    results.push({ kind: further.name, contentId: content.contentId, bytes: content.bytes });
  }
  return results;
}

async function openFurther(
  { kind, contentId }: FurtherResult,
  origin: Omit<EvidenceOrigin, 'kind'>,
  evidence: readonly VerifiedEvidence[],
  { content, report }: FoldContext,
): Promise<FurtherArtifact> {
  const { body } = await readStoredReceipt(furtherShape, content, contentId);
  checkObject(contentId, () => {
    checkEvidence(body, { ...origin, kind });
    checkAgainstPass(body, evidence);
  });
  await checkEvidenceObjects(body, content);
  report({ link: 'evidence', subject: kind, contentId, detail: countText(body.facts.length, 'fact') });
  return body;
}

/** The samples that a pass decoded are those that its speech evidence was measured on. */
function checkDerivedAudio(
  { derivedAudio }: Pick<MediaOperationResult, 'derivedAudio'>,
  evidence: readonly DeliveredEvidence[],
): void {
  const speech = evidence.find(({ delivered }) => delivered.kind === 'speech_activity')?.artifact;
  demandDerived('media_operation', { derivedAudio }, { derivedAudio: speech?.input.derivedAudio ?? null });
}

/** A result of a pass that another machine measured, and its artifacts, each of which was checked by itself. */
interface MeasuredElsewhere extends Pick<DeliveredPass, 'source' | 'operation'> {
  readonly run: StudyRun;
  readonly result: MediaOperationResult;
  /** In the order of the result; null for what is unavailable. */
  readonly artifacts: readonly (EvidenceArtifact | null)[];
  readonly furtherArtifacts: readonly FurtherArtifact[];
}

/**
 * Checks that such a result is whole, as the fold of its pass does. Once kept under its operation key, every study with that key
 * would fail at it. Throws `EvidenceChainError`.
 */
export function checkPassResult({
  run,
  source,
  operation,
  result,
  artifacts,
  furtherArtifacts,
}: MeasuredElsewhere): void {
  const { receipt } = operationCompleted(run, operation, result, false);
  const evidence = receipt.evidence.map((delivered, at) => ({ delivered, artifact: artifacts[at] ?? null }));
  checkDerivedAudio(result, evidence);
  const { analysisRequest: request } = run.record;
  checkDelivered({ source, request, operation, evidence, further: result.further ?? [] });
  for (const artifact of furtherArtifacts) checkAgainstPass(artifact, evidence);
}

/** The passes over the media that every study makes, in this order. */
const passes = ['detect', 'subtitles'] as const satisfies readonly StageName[];

/** A pass begins: the next of its study, while none is open. */
function foldPassStarted({ run, journal }: FoldContext, done: number, openPass: MediaOperation | null): void {
  const { tools, parameters, limits } = journal.expect('media.operation_started').data.request;
  const pass = passes[done];
  if (pass === undefined || openPass !== null) throw journal.fault('type');
  const { capability } = studyStages[pass].grant;
  journal.take([operationStarted(run, { capability, tools, parameters, limits })]);
}

/** A host that came back with other tools gave up a pass of the old ones, to begin it again. */
function foldPassGivenUp({ run, journal }: FoldContext, openPass: MediaOperation): void {
  const { reason } = journal.expect('media.operation_failed').data;
  journal.take([operationFailed(run, openPass, reason)]);
}

/** Reopens all evidence that a pass delivered and derives its receipt and its artifacts again. Throws `EvidenceChainError`. */
async function foldPassCompleted(context: FoldContext, operation: MediaOperation | null): Promise<VerifiedOperation> {
  const { run, source, journal, content, report } = context;
  const recorded = journal.count('artifact.recorded');
  if (operation === null) throw journal.fault('type', recorded);
  const { receipt } = journal.expect('media.operation_completed', recorded).data;
  const origin = { run, source: source.registered, operation };
  const evidence: VerifiedEvidence[] = [];
  const results: MediaOperationResult['evidence'] = [];
  for (const delivered of receipt.evidence) {
    const opened = await openEvidence(delivered, origin, content);
    evidence.push(opened.evidence);
    report(checkedEvidence(opened.evidence));
    results.push(opened.result);
  }
  checkDerivedAudio(receipt, evidence);
  const available = results.filter(({ state }) => state === 'available').length;
  const beside = furtherRecorded(context, available, recorded);
  const pass = { source: source.registered, request: run.record.analysisRequest, operation, evidence, further: beside };
  checkDelivered(pass);
  const opened: FurtherArtifact[] = [];
  for (const each of beside) opened.push(await openFurther(each, origin, evidence, context));
  const result = {
    evidence: results,
    derivedAudio: receipt.derivedAudio,
    ...(beside.length === 0 ? {} : { further: beside }),
  };
  const derived = operationCompleted(run, operation, result, receipt.reused);
  demandDerived('media_operation', receipt, derived.receipt);
  journal.take(derived.events);
  const detail = receipt.reused ? 'taken over' : 'measured';
  report({ link: 'media_operation', subject: receipt.operationId, contentId: null, detail });
  const further = opened.map((artifact, at) => {
    const { id: artifactId = '', content } = derived.artifacts[available + at] ?? {};
    return { artifactId, contentId: content?.contentId ?? '', artifact };
  });
  return { receipt, evidence, further, artifacts: derived.artifacts };
}

/** The findings of the passes over the media so far, in their order. */
export interface PassFindings {
  readonly operations: readonly VerifiedOperation[];
}

/** True if every pass over the media came to its end and nothing is under way. */
export const isMeasured = ({ progress, findings }: RunSoFar<PassFindings>): boolean =>
  isIdle(progress) && findings.operations.length === passes.length;

/** The first pass over the media: it measures sound and picture. Both passes write events of the same types. */
export const detectStage: RunStage<PassFindings, PassFindings, { readonly findings: Partial<PassFindings> }> = {
  name: 'detect',
  nothing: { operations: [] },
  records: { evidence: evidenceShape.schema, 'further-evidence': furtherShape.schema },
  derived: null,
  progress: {
    'media.operation_started': (progress, { capability, request: { tools, parameters, limits } }) => ({
      ...progress,
      openPass: { capability, tools, parameters, limits },
    }),
    'media.operation_failed': (progress) => ({ ...progress, openPass: null }),
    'media.operation_completed': (progress, { receipt: { operationId, capability } }) =>
      operationDone(progress, capability === 'media.subtitles' ? 'subtitles' : 'detect', operationId),
  },
  folds: {
    'media.operation_started': (context, { progress, findings }) => {
      foldPassStarted(context, findings.operations.length, progress.openPass);
      return { findings: {} };
    },
    'media.operation_completed': async (context, { progress, findings }) => {
      const completed = await foldPassCompleted(context, progress.openPass);
      return { findings: { operations: [...findings.operations, completed] } };
    },
    // Without a new start behind it, it is the first event of the end of the run.
    'media.operation_failed': (context, { progress: { openPass } }) => {
      if (openPass === null || context.journal.typeAt(1) !== 'media.operation_started') return null;
      foldPassGivenUp(context, openPass);
      return { findings: {} };
    },
  },
};

/** The second pass, over the text tracks: it is folded as the first, whose findings it joins. */
export const subtitlesStage: RunStage<unknown, object, never> = {
  name: 'subtitles',
  nothing: {},
  records: {},
  derived: null,
  progress: {},
  folds: {},
};
