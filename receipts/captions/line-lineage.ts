import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionExecutorIdentity } from '../../contract/captions/caption-executor.ts';
import type { CaptionReason, LineLineage } from '../../contract/captions/caption-line.ts';
import { claimStates } from '../../contract/evidence/evidence-assessment.ts';
import type { Coverage } from '../../contract/study/study-record.ts';
import type { CaptionedStudy } from './captioned-study.ts';
import { citationsOver } from './line-citations.ts';

/** A line's lineage, and why its study leaves it without words; null when it does not. */
export interface CoveredLine {
  readonly lineage: LineLineage;
  readonly gap: CaptionReason | null;
}

// A line is worth what the worst stretch of its time is worth; what was not looked at comes after what was looked at in vain.
const gravestFirst: readonly Coverage['state'][] = [
  ...claimStates.filter((state) => state !== 'supported'),
  'unavailable',
  'uncovered',
  'supported',
];

function coverageOver({ conclusion }: CaptionedStudy, { startMs, endMs }: Range): Coverage {
  const touched = conclusion.record.body.coverage.filter((part) => part.startMs < endMs && startMs < part.endMs);
  const [gravest] = touched.sort((one, other) => gravestFirst.indexOf(one.state) - gravestFirst.indexOf(other.state));
  if (gravest === undefined) throw new RangeError('a line lies inside the range of its study');
  return gravest;
}

/**
 * On what a line of captions rests. Only a line whose time is supported as a whole, and that reads of one evidence returned
 * as a whole, cites anything; every other names its gap.
 */
export function coveredLine(
  study: CaptionedStudy,
  jobId: string,
  { id, version, executionScope, cognitionClaim }: CaptionExecutorIdentity,
  { startMs, endMs }: Range,
): CoveredLine {
  const { run, conclusion, approval } = study;
  const { sourceArtifactId, sourceSession } = run.record;
  const { coverageId, state, reasonCode } = coverageOver(study, { startMs, endMs });
  const cited = citationsOver(study, { startMs, endMs });
  const isCited = cited.semanticCitations.length > 0;
  const isSupported = state === 'supported' && isCited;
  const { claimIds, semanticCitations, childReports } = cited;
  const gap = state === 'supported' ? (isCited ? null : 'study_citation_mismatch') : reasonCode;
  const lists = isSupported
    ? { claimIds: [...claimIds], semanticCitations: [...semanticCitations], childReports: [...childReports] }
    : { claimIds: [], semanticCitations: [], childReports: [] };
  return {
    gap,
    lineage: {
      derivation: 'current_run_source_execution',
      source: {
        artifactId: sourceArtifactId,
        contentId: sourceSession.source.contentId,
        window: { startMs, endMs },
      },
      study: { ...conclusion.study, coverage: { coverageId, state, reasonCode }, ...lists },
      readiness: conclusion.admission.readiness,
      approval,
      captionExecutor: { jobId, id, version, executionScope, cognitionClaim },
    },
  };
}
