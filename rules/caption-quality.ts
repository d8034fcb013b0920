import type { CaptionClassification, CaptionLine, LineLineage } from '../contract/captions/caption-line.ts';
import type { CaptionReceipt } from '../contract/captions/caption-production.ts';
import type { QualityControlDecision } from '../contract/captions/quality-control.ts';
import { firstDifference } from '../formats/canonical-json.ts';
import { resultOfSteps, type Steps } from '../formats/steps.ts';
import { coversWhole } from './time-spans.ts';

/** Captions in the form that says everything with every line, and the receipt of their production. */
interface JudgedCaptions {
  readonly artifact: { readonly lines: readonly CaptionLine[] };
  readonly receipt: CaptionReceipt;
}

type LineDecision = QualityControlDecision['lines'][number];

const isSame = (one: object, other: object): boolean => firstDifference(one, other) === null;

const hasBothTexts = ({ source, target }: CaptionLine, { input }: CaptionReceipt): boolean =>
  source.state === 'available' &&
  target.state === 'available' &&
  source.language === input.sourceLanguage &&
  target.language === input.targetLanguage;

/** A supported stretch of the study, and reads of one evidence over all of the line's time that assessments took in. */
function isSupported({ startMs, endMs, lineage }: CaptionLine): boolean {
  const { coverage, claimIds, semanticCitations, childReports } = lineage.study;
  const reported = new Set(childReports.map(({ readReceiptId }) => readReceiptId));
  const observedIn = (artifactId: string) =>
    semanticCitations
      .filter((citation) => citation.artifactId === artifactId && reported.has(citation.receiptId))
      .flatMap(({ observations }) => observations);
  return (
    coverage.state === 'supported' &&
    claimIds.length > 0 &&
    semanticCitations.some(({ artifactId }) => coversWhole(observedIn(artifactId), { startMs, endMs }))
  );
}

/** The run that a line names as its origin, without the statements about its own time. */
function originOf({ source, study, readiness, approval, captionExecutor }: LineLineage) {
  const { studyId, artifactId, contentId, executorReceiptId, executorReceiptContentId } = study;
  return {
    source: { artifactId: source.artifactId, contentId: source.contentId },
    study: { studyId, artifactId, contentId, executorReceiptId, executorReceiptContentId },
    readiness,
    approval,
    captionExecutor,
  };
}

/** The one origin that a line of this production can have. */
function originBy({ jobId, input, authority, producer }: CaptionReceipt): ReturnType<typeof originOf> {
  const { id, version, executionScope, cognitionClaim } = producer.executor;
  return {
    source: { artifactId: input.sourceArtifactId, contentId: input.sourceContentId },
    study: input.study,
    readiness: input.readiness,
    approval: authority.approval,
    captionExecutor: { jobId, id, version, executionScope, cognitionClaim },
  };
}

const isWithin = (inner: { startMs: number; endMs: number }, outer: { startMs: number; endMs: number }): boolean =>
  outer.startMs <= inner.startMs && inner.endMs <= outer.endMs;

/** The lines before a line: their names, and where the last of them ends. */
interface LinesBefore {
  readonly ids: ReadonlySet<string>;
  readonly endMs: number;
}

/** Comes after all lines before it, under a name of its own, inside the range and the part of the source it names. */
function isInOrder(line: CaptionLine, before: LinesBefore, { input }: CaptionReceipt): boolean {
  const { window } = line.lineage.source;
  return (
    line.startMs < line.endMs &&
    isWithin(line, window) &&
    isWithin(window, input.range) &&
    !before.ids.has(line.id) &&
    before.endMs <= line.startMs
  );
}

const isComplete = (line: CaptionLine, before: LinesBefore, receipt: CaptionReceipt): boolean =>
  hasBothTexts(line, receipt) &&
  isSupported(line) &&
  isSame(originOf(line.lineage), originBy(receipt)) &&
  isInOrder(line, before, receipt);

/** Executors whose captions are handed out without the lines that did not pass. */
const acceptedInPart: ReadonlySet<CaptionClassification> = new Set([
  'grouped_subtitle_tracks',
  'subtitle_tracks_translated',
  'recognised_transcript',
  'recognised_transcript_translated',
]);

/** True if captions of this executor are published without the lines that did not pass. */
export const acceptsInPart = ({ classification }: { readonly classification: CaptionClassification }): boolean =>
  acceptedInPart.has(classification);

const accepted = { outcome: 'accepted', reasonCode: 'line_structurally_complete' } as const;
const withheld = { outcome: 'withheld', reasonCode: 'line_unavailable_or_withheld' } as const;
const demo = { outcome: 'withheld', reasonCode: 'test_demo_only' } as const;

/**
 * The decision whether captions are complete by their structure. Their meaning is not judged. Both sides of an accepted line have
 * a text in the language of the request. It has a supported claim, citations over its whole time and their reports. It comes from
 * this source, study, readiness, approval and job, and lies in order of time inside the range. Captions are accepted when they
 * have lines and every line is. Those of some executors are accepted when some line is, and only such lines are published. Those
 * that only serve a demonstration never are.
 */
export const structuralDecisionOf = (captions: JudgedCaptions): QualityControlDecision =>
  resultOfSteps(structuralDecisionBySteps(captions));

/** The same in steps, one for each line. */
export function* structuralDecisionBySteps({
  artifact: { lines },
  receipt,
}: JudgedCaptions): Steps<QualityControlDecision> {
  const isDemo = receipt.producer.executor.executionScope === 'test_demo_only';
  const ids = new Set<string>();
  let endMs = 0;
  const decided: LineDecision[] = [];
  for (const line of lines) {
    yield;
    const passed = isComplete(line, { ids, endMs }, receipt) ? accepted : withheld;
    ids.add(line.id);
    endMs = Math.max(endMs, line.endMs);
    decided.push({ lineId: line.id, ...(isDemo ? demo : passed) });
  }
  const withReason = (reason: QualityControlDecision['reasonCodes'][0]): QualityControlDecision => ({
    outcome: reason.startsWith('current_run_candidate') ? 'accepted' : 'withheld',
    reasonCodes: [reason],
    lines: decided,
  });
  if (isDemo) return withReason('recorded_fixture_test_demo_only');
  if (lines.length === 0) return withReason('candidate_has_no_lines');
  const isWhole = decided.every(({ outcome }) => outcome === 'accepted');
  const isPart = decided.some(({ outcome }) => outcome === 'accepted');
  if (!isWhole && isPart && acceptsInPart(receipt.producer.executor)) {
    return withReason('current_run_candidate_accepted_in_part');
  }
  return withReason(
    isWhole ? 'current_run_candidate_structurally_complete' : 'candidate_has_unavailable_or_withheld_lines',
  );
}
