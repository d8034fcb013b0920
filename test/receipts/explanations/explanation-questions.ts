import type { ExplainedLine, ExplanationInput } from '../../../contract/explanations/explanation.ts';

const hex = (digit: string): string => digit.repeat(64);
const sha = (digit: string): string => `sha256:${hex(digit)}`;
const artifactNamed = (digit: string): string => `artifact:${hex(digit)}`;

/** A line of three seconds with a text on both sides. */
export const lineAt = (at: number, source: string, target: string | null): ExplainedLine => ({
  id: `line-${at}`,
  startMs: at * 3000,
  endMs: (at + 1) * 3000,
  source: { language: 'ko', state: 'available', text: source, reasonCode: null },
  target:
    target === null
      ? { language: 'en', state: 'withheld', text: null, reasonCode: 'translator_unavailable' }
      : { language: 'en', state: 'available', text: target, reasonCode: null },
});

/** The first word of the second of three lines. */
export function inputOver(
  line = lineAt(1, '안녕하세요 여러분', 'Hello everybody'),
  selected = '안녕하세요',
): ExplanationInput {
  return {
    source: {
      artifactId: artifactNamed('1'),
      contentId: sha('1'),
      analysisRequestId: 'analysis-request:1',
      rightsScope: 'local_processing',
    },
    study: { studyId: `study:${hex('3')}`, artifactId: artifactNamed('3'), contentId: sha('3') },
    readiness: {
      readinessId: `study-readiness:${hex('5')}`,
      artifactId: artifactNamed('5'),
      receiptId: `study-readiness-receipt:${hex('5')}`,
      receiptContentId: sha('5'),
    },
    approval: {
      reviewId: `publish-review:${hex('6')}`,
      artifactId: artifactNamed('6'),
      receiptId: `publish-review-decision-receipt:${hex('6')}`,
      receiptContentId: sha('6'),
    },
    caption: {
      jobId: `caption-production:${hex('7')}`,
      artifactId: artifactNamed('7'),
      contentId: sha('7'),
      receiptArtifactId: artifactNamed('8'),
      receiptId: `caption-production-receipt:${hex('8')}`,
      receiptContentId: sha('8'),
    },
    line,
    contextLines: [lineAt(0, '문이 열린다', 'The door opens'), line, lineAt(2, '반갑습니다', 'Nice to meet you')],
    selection: { side: 'source', unit: 'unicode_code_point', start: 0, end: [...selected].length, text: selected },
    inputContextLineage: {
      claimIds: [],
      citationIds: [],
      semanticEvidenceArtifactIds: [],
      semanticEvidenceReceiptIds: [],
    },
  };
}
