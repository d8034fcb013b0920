import { type CaptionSide, captionSide, type LineBreaks } from '../../contract/captions/caption-line.ts';
import {
  type CaptionCorrectionPreview,
  type CaptionCorrections,
  type CorrectionObstacle,
  correctionAttestation,
  type OriginalLine,
  type ShownLine,
} from '../../contract/captions/correction.ts';
import type { DraftedFile } from '../../contract/captions/guideline-report.ts';
import { wireText } from '../../contract/causes/wording.ts';
import type { Reviewer } from '../../contract/review.ts';
import type { Steps } from '../../formats/steps.ts';
import { captionObstacleOf } from '../captions/captioned-study.ts';
import {
  type AskedCorrection,
  type BaseLines,
  type CorrectionDecision,
  type CurrentLine,
  captionBaseOf,
  correctedBy,
  correctionDecisionBySteps,
  correctionsOn,
  draftBaseBySteps,
  isAdded,
  isCorrected,
  isOriginal,
  noCorrections,
  plainLine,
  type VerifiedCorrection,
  type VerifiedCorrections,
} from '../captions/corrected-lines.ts';
import { fileReportsOf } from '../captions/guideline-reports.ts';
import { type CaptionAbility, captionProspectBySteps, captionsAreOff } from '../captions/prospect.ts';
import { captionFindingsOf } from '../captions/quality-control.ts';
import { filmRateOf } from '../exports/film-frames.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { correctionHeadOf, isAdding, linesOfOlderRules, mayCorrect } from '../stages/correction.ts';
import { approvable } from './captions.ts';
import { runtimeListOf } from './runtime.ts';

/** The lines of a runtime that can be corrected, and the obstacle if none can; with lines there may be an obstacle, too. */
export interface Correctable {
  readonly obstacle: CorrectionObstacle | null;
  readonly base: BaseLines | null;
  readonly corrections: VerifiedCorrections;
}

const withoutLines = (code: CorrectionObstacle['code'], message: string): Correctable => ({
  obstacle: { code, message },
  base: null,
  corrections: noCorrections,
});

/**
 * The lines of a runtime that a person may correct. They are those of its captions, or before a production the lines that this
 * host would make captions of.
 */
export function* correctableOf(runtime: VerifiedRuntime, ability: CaptionAbility): Steps<Correctable> {
  const { execution, accepted } = runtime;
  const conclusion = execution?.study.conclusion ?? null;
  if (execution === null || conclusion === null) {
    return withoutLines('illegal_caption_transition', 'the study did not come to its end: it has no lines');
  }
  const { tail } = execution.study;
  const { captions } = tail;
  const isAllowed = mayCorrect(conclusion, tail);
  const on = (base: BaseLines, obstacle: CorrectionObstacle | null): Correctable => ({
    obstacle: isAllowed
      ? obstacle
      : { code: 'caption_authority_required', message: 'no approval of this study is valid' },
    base,
    corrections: correctionsOn(tail.corrections, base),
  });
  if (captions.caption !== null) {
    const isChecked = captions.caption.qualityControl !== null;
    const message = 'the captions are not checked yet: ask for their quality control first';
    return on(captionBaseOf(captions.caption), isChecked ? null : { code: 'illegal_caption_correction', message });
  }
  const study = approvable(runtime);
  if (study === null) return withoutLines('illegal_caption_transition', 'the study is not queued for a review');
  const making = { code: 'illegal_caption_correction', message: 'captions are being made of these lines' } as const;
  const isOpen = captions.open === null ? null : making;
  if (tail.corrections.base?.olderRules !== undefined) {
    return withoutLines('illegal_caption_correction', linesOfOlderRules);
  }
  if (isCorrected(tail.corrections) && tail.corrections.base !== null) return on(tail.corrections.base, isOpen);
  const obstacle = captionObstacleOf(accepted.record, ability.allowance.maxDurationMs);
  if (obstacle !== null) return withoutLines('illegal_caption_transition', wireText(obstacle));
  if (ability.classification === 'recorded_real_pipeline_fixture') {
    return withoutLines('caption_current_run_causality_required', captionsAreOff);
  }
  const { job, absence } = yield* captionProspectBySteps(study, captions.attempts, ability);
  if (absence !== null) return withoutLines('caption_lines_unavailable', `${absence.code}: ${wireText(absence)}`);
  return on(yield* draftBaseBySteps(job), isOpen);
}

type Changed = ShownLine['changed'];

/** The lines of a runtime as the wire shows them. */
function* shownLines(
  lines: readonly CurrentLine[],
  base: BaseLines,
  decided: CorrectionDecision['lines'],
  changedBy: (line: CurrentLine) => Changed,
): Steps<ShownLine[]> {
  const shown: ShownLine[] = [];
  for (const [at, { outcome, reasonCode }] of decided.entries()) {
    yield;
    const line = lines[at];
    if (line === undefined) break;
    const changed = isOriginal(line, base) ? null : changedBy(line);
    shown.push({ ...plainLine(line), changed, decision: { outcome, reasonCode } });
  }
  return shown;
}

const byId = ({ chain }: VerifiedCorrections): ReadonlyMap<string, VerifiedCorrection> =>
  new Map(chain.map((written) => [written.receipt.body.correctionId, written]));

