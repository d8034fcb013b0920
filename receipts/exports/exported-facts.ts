import { ServiceError } from '../../contract/base/errors.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { detectedEvidenceOf } from '../study/conclusion.ts';

type ExportedKind = 'shot_changes' | 'speech_activity' | 'silence' | 'transcript';

/** Evidence of one kind, and the stored object that it is. */
export interface ExportedEvidence {
  readonly facts: EvidenceArtifact['facts'];
  readonly contentId: string;
}

/** The evidence of a kind; null where the study has none or has not come to it. */
export function evidenceOf({ execution }: VerifiedRuntime, kind: ExportedKind): ExportedEvidence | null {
  const evidence = execution === null ? [] : detectedEvidenceOf(execution.study.findings);
  for (const { delivered, artifact } of evidence) {
    if (artifact !== null && delivered.kind === kind) return { facts: artifact.facts, contentId: delivered.contentId };
  }
  return null;
}

/** The same. Throws `export_unavailable` where there is none. */
export function demandEvidence(runtime: VerifiedRuntime, kind: ExportedKind): ExportedEvidence {
  const evidence = evidenceOf(runtime, kind);
  if (evidence !== null) return evidence;
  throw new ServiceError('export_unavailable', `the study has no evidence of ${kind.replaceAll('_', ' ')}`);
}

/** The studied range from cut to cut. */
export interface ExportedShots {
  readonly shots: readonly Range[];
  readonly contentId: string;
}

/** Throws `export_unavailable` where cuts were not looked for. */
export function shotsOf(runtime: VerifiedRuntime): ExportedShots {
  const { facts, contentId } = demandEvidence(runtime, 'shot_changes');
  const { startMs, endMs } = runtime.accepted.record.analysisRequest.range;
  const cuts = facts.flatMap((fact) => (fact.kind === 'shot_change' ? [fact.atMs] : []));
  const inside = cuts.filter((atMs) => atMs > startMs && atMs < endMs);
  const starts = [startMs, ...inside];
  const shots = starts.map((from, at) => ({ startMs: from, endMs: starts[at + 1] ?? endMs }));
  return { shots, contentId };
}
