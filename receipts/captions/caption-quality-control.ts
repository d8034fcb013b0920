import type { CaptionRow, QualityControlRow } from '../../contract/captions/caption-answers.ts';
import type { CaptionReference } from '../../contract/captions/caption-production.ts';
import {
  type LongQualityControlReceipt,
  longQualityControlReceipt,
  maximumPartDecisions,
  maximumQualityControlReceiptBytes,
  type PlainQualityControlReceipt,
  type QualityControlCandidate,
  type QualityControlDecision,
  type QualityControlPart,
  type QualityControlReceipt,
  qualityControlPart,
  qualityControlPolicy,
  qualityControlReceipt,
} from '../../contract/captions/caption-quality-control.ts';
import { artifactIdOf } from '../core/artifact.ts';
import { hashOf } from '../core/canonical-json.ts';
import { artifactRecorded } from '../core/event-draft.ts';
import { type ReceiptNames, RunReceipt, RunRecord } from '../core/record.ts';
import { inParts, RunParts } from '../core/record-parts.ts';
import type { StoredContent } from '../core/stored-content.ts';
import type { StoredReceipt } from '../core/stored-receipt.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { type StoredCaptions, structuralDecisionOf } from './caption-structure.ts';

/** Captions under the names by which they are recorded. */
export interface CheckableCaptions extends StoredCaptions {
  readonly reference: CaptionReference;
}

/** Captions as a request for their check names them. */
export const candidateOf = (reference: Omit<CaptionReference, 'receiptArtifactId'>): QualityControlCandidate => ({
  jobId: reference.jobId,
  captionArtifactId: reference.artifactId,
  captionContentId: reference.contentId,
  captionReceiptId: reference.receiptId,
  captionReceiptContentId: reference.receiptContentId,
});

/** One check for each candidate of a run. */
export const qualityControlIdOf = (runId: string, candidate: QualityControlCandidate): string =>
  `caption-quality-control:${hashOf({ runId, candidate })}`;

const declaration = {
  link: 'quality_control',
  maximumBytes: maximumQualityControlReceiptBytes,
  idPrefix: 'caption-quality-control-receipt',
  kind: 'caption-quality-control-receipt',
  about: 'qcId',
  origin: ({ qcId }: Pick<QualityControlReceipt, 'qcId'>) => ({ kind: 'caption_quality_control', qcId }) as const,
  producer: 'host',
} as const;

const sourcesOf = (
  { input: { jobId, captionArtifactId, captionReceiptContentId } }: QualityControlReceipt,
  runId: string,
): string[] => [
  captionArtifactId,
  artifactIdOf({
    runId,
    contentId: captionReceiptContentId,
    kind: 'caption-production-receipt',
    origin: { kind: 'caption_production', jobId },
  }),
];

function receiptBody({ record }: StudyRun, { receipt, reference }: CheckableCaptions) {
  const candidate = candidateOf(reference);
  return {
    qcId: qualityControlIdOf(record.runtimeId, candidate),
    input: candidate,
    lineage: {
      candidateInput: receipt.input,
      executor: receipt.producer.executor,
      study: receipt.input.study,
      readiness: receipt.input.readiness,
      approval: receipt.authority.approval,
    },
    producer: {
      id: 'studio.host-caption-quality-control',
      version: '1',
      independence: 'separate_from_caption_executor',
      policy: qualityControlPolicy,
    },
  } as const;
}

/** The receipt of a check: nothing in it but the candidate and the policy, so that a second check gives the same receipt. */
export const qualityControl = new RunReceipt<PlainQualityControlReceipt, 'qcId', CheckableCaptions>({
  ...declaration,
  schema: qualityControlReceipt,
  name: 'studio.caption-quality-control.receipt.v1',
  sources: sourcesOf,
  derive: (run, captions) => ({ ...receiptBody(run, captions), decision: structuralDecisionOf(captions) }),
});

/** What was decided on the lines of long captions, as a run stores it. */
export const storedDecisions = new RunParts<QualityControlPart>(
  new RunRecord<QualityControlPart>({
    ...declaration,
    schema: qualityControlPart,
    kind: 'caption-quality-control-part',
    sources: ({ captionArtifactId }) => [captionArtifactId],
    ownId: 'qcId',
  }),
  ({ lines }) => lines.length,
);

