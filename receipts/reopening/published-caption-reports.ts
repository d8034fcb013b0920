import type { CaptionQualityReports } from '../../contract/captions/caption-quality-report.ts';
import { wholeCaptionsOf } from '../captions/caption-lines.ts';
import { captionQualityReportsOf } from '../captions/caption-quality-report.ts';
import { publishedCaptionsOf } from './published-captions.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';
import { runtimeListOf } from './runtime-list.ts';

/** The hard cuts that a study found, in ms; null where it has no evidence of them. */
function shotTimesOf({ execution }: VerifiedRuntime): number[] | null {
  const evidence = execution?.study.findings?.operations.flatMap((operation) => operation.evidence) ?? [];
  const shots = evidence.find(({ delivered }) => delivered.kind === 'shot_changes')?.artifact ?? null;
  return shots?.facts.flatMap((fact) => (fact.kind === 'shot_change' ? [fact.atMs] : [])) ?? null;
}

/** The answer to a request for measurements of a runtime's captions. No record of a source names its frame rate. */
export function publishedCaptionReportsOf(runtime: VerifiedRuntime): CaptionQualityReports {
  const shotTimesMs = shotTimesOf(runtime);
  return {
    schema: 'studio.local-runtime-caption-quality-reports.v1',
    ...runtimeListOf(runtime),
    reports: publishedCaptionsOf(runtime).flatMap(({ caption: { artifact } }) =>
      captionQualityReportsOf({
        artifact: wholeCaptionsOf(artifact.body),
        contentId: artifact.contentId,
        shotTimesMs,
        frameRate: null,
      }),
    ),
  };
}
