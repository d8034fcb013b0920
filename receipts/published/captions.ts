import { ServiceError } from '../../contract/base/errors.ts';
import type { CaptionRow, QualityControlRow } from '../../contract/captions/caption-answers.ts';
import type { CaptionMethodRows } from '../../contract/captions/caption-method.ts';
import { type CaptionAllowance, maximumCaptionAttempts } from '../../contract/captions/caption-production.ts';
import type { CaptionForm, ShownCorrections } from '../../contract/captions/correction.ts';
import type { CaptionGuidelines } from '../../contract/captions/guideline-report.ts';
import type { CaptionQualityReports } from '../../contract/captions/quality-control.ts';
import type { PartCause } from '../../contract/causes/causes.ts';
import type { ApprovalReference } from '../../contract/review.ts';
import { firstDifference } from '../../formats/canonical-json.ts';
import type { Steps } from '../../formats/steps.ts';
import { type CaptionedStudy, captionObstacleOf, underPlan } from '../captions/captioned-study.ts';
import { correctionDecisionBySteps, isCorrected, noCorrections } from '../captions/corrected-lines.ts';
import { fileReportsOf } from '../captions/guideline-reports.ts';
import { type MethodEngines, noMethods, studiedMethods } from '../captions/methods.ts';
import { captionQualityReportsOf, qualityControlRowOf } from '../captions/quality-control.ts';
import { TrackStyles } from '../captions/track-styles.ts';
import { type CheckedCaptions, captionLanguages, fileLinesOf, writtenCues } from '../captions/webvtt.ts';
import { filmRateOf } from '../exports/film-frames.ts';
import type { VerifiedRuntime, VerifiedStudy } from '../fold.ts';
import type { VerifiedCaption } from '../stages/captions.ts';
import { approvalBefore } from '../stages/review.ts';
import { runtimeListOf } from './runtime.ts';

/** The study as it would be after an approval; null if it may not go to a reviewer. */
export function approvable({ execution }: VerifiedRuntime): CaptionedStudy | null {
  const conclusion = execution?.study.conclusion ?? null;
  if (execution === null || conclusion === null || conclusion.admission.outcome !== 'queued') return null;
  const { run } = execution.opened;
  const { findings, tail } = execution.study;
  return underPlan({ run, findings, conclusion, approval: approvalBefore(run, conclusion) }, tail.plan);
}

/**
 * The study behind an approval. Null if the approval is of another runtime, or is withdrawn or about to be. Work that began after
 * the first event of a withdrawal could not be reopened.
 */
export function approvedStudyOf({ execution }: VerifiedRuntime, approval: ApprovalReference): CaptionedStudy | null {
  const conclusion = execution?.study.conclusion ?? null;
  const authority = execution?.study.tail.authority ?? null;
  if (execution === null || conclusion === null || authority === null) return null;
  if (firstDifference(authority, approval) !== null) return null;
  const { findings, tail } = execution.study;
  return underPlan({ run: execution.opened.run, findings, conclusion, approval }, tail.plan);
}

/** Why a runtime gets no captions by any method; null if it may get some. */
function obstacleOf(
  { execution, accepted }: VerifiedRuntime,
  study: CaptionedStudy | null,
  mostMs: number,
): PartCause | null {
  const { conclusion, stop = null, tail } = execution?.study ?? {};
  if (!conclusion || tail === undefined) return { code: stop === null ? 'study_running' : 'study_ended', params: {} };
  const obstacle = captionObstacleOf(accepted.record, mostMs);
  if (obstacle !== null) return obstacle;
  const { review, authority, captions } = tail;
  if (study === null || (review !== null && authority === null)) return { code: 'approval_missing', params: {} };
  const isUsedUp = captions.caption === null && captions.attempts >= maximumCaptionAttempts;
  return isUsedUp ? { code: 'attempts_failed', params: { attempts: captions.attempts } } : null;
}

/** The ways to captions of a runtime; none of a study that has not come to its end. In steps. */
export function* captionMethodsOf(
  runtime: VerifiedRuntime,
  engines: MethodEngines,
  allowance: CaptionAllowance,
): Steps<CaptionMethodRows> {
  const study = approvable(runtime);
  const obstacle = obstacleOf(runtime, study, allowance.maxDurationMs);
  if (obstacle !== null) return noMethods(obstacle);
  return study === null
    ? noMethods({ code: 'approval_missing', params: {} })
    : yield* studiedMethods(study, engines, allowance);
}

