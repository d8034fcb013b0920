import type { CaptionRow, QualityControlRow } from '../../contract/captions/caption-answers.ts';
import { type CaptionLine, type CaptionSide, captionSide } from '../../contract/captions/caption-line.ts';
import type { CaptionReceipt, CaptionReference } from '../../contract/captions/caption-production.ts';
import {
  type CaptionFindingCode,
  type CaptionFrameRate,
  type CaptionProfileLimits,
  type CaptionQualityReport,
  type CueMeasures,
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
} from '../../contract/captions/quality-control.ts';
import { wordsOfSide } from '../../contract/captions/styled-text.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { resultOfSteps, type Steps } from '../../formats/steps.ts';
import {
  type CaptionProfile,
  captionProfilesOf,
  cueMeasuresOf,
  type ShownCue,
} from '../../rules/caption-guidelines.ts';
import { structuralDecisionBySteps } from '../../rules/caption-quality.ts';
import { artifactIdOf } from '../identities.ts';
import { artifactRecorded } from '../journal.ts';
import { inParts, type ReceiptNames, RunParts, RunReceipt, RunRecord } from '../record.ts';
import type { StoredContent, StoredReceipt } from '../stored-records.ts';
import { causeOf, type StepResult, type StudyRun } from '../study-run.ts';
import type { WholeCaptions } from './stored-captions.ts';

/** Captions and the receipt of their production, as they were reopened. */
export interface StoredCaptions {
  readonly artifact: WholeCaptions;
  readonly receipt: CaptionReceipt;
}

/** Captions under the names by which they are recorded. */
export interface CheckableCaptions extends StoredCaptions {
  readonly reference: CaptionReference;
}

/** The decisions on captions that do not change: a check needs them several times, and those on long ones take a while. */
const knownDecisions = new WeakMap<CheckableCaptions, QualityControlDecision>();

/** The decision on captions, in steps; once it was made, the check of the same captions only looks it up. */
export function* decisionBySteps(captions: CheckableCaptions): Steps<QualityControlDecision> {
  const known = knownDecisions.get(captions);
  if (known !== undefined) return known;
  const decision = yield* structuralDecisionBySteps(captions);
  knownDecisions.set(captions, decision);
  return decision;
}

const decisionOf = (captions: CheckableCaptions): QualityControlDecision => resultOfSteps(decisionBySteps(captions));

/** Captions as a request for their check names them. */
export const candidateOf = (reference: Omit<CaptionReference, 'receiptArtifactId'>): QualityControlCandidate => ({
  jobId: reference.jobId,
  captionArtifactId: reference.artifactId,
  captionContentId: reference.contentId,
  captionReceiptId: reference.receiptId,
  captionReceiptContentId: reference.receiptContentId,
});

/** One check for each candidate of a run. */
const qualityControlIdOf = (runId: string, candidate: QualityControlCandidate): string =>
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
  derive: (run, captions) => ({ ...receiptBody(run, captions), decision: decisionOf(captions) }),
});

/** The decisions on the lines of long captions, as a run stores them. */
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
      qcId,
      runId,
      captionArtifactId: reference.artifactId,
      index,
      lines: part,
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
    const { lines, ...verdict } = decisionOf(captions);
    const parts = storedDecisions.namesOf(runtimeId, partsOf(runtimeId, captions, { lines, ...verdict }));
    const acceptedCount = lines.filter(({ outcome }) => outcome === 'accepted').length;
    const withheldCount = lines.length - acceptedCount;
    return { ...receiptBody(run, captions), decision: { ...verdict, acceptedCount, withheldCount, parts } };
  },
});

const isLong = ({ receipt }: Pick<CheckableCaptions, 'receipt'>): boolean =>
  receipt.schema === 'studio.caption-production.receipt.v3' ||
  receipt.schema === 'studio.caption-production.receipt.v5';

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
  return { ...checked, decision: decisionOf(captions) };
}