function partsOf(runId: string, { reference }: CheckableCaptions, { lines }: QualityControlDecision) {
  const most = { items: maximumPartDecisions, bytes: maximumQualityControlReceiptBytes / 2 };
  const qcId = qualityControlIdOf(runId, candidateOf(reference));
  return inParts(lines, most).map(
    (part, index): QualityControlPart => ({
      schema: 'studio.caption-quality-control.part.v1',
      ...{ qcId, runId, captionArtifactId: reference.artifactId, index, lines: part },
    }),
  );
}

/** The receipt of a check of long captions. */
export const longQualityControl = new RunReceipt<LongQualityControlReceipt, 'qcId', CheckableCaptions>({
  ...declaration,
  schema: longQualityControlReceipt,
  name: 'studio.caption-quality-control.receipt.v2',
  sources: (receipt, runId) => [
    ...sourcesOf(receipt, runId),
    ...receipt.decision.parts.map(({ artifactId }) => artifactId),
  ],
  derive: (run, captions) => {
    const { runtimeId } = run.record;
    const { lines, ...verdict } = structuralDecisionOf(captions);
    const parts = storedDecisions.namesOf(runtimeId, partsOf(runtimeId, captions, { lines, ...verdict }));
    const acceptedCount = lines.filter(({ outcome }) => outcome === 'accepted').length;
    const withheldCount = lines.length - acceptedCount;
    return { ...receiptBody(run, captions), decision: { ...verdict, acceptedCount, withheldCount, parts } };
  },
});

const isLong = ({ receipt }: Pick<CheckableCaptions, 'receipt'>): boolean =>
  receipt.schema === 'studio.caption-production.receipt.v3';

/** How the receipt of a check is written and read. */
const receiptWhere = (isOfLong: boolean) =>
  (isOfLong ? longQualityControl : qualityControl) as RunReceipt<QualityControlReceipt, 'qcId', CheckableCaptions>;

/** A check that was reopened, with what it decided on every line. */
export interface VerifiedCheck extends StoredReceipt<QualityControlReceipt> {
  readonly decision: QualityControlDecision;
}

/** Reads a check back, with the parts of a long one, and derives it again. Throws `EvidenceChainError`. */
export async function reopenCheck(
  content: StoredContent,
  contentId: string,
  run: StudyRun,
  captions: CheckableCaptions,
): Promise<VerifiedCheck> {
  const declared = receiptWhere(isLong(captions));
  const checked = await declared.reopen(content, contentId, () => declared.of(run, captions));
  const { decision } = checked.body;
  // They are named by their content, which is that of the decisions that were derived.
  if ('parts' in decision) await storedDecisions.read(content, decision.parts);
  return { ...checked, decision: structuralDecisionOf(captions) };
}

/** Checks captions and writes down what came of it. */
export function recordQualityControl(run: StudyRun, captions: CheckableCaptions): StepResult<CheckNames> {
  const declared = receiptWhere(isLong(captions));
  const written = declared.write('caption.quality_control_decided', run, declared.of(run, captions));
  if (!isLong(captions)) return written;
  const { runtimeId } = run.record;
  const outputs = storedDecisions.outputsOf(run, partsOf(runtimeId, captions, structuralDecisionOf(captions)));
  return {
    objects: [...outputs.map(({ object }) => object), ...written.objects],
    events: [...outputs.map(({ artifact }) => artifactRecorded(artifact, causeOf(run))), ...written.events],
    refs: written.refs,
  };
}

type CheckNames = Pick<QualityControlReceipt, 'qcId'> & ReceiptNames;

/** A check as the wire shows it, beside the production that it looked at. */
export function qualityControlRowOf(
  runId: string,
  { body: receipt, decision }: Pick<VerifiedCheck, 'body' | 'decision'>,
  candidate: CaptionRow,
): QualityControlRow {
  const { input, producer } = receipt;
  const linesThatAre = (outcome: 'accepted' | 'withheld'): string[] =>
    decision.lines.filter((line) => line.outcome === outcome).map(({ lineId }) => lineId);
  const declared = receiptWhere(receipt.schema === 'studio.caption-quality-control.receipt.v2');
  const { artifactId: outputArtifactId, ...names } = declared.referenceOf(runId, receipt);
  return {
    ...names,
    outputArtifactId,
    jobId: input.jobId,
    captionArtifactId: input.captionArtifactId,
    captionContentId: input.captionContentId,
    integrity: 'stored_independent_qc_with_verified_current_run_candidate',
    policy: producer.policy,
    outcome: decision.outcome,
    reasonCodes: decision.reasonCodes,
    acceptedLineIds: linesThatAre('accepted'),
    withheldLineIds: linesThatAre('withheld'),
    candidate,
  };
}