/** The ids of everything that was reopened to verify captions. */
function reopenedOf({ findings, conclusion }: VerifiedStudy, { artifact }: VerifiedCaption): CaptionRow['reopened'] {
  const { input } = artifact.body;
  const { study, readiness } = input;
  const { reads, decision } = findings;
  const once = (ids: readonly string[]): string[] => [...new Set(ids)];
  return {
    sourceArtifactIds: [input.sourceArtifactId],
    semanticEvidenceArtifactIds: once(reads.map(({ body }) => body.input.artifactId)),
    reportArtifactIds: conclusion?.record.body.assessments.map(({ artifactId }) => artifactId) ?? [],
    admissionIds: [readiness.readinessId],
    planningDecisionIds: decision === null ? [] : [decision.body.operationId],
    executorIds: [study.executorReceiptId],
  };
}

/** Captions as the wire shows them. */
function rowOf(study: VerifiedStudy, caption: VerifiedCaption): CaptionRow {
  const { reference, artifact, receipt } = caption;
  const { input, executor, result } = artifact.body;
  const isRevoked = study.tail.review?.revocation !== null;
  return {
    jobId: reference.jobId,
    captionArtifactId: reference.artifactId,
    captionContentId: reference.contentId,
    receiptArtifactId: reference.receiptArtifactId,
    receiptId: reference.receiptId,
    receiptContentId: reference.receiptContentId,
    approval: receipt.body.authority.approval,
    source: {
      artifactId: input.sourceArtifactId,
      contentId: input.sourceContentId,
      analysisRequestId: input.analysisRequestId,
      range: input.range,
    },
    study: input.study,
    readiness: input.readiness,
    reopened: reopenedOf(study, caption),
    authorityState: isRevoked ? 'revoked_after_completion' : 'unrevoked',
    integrity: 'stored_caption_and_receipt_with_verified_study_readiness_approval',
    executor,
    result,
  };
}

/** Captions with the row that the wire shows of them. */
interface PublishedCaption {
  readonly row: CaptionRow;
  readonly caption: VerifiedCaption;
}

/** The captions of a runtime: at most one production completes. */
export function publishedCaptionsOf({ execution }: VerifiedRuntime): PublishedCaption[] {
  const caption = execution?.study.tail.captions.caption ?? null;
  return execution === null || caption === null ? [] : [{ row: rowOf(execution.study, caption), caption }];
}

/** The checks of a runtime's captions: one for each that was checked. */
export const publishedQualityControlsOf = (runtime: VerifiedRuntime): QualityControlRow[] =>
  publishedCaptionsOf(runtime).flatMap(({ row, caption }) =>
    caption.qualityControl === null
      ? []
      : [qualityControlRowOf(runtime.accepted.record.runtimeId, caption.qualityControl, row)],
  );

/** The part that a study without captions lacks, and the request that makes it. */
function lackOf(runtime: VerifiedRuntime): string {
  const { authority = null, review = null } = runtime.execution?.study.tail ?? {};
  if (authority !== null) return 'this study has no captions yet: POST …/caption-productions makes them';
  return review === null && approvable(runtime) !== null
    ? 'this study has no captions, as it is not approved: POST …/publish-review-decisions approves it, then POST …/caption-productions makes them'
    : 'this study has no captions: GET …/overview says why, and what can be done';
}

interface AcceptedCaptions {
  readonly jobId?: string | undefined;
  readonly corrections?: ShownCorrections | undefined;
}

/**
 * The captions of a runtime with the check that accepted them, without lines that it withheld. `jobId` selects one production.
 * They have the corrections of a person unless the request is for the original: then the check of the corrected lines decides.
 * Throws `not_found` if there are none, `illegal_caption_qc_transition` while no check has accepted them, and
 * `caption_authority_required` once their approval was withdrawn.
 */
export function* acceptedCaptionsOf(
  runtime: VerifiedRuntime,
  { jobId, corrections = 'applied' }: AcceptedCaptions = {},
): Steps<CheckedCaptions> {
  const published = publishedCaptionsOf(runtime).find(({ row }) => jobId === undefined || row.jobId === jobId);
  if (published === undefined) {
    throw new ServiceError('not_found', jobId === undefined ? lackOf(runtime) : 'this runtime has no such captions');
  }
  const { row, caption } = published;
  const check = caption.qualityControl;
  const corrected = corrections === 'applied' ? yield* correctedOf(runtime) : null;
  if (check === null || (corrected ?? check).decision.outcome !== 'accepted') {
    throw new ServiceError('illegal_caption_qc_transition', 'no check has accepted these captions');
  }
  if (row.authorityState !== 'unrevoked') {
    throw new ServiceError('caption_authority_required', 'the approval of these captions was withdrawn');
  }
  const { artifact, receipt } = { artifact: caption.artifact.body, receipt: caption.receipt.body };
  const styles = stylesOf(runtime);
  if (corrected !== null) return { artifact, receipt, qualityControl: check.body, corrected, ...styles };
  const accepted = new Set(
    check.decision.lines.flatMap(({ lineId, outcome }) => (outcome === 'accepted' ? [lineId] : [])),
  );
  const { jobId: id, input } = artifact;
  const lines = [...artifact.lines].filter((line) => accepted.has(line.id));
  return { artifact: { jobId: id, input, lines }, receipt, qualityControl: check.body, ...styles };
}

