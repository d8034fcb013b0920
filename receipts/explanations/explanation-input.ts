import type { CaptionLine } from '../../contract/captions/caption-line.ts';
import {
  type ExplainedLine,
  type ExplanationInput,
  type ExplanationRequest,
  explanationLimits,
} from '../../contract/explanations/language-explanation.ts';
import type { CheckableCaptions } from '../captions/caption-quality-control.ts';
import type { StudyRun } from '../core/study-run.ts';

/** Verified captions, every line with its whole lineage. */
export type ExplainableCaption = Pick<CheckableCaptions, 'artifact' | 'reference'>;

/** Lines on each side of the selected one that go along with it. */
const neighbours = (explanationLimits.maxContextLines - 1) / 2;

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
  return lines.slice(Math.max(0, at - neighbours), at + neighbours + 1);
}

const withoutLineage = ({ id, startMs, endMs, source, target }: CaptionLine): ExplainedLine => ({
  id,
  startMs,
  endMs,
  source,
  target,
});

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** What the context rests on, each id once, in the order in which the lines name it. */
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

/** What an explanation is made of. Throws `RangeError` for a line that the captions do not have. */
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
