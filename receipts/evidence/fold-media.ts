import type { Artifact } from '../../contract/base/artifact.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { type FurtherArtifact, type FurtherResult, passKinds } from '../../contract/evidence/further-evidence.ts';
import type {
  MediaCapability,
  MediaEvidence,
  MediaOperationReceipt,
  MediaOperationResult,
} from '../../contract/evidence/media-operation.ts';
import { type CheckedLink, counted } from '../core/checked-link.ts';
import { checkObject, demandDerived } from '../core/evidence-chain-error.ts';
import type { StoredContent } from '../core/stored-content.ts';
import { readReceipt } from '../core/stored-receipt.ts';
import { checkAgainstPass, checkDelivered } from './check-delivered.ts';
import { checkEvidence, type EvidenceOrigin, evidenceShape, furtherShape } from './check-evidence.ts';
import { detectedArtifactKind } from './detected-evidence.ts';
import { checkEvidenceObjects } from './evidence-objects.ts';
import type { FoldContext } from './fold-context.ts';
import { type MediaOperation, operationCompleted, operationFailed, operationStarted } from './media-operation.ts';

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
  /** What was measured beside the evidence. */
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
  const { body: artifact, bytes } = await readReceipt(evidenceShape, content, contentId);
  checkObject(contentId, () => checkEvidence(artifact, { ...origin, kind }));
  return { evidence: { delivered, artifact }, result: { kind, state, contentId, bytes } };
}

function checkedEvidence({ delivered, artifact }: VerifiedEvidence): CheckedLink {
  const { kind: subject, contentId } = delivered;
  const detail = artifact === null ? `unavailable: ${delivered.reasonCode}` : counted(artifact.facts.length, 'fact');
  return { link: 'evidence', subject, contentId, detail };
}

/** The further evidence that a pass recorded behind its `first` artifacts: the journal alone names it. */
function furtherRecorded({ journal }: FoldContext, first: number, recorded: number): FurtherResult[] {
  const results: FurtherResult[] = [];
  for (let offset = first; offset < recorded; offset += 1) {
    const { kind, content } = journal.expect('artifact.recorded', offset).data.artifact;
    const further = passKinds.find((each) => detectedArtifactKind(each) === kind);
    if (further === undefined || results.some((result) => result.kind === further))
      throw journal.fault('data.artifact.kind', offset);
    results.push({ kind: further, contentId: content.contentId, bytes: content.bytes });
  }
  return results;
}

async function openFurther(
  { kind, contentId }: FurtherResult,
  origin: Omit<EvidenceOrigin, 'kind'>,
  evidence: readonly VerifiedEvidence[],
  { content, report }: FoldContext,
): Promise<FurtherArtifact> {
  const { body } = await readReceipt(furtherShape, content, contentId);
  checkObject(contentId, () => {
    checkEvidence(body, { ...origin, kind });
    checkAgainstPass(body, evidence);
  });
  await checkEvidenceObjects(body, content);
  report({ link: 'evidence', subject: kind, contentId, detail: counted(body.facts.length, 'fact') });
  return body;
}

/** The samples that a pass decoded are those that its speech evidence was measured on. */
function checkDerivedAudio({ derivedAudio }: MediaOperationReceipt, evidence: readonly VerifiedEvidence[]): void {
  const speech = evidence.find(({ delivered }) => delivered.kind === 'speech_activity')?.artifact;
  demandDerived('media_operation', { derivedAudio }, { derivedAudio: speech?.input.derivedAudio ?? null });
}

/** The passes over the media that every study makes, in this order. */
const passes: readonly MediaCapability[] = ['media.detect', 'media.subtitles'];

/** A pass begins: the next of its study, while none is open. */
export function foldPassStarted({ run, journal }: FoldContext, done: number, openPass: MediaOperation | null): void {
  const { tools, parameters, limits } = journal.expect('media.operation_started').data.request;
  const capability = passes[done];
  if (capability === undefined || openPass !== null) throw journal.fault('type');
  journal.take([operationStarted(run, { capability, tools, parameters, limits })]);
}

/** A host that came back with other tools gave up what was begun with the old ones, to begin anew. */
export function foldPassGivenUp({ run, journal }: FoldContext, openPass: MediaOperation): void {
  const { reason } = journal.expect('media.operation_failed').data;
  journal.take([operationFailed(run, openPass, reason)]);
}

/** Reopens all evidence that a pass delivered and derives its receipt and its artifacts again. Throws `EvidenceChainError`. */
export async function foldPassCompleted(
  context: FoldContext,
  operation: MediaOperation | null,
): Promise<VerifiedOperation> {
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
