import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { FurtherResult } from '../../contract/evidence/further-evidence.ts';
import type { MediaEvidence } from '../../contract/evidence/media-operation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { AnalysisRequest } from '../../contract/study/analysis-request.ts';
import type { MediaOperation } from './media-operation.ts';

/** One kind of evidence as a pass delivered it; without an artifact where it is unavailable. */
export interface DeliveredEvidence {
  readonly delivered: MediaEvidence;
  readonly artifact: EvidenceArtifact | null;
}

/** What one pass said that it found, and what it was asked of. */
export interface DeliveredPass {
  readonly source: RegisteredSource;
  readonly request: AnalysisRequest;
  readonly operation: MediaOperation;
  readonly evidence: readonly DeliveredEvidence[];
  /** The further evidence that it recorded. */
  readonly further: readonly FurtherResult[];
}
