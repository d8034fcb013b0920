import type { CaptionLine, LineLineage } from '../../contract/captions/caption-line.ts';
import type { StoredCaptions } from '../captions/quality-control.ts';

const none = '0'.repeat(64);

type Study = LineLineage['study'];

const withLineage = (line: CaptionLine, changed: Partial<LineLineage>): CaptionLine => ({
  ...line,
  lineage: { ...line.lineage, ...changed },
});

const withStudy = (line: CaptionLine, changed: Partial<Study>): CaptionLine =>
  withLineage(line, { study: { ...line.lineage.study, ...changed } });

const withWindow = (line: CaptionLine, changed: Partial<LineLineage['source']['window']>): CaptionLine => {
  const { source } = line.lineage;
  return withLineage(line, { source: { ...source, window: { ...source.window, ...changed } } });
};

/** All observations of a line, widened or narrowed to the same time. */
const withObserved = (line: CaptionLine, startMs: number, endMs: number): CaptionLine =>
  withStudy(line, {
    semanticCitations: line.lineage.study.semanticCitations.map((citation) => ({
      ...citation,
      observations: citation.observations.map((observed) => ({ ...observed, startMs, endMs })),
    })),
  });

const withoutText = (side: CaptionLine['source']): CaptionLine['source'] => ({
  language: side.language,
  state: 'withheld',
  text: null,
  reasonCode: 'source_unavailable',
});

/** The end of the range that the captions are of, and the line before, if there is one. */
interface Surroundings {
  readonly before: CaptionLine | null;
  readonly rangeEndMs: number;
}

/** Begins a millisecond before the line before has ended, and is otherwise in order. */
function overlapping(line: CaptionLine, { before }: Surroundings): CaptionLine | null {
  if (before === null) return null;
  const startMs = before.endMs - 1;
  return { ...withObserved(withWindow(line, { startMs }), startMs, line.endMs), startMs };
}

/** One thing that makes a complete line incomplete, everything else left as it was; null where a line cannot have it. */
type Defect = (line: CaptionLine, around: Surroundings) => CaptionLine | null;

/** Every single defect of a line that a check of the structure must see. */
export const lineDefects = {
  source_text_missing: (line) => ({ ...line, source: withoutText(line.source) }),
  target_text_missing: (line) => ({ ...line, target: withoutText(line.target) }),
  source_language_other: (line) => ({ ...line, source: { ...line.source, language: 'zxx' } }),
  target_language_other: (line) => ({ ...line, target: { ...line.target, language: 'zxx' } }),
  coverage_unsupported: (line) =>
    withStudy(line, {
      coverage: { ...line.lineage.study.coverage, state: 'unknown', reasonCode: 'study_coverage_unknown' },
    }),
  claims_missing: (line) => withStudy(line, { claimIds: [] }),
  citations_missing: (line) => withStudy(line, { semanticCitations: [] }),
  reports_missing: (line) => withStudy(line, { childReports: [] }),
  observed_too_late: (line) => withObserved(line, line.startMs + 1, line.endMs),
  observed_too_briefly: (line) => withObserved(line, line.startMs, line.endMs - 1),
  study_other: (line) => withStudy(line, { studyId: `study:${none}` }),
  readiness_other: (line) =>
    withLineage(line, { readiness: { ...line.lineage.readiness, receiptContentId: `sha256:${none}` } }),
  approval_other: (line) =>
    withLineage(line, { approval: { ...line.lineage.approval, receiptContentId: `sha256:${none}` } }),
  source_other: (line) => withLineage(line, { source: { ...line.lineage.source, contentId: `sha256:${none}` } }),
  job_other: (line) =>
    withLineage(line, { captionExecutor: { ...line.lineage.captionExecutor, jobId: `caption-production:${none}` } }),
  executor_other: (line) =>
    withLineage(line, { captionExecutor: { ...line.lineage.captionExecutor, id: 'studio.another-producer' } }),
  window_too_small: (line) => withWindow(line, { endMs: line.endMs - 1 }),
  window_outside_range: (line, { rangeEndMs }) => withWindow(line, { endMs: rangeEndMs + 1 }),
  length_missing: (line) => ({ ...line, endMs: line.startMs }),
  overlap: overlapping,
  name_repeated: (line, { before }) => (before === null ? null : { ...line, id: before.id }),
} as const satisfies Readonly<Record<string, Defect>>;

const everyDefect: readonly Defect[] = Object.values(lineDefects);

/** Captions with one defective line, and which one it is. */
export interface DefectiveCaptions {
  readonly captions: StoredCaptions;
  readonly at: number;
}

/** Plants every defect in every line, one at a time. The receipt stays that of the whole captions. */
export function* defectiveCaptions({ artifact, receipt }: StoredCaptions): Generator<DefectiveCaptions> {
  const { lines } = artifact;
  for (const [at, line] of lines.entries()) {
    const around = { before: lines[at - 1] ?? null, rangeEndMs: receipt.input.range.endMs };
    for (const defect of everyDefect) {
      const changed = defect(line, around);
      if (changed !== null)
        yield { captions: { artifact: { ...artifact, lines: lines.with(at, changed) }, receipt }, at };
    }
  }
}