/** Checks captions and writes down what came of it. */
export function recordQualityControl(run: StudyRun, captions: CheckableCaptions): StepResult<CheckNames> {
  const declared = receiptWhere(isLong(captions));
  const written = declared.write('caption.quality_control_decided', run, declared.of(run, captions));
  if (!isLong(captions)) return written;
  const { runtimeId } = run.record;
  const outputs = storedDecisions.outputsOf(run, partsOf(runtimeId, captions, decisionOf(captions)));
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

/** Captions and what is known of the picture that they are shown over. */
export interface ReportedCaptions {
  readonly artifact: Pick<WholeCaptions, 'jobId' | 'input'> & { readonly lines: readonly TextLine[] };
  readonly contentId: CaptionReference['contentId'];
  /** Times of the study's hard cuts in ms; null if it has no evidence of them. */
  readonly shotTimesMs: readonly number[] | null;
  /** Frames per second of the media as a fraction; null if unknown. */
  readonly frameRate: { readonly numerator: number; readonly denominator: number } | null;
}

type Finding = CaptionQualityReport['findings'][number];

/** The frame rate for which Netflix writes its timing guidelines; gaps are counted by it where the media's is not known. */
const assumedFrameRate: CaptionFrameRate = { numerator: 24, denominator: 1, origin: 'assumed' };

const frameRateOf = (known: ReportedCaptions['frameRate']): CaptionFrameRate =>
  known === null ? assumedFrameRate : { ...known, origin: 'media' };

const milliOrNull = (value: number | null): number | null => (value === null ? null : value * 1000);

// Times of cues are rounded to whole ms, so a gap of exactly that many frames may be a fraction of a ms short.
const framesInMs = (frames: number, { numerator, denominator }: CaptionFrameRate): number =>
  Math.floor((frames * 1000 * denominator) / numerator);

const limitsOf = (profile: CaptionProfile, frameRate: CaptionFrameRate): CaptionProfileLimits => ({
  readingSpeedMilliCps: milliOrNull(profile.readingSpeedCps),
  lineMilliCharacters: milliOrNull(profile.lineCharacters),
  lines: profile.lines,
  minimumDurationMs: profile.minimumDurationMs,
  maximumDurationMs: profile.maximumDurationMs,
  minimumGapMs: profile.minimumGapFrames === null ? null : framesInMs(profile.minimumGapFrames, frameRate),
});

function openLimitsOf(limits: CaptionProfileLimits, { isForLatinScript }: CaptionProfile) {
  const open: CaptionQualityReport['openLimits'] = [];
  const ofText = isForLatinScript ? 'guideline_for_latin_script' : 'not_in_guideline';
  if (limits.readingSpeedMilliCps === null) open.push({ limit: 'readingSpeedMilliCps', reasonCode: ofText });
  if (limits.lineMilliCharacters === null) open.push({ limit: 'lineMilliCharacters', reasonCode: ofText });
  if (limits.minimumGapMs === null) open.push({ limit: 'minimumGapMs', reasonCode: 'not_in_guideline' });
  return open;
}

function findingsOf(cue: CueMeasures, limits: CaptionProfileLimits): Finding[] {
  const findings: Finding[] = [];
  const find = (code: CaptionFindingCode, measured: number, limit: number): void => {
    findings.push({ lineId: cue.lineId, code, measured, limit });
  };
  const above = (code: CaptionFindingCode, measured: number, limit: number | null): void => {
    if (limit !== null && measured > limit) find(code, measured, limit);
  };
  const { durationMs, gapBeforeMs } = cue;
  above('reading_speed_too_high', cue.readingSpeedMilliCps, limits.readingSpeedMilliCps);
  above('line_too_long', cue.longestLineMilliCharacters, limits.lineMilliCharacters);
  above('too_many_lines', cue.lines, limits.lines);
  if (durationMs < limits.minimumDurationMs) find('duration_too_short', durationMs, limits.minimumDurationMs);
  above('duration_too_long', durationMs, limits.maximumDurationMs);
  if (gapBeforeMs === null) return findings;
  if (gapBeforeMs < 0) find('overlap', -gapBeforeMs, 0);
  else if (limits.minimumGapMs !== null && gapBeforeMs < limits.minimumGapMs) {
    find('gap_too_short', gapBeforeMs, limits.minimumGapMs);
  }
  return findings;
}

/** A line with its texts, whether of the host or of a person. */
interface TextLine extends Pick<CaptionLine, 'id' | 'startMs' | 'endMs'> {
  readonly source: Pick<CaptionLine['source'], 'state' | 'text'> & { readonly by?: 'host' | 'person' };
  readonly target: Pick<CaptionLine['target'], 'state' | 'text'> & { readonly by?: 'host' | 'person' };
}

const shownCuesOf = (lines: readonly TextLine[], side: CaptionSide): ShownCue[] =>
  lines.flatMap((line) => {
    const { state } = line[side];
    const text = wordsOfSide(line[side]);
    return state === 'available' && text !== null
      ? [{ lineId: line.id, startMs: line.startMs, endMs: line.endMs, text }]
      : [];
  });

function* cuesOf(
  lines: readonly TextLine[],
  side: CaptionSide,
  { countsNarrowHalf }: CaptionProfile,
  shotTimesMs: readonly number[] | null,
): Steps<CueMeasures[]> {
  const options = { countsNarrowHalf, shotTimesMs: shotTimesMs ?? [] };
  const measured: CueMeasures[] = [];
  let before: ShownCue | null = null;
  for (const cue of shownCuesOf(lines, side)) {
    measured.push(cueMeasuresOf(cue, before, options));
    before = cue;
    yield;
  }
  return measured;
}

function* reportOf(
  { artifact, contentId, shotTimesMs, frameRate: known }: ReportedCaptions,
  side: CaptionSide,
  language: string,
  profile: CaptionProfile,
): Steps<CaptionQualityReport> {
  const frameRate = frameRateOf(known);
  const limits = limitsOf(profile, frameRate);
  const cues = yield* cuesOf(artifact.lines, side, profile, shotTimesMs);
  const { id, source, date } = profile;
  return {
    jobId: artifact.jobId,
    captionContentId: contentId,
    side,
    language,
    profile: { id, source, date },
    limits,
    openLimits: openLimitsOf(limits, profile),
    frameRate,
    shotChanges:
      shotTimesMs === null
        ? { state: 'unavailable', reasonCode: 'no_shot_evidence', count: null }
        : { state: 'available', reasonCode: null, count: shotTimesMs.length },
    cues,
    findings: cues.flatMap((cue) => findingsOf(cue, limits)),
  };
}

/**
 * Holds the cues of both sides of captions against every guideline for their language. A cue without a text on a side is
 * not shown and not measured there. The report is a measurement: it decides nothing.
 */
export function* captionQualityReportsOf(captions: ReportedCaptions): Steps<CaptionQualityReport[]> {
  const { sourceLanguage, targetLanguage } = captions.artifact.input;
  const languages: Readonly<Record<CaptionSide, string>> = { source: sourceLanguage, target: targetLanguage };
  const reports: CaptionQualityReport[] = [];
  for (const side of captionSide.options) {
    for (const profile of captionProfilesOf(languages[side])) {
      reports.push(yield* reportOf(captions, side, languages[side], profile));
    }
  }
  return reports;
}

/**
 * The findings of the guidelines in lines that are not written down. They are the findings of `captionQualityReportsOf` alone,
 * with gaps counted by the frame rate that the guidelines assume.
 */
export function* captionFindingsOf(
  lines: readonly TextLine[],
  languages: Readonly<Record<CaptionSide, string>>,
  known: ReportedCaptions['frameRate'] = null,
): Steps<Pick<CaptionQualityReport, 'side' | 'language' | 'profile' | 'findings'>[]> {
  const reports: Pick<CaptionQualityReport, 'side' | 'language' | 'profile' | 'findings'>[] = [];
  for (const side of captionSide.options) {
    for (const profile of captionProfilesOf(languages[side])) {
      const { id, source, date } = profile;
      const limits = limitsOf(profile, frameRateOf(known));
      const findings = (yield* cuesOf(lines, side, profile, null)).flatMap((cue) => findingsOf(cue, limits));
      reports.push({ side, language: languages[side], profile: { id, source, date }, findings });
    }
  }
  return reports;
}