/** The styles that the tracks of a study have for its lines. */
const stylesOf = ({ execution }: VerifiedRuntime): Pick<CheckedCaptions, 'styles'> =>
  execution === null ? {} : { styles: new TrackStyles(execution.study.findings) };

/** The lines of captions that a person corrected, with what was decided on them; null for captions without corrections. */
function* correctedOf({ execution }: VerifiedRuntime) {
  const { corrections } = execution?.study.tail ?? { corrections: noCorrections };
  const correction = corrections.chain.at(-1)?.receipt;
  if (corrections.base === null || correction === undefined || !isCorrected(corrections)) return null;
  const { check, base } = corrections;
  if (check === null) throw new ServiceError('illegal_caption_qc_transition', 'the corrected lines are not checked');
  const decision = yield* correctionDecisionBySteps(corrections.lines, base);
  const lines = corrections.lines.filter((_, at) => decision.lines[at]?.outcome === 'accepted');
  return { lines, correction, check, decision };
}

/**
 * The answer to a request for the guidelines on a file of captions: the same lines and rows as the file of this form has. Throws
 * the same as the file.
 */
export function* publishedGuidelinesOf(runtime: VerifiedRuntime, form: CaptionForm): Steps<CaptionGuidelines> {
  const captions = yield* acceptedCaptionsOf(runtime, form);
  const { file, reports } = yield* fileReportsOf(
    fileLinesOf(captions),
    captionLanguages(captions),
    form,
    filmRateOf(runtime),
  );
  const lostStyles = yield* lostStylesOf(captions, form);
  return {
    schema: 'studio.local-runtime-caption-guidelines.v1',
    ...runtimeListOf(runtime),
    file: lostStyles.length === 0 ? file : { ...file, lostStyles },
    reports,
  };
}

/** The cues of a file that a model translated from a text with styles; those that a person wrote are theirs. */
function* lostStylesOf(captions: CheckedCaptions, form: CaptionForm): Steps<number[]> {
  const { styles, receipt } = captions;
  const isTranslated = receipt.producer.executor.classification.endsWith('_translated');
  if (styles === undefined || !isTranslated || form.side === 'source') return [];
  const lines = new Map(fileLinesOf(captions).map((line) => [line.id, line]));
  const cues = yield* writtenCues(fileLinesOf(captions), captionLanguages(captions), form);
  return cues.flatMap(({ id, number }) => {
    const { source, target } = lines.get(id) ?? {};
    if (source === undefined || source.text === null || target?.by === 'person') return [];
    const { runs } = styles.of(lines.get(id) ?? { startMs: 0, endMs: 0 }, source.text);
    return runs.some((run) => run.styles.length > 0) ? [number] : [];
  });
}

/** The hard cuts of a study that are certain, in ms; null if it has no evidence of them. */
function shotTimesOf({ execution }: VerifiedRuntime): number[] | null {
  const evidence = execution?.study.findings?.operations.flatMap((operation) => operation.evidence) ?? [];
  const shots = evidence.find(({ delivered }) => delivered.kind === 'shot_changes')?.artifact ?? null;
  return (
    shots?.facts.flatMap((fact) => (fact.kind === 'shot_change' && fact.grade === undefined ? [fact.atMs] : [])) ?? null
  );
}

/** The answer to a request for measurements of a runtime's captions. */
export function* publishedCaptionReportsOf(runtime: VerifiedRuntime): Steps<CaptionQualityReports> {
  const shotTimesMs = shotTimesOf(runtime);
  const reports: CaptionQualityReports['reports'] = [];
  for (const { caption } of publishedCaptionsOf(runtime)) {
    const { body, contentId } = caption.artifact;
    reports.push(
      ...(yield* captionQualityReportsOf({ artifact: body, contentId, shotTimesMs, frameRate: filmRateOf(runtime) })),
    );
  }
  return { schema: 'studio.local-runtime-caption-quality-reports.v1', ...runtimeListOf(runtime), reports };
}