function changedIn(corrections: VerifiedCorrections): (line: CurrentLine) => Changed {
  const known = byId(corrections);
  return ({ correctionId }) => {
    const written = correctionId === null ? undefined : known.get(correctionId);
    if (written === undefined) return null;
    const { id, label } = written.receipt.body.reviewer;
    return { correctionId, recordedAt: written.recordedAt, reviewer: { id, label } };
  };
}

function writtenOf({ chain }: VerifiedCorrections): CaptionCorrections['corrections'] {
  const revertedBy = new Map(
    chain.flatMap(({ receipt: { body } }) => (body.reverts === null ? [] : [[body.reverts, body.correctionId]])),
  );
  return chain.map(({ receipt: { contentId, body }, artifactId, recordedAt }) => ({
    correctionId: body.correctionId,
    artifactId,
    receiptId: body.receiptId,
    receiptContentId: contentId,
    recordedAt,
    reviewer: {
      id: body.reviewer.id,
      label: body.reviewer.label,
      attestation: body.reviewer.attestation.statement,
    },
    clientRequestId: body.clientRequestId,
    note: body.note,
    base: body.input.base,
    previous: body.input.previous?.receiptContentId ?? null,
    reverts: body.reverts,
    revertedBy: revertedBy.get(body.correctionId) ?? null,
    changes: body.changes,
  }));
}

function checkOf(
  { check }: VerifiedCorrections,
  { lines: _, ...verdict }: CorrectionDecision,
): CaptionCorrections['check'] {
  if (check === null) return { ...verdict, recorded: null };
  const { contentId: receiptContentId, body } = check;
  return { ...verdict, recorded: { checkId: body.checkId, receiptId: body.receiptId, receiptContentId } };
}

const noLines = {
  languages: null,
  head: null,
  base: null,
  originals: [] as OriginalLine[],
  lines: [] as ShownLine[],
  check: null,
};

function* linesOf(corrections: VerifiedCorrections, base: BaseLines) {
  const decision = yield* correctionDecisionBySteps(corrections.lines, base);
  return {
    languages: { source: base.input.sourceLanguage, target: base.input.targetLanguage },
    head: correctionHeadOf(corrections, base),
    base: base.base,
    originals: [...base.lines],
    lines: yield* shownLines(corrections.lines, base, decision.lines, changedIn(corrections)),
    check: checkOf(corrections, decision),
  };
}

/** The answer to a read of corrections. */
export function* correctionsOf(
  runtime: VerifiedRuntime,
  ability: CaptionAbility,
  reviewer: Reviewer,
): Steps<CaptionCorrections> {
  const { obstacle, base, corrections } = yield* correctableOf(runtime, ability);
  yield;
  const lines = base === null ? noLines : yield* linesOf(corrections, base);
  const hasAdded = corrections.chain.some(({ receipt }) => isAdding(receipt.body));
  // A client of the first version knows no added lines. Without one, its answer is as it always was.
  return {
    schema: hasAdded ? 'studio.local-runtime-caption-corrections.v2' : 'studio.local-runtime-caption-corrections.v1',
    ...runtimeListOf(runtime),
    reviewer: { id: reviewer.id, label: reviewer.label, correctionAttestation },
    obstacle,
    range: runtime.accepted.record.analysisRequest.range,
    ...lines,
    corrections: writtenOf(corrections),
  } as CaptionCorrections;
}

/** The measures of the file of each side that a draft would give. */
function* draftedFiles(
  lines: readonly CurrentLine[],
  languages: Readonly<Record<CaptionSide, string>>,
  lineBreaks: LineBreaks,
  rate: ReturnType<typeof filmRateOf>,
): Steps<DraftedFile[]> {
  const files: DraftedFile[] = [];
  for (const side of captionSide.options)
    files.push(yield* fileReportsOf(lines, languages, { side, lines: lineBreaks }, rate));
  return files;
}

/** The answer to a preview. Throws `CorrectionFault` for what the lines do not allow. */
export function* correctionPreviewOf(
  runtime: VerifiedRuntime,
  { corrections, base }: { readonly corrections: VerifiedCorrections; readonly base: BaseLines },
  asked: AskedCorrection,
  { id, label }: Reviewer,
  lineBreaks: LineBreaks | null = null,
): Steps<CaptionCorrectionPreview> {
  const { lines, touched } = correctedBy(corrections, base, asked);
  const known = changedIn(corrections);
  const draft = { correctionId: null, recordedAt: null, reviewer: { id, label } };
  yield;
  const { lines: decided, ...check } = yield* correctionDecisionBySteps(lines, base);
  const languages = { source: base.input.sourceLanguage, target: base.input.targetLanguage };
  const accepted = lines.filter((_, at) => decided[at]?.outcome === 'accepted');
  return {
    schema: lines.some(isAdded)
      ? 'studio.local-runtime-caption-correction-preview.v2'
      : 'studio.local-runtime-caption-correction-preview.v1',
    ...runtimeListOf(runtime),
    head: correctionHeadOf(corrections, base),
    lines: yield* shownLines(lines, base, decided, (line) => (touched.has(line.id) ? draft : known(line))),
    check,
    reports: yield* captionFindingsOf(lines, languages, filmRateOf(runtime)),
    ...(lineBreaks === null
      ? {}
      : { written: yield* draftedFiles(accepted, languages, lineBreaks, filmRateOf(runtime)) }),
  };
}
