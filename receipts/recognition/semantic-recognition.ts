import { recognitionCapability } from '../../contract/base/operation.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { TranscriptLineFact } from '../../contract/evidence/transcript.ts';
import {
  maximumSemanticReceiptBytes,
  type SemanticEvidenceReceipt,
  semanticEvidenceReceipt,
} from '../../contract/recognition/semantic-evidence.ts';
import { evidenceShape } from '../evidence/check-evidence.ts';
import { GrantedOperation } from '../evidence/granted-operation.ts';

/** The evidence of the study that regions follow from, in this order; none where no detector could look for speech. */
export const regionKinds = ['speech_activity', 'silence'] as const;

const linesOf = (transcript: EvidenceArtifact | null): TranscriptLineFact[] =>
  (transcript?.facts ?? []).flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : []));

/** The recognition of the speech of a run, from the detected speech and silences. */
export const recognition = new GrantedOperation<SemanticEvidenceReceipt, EvidenceArtifact>({
  link: 'recognition',
  schema: semanticEvidenceReceipt,
  maximumBytes: maximumSemanticReceiptBytes,
  capability: recognitionCapability,
  name: 'studio.semantic-evidence.receipt.v1',
  idPrefix: 'semantic-evidence',
  kind: 'transcript',
  found: evidenceShape,
  from: 'regionsFrom',
  events: 'semantic.evidence',
  grantOf: ({ recognitionGrantId }) => recognitionGrantId,
  countsOf: (transcript) => {
    const lines = linesOf(transcript);
    const passedLines = lines.filter(({ outcome }) => outcome === 'passed').length;
    const regions = (transcript?.facts ?? []).filter(({ kind }) => kind === 'recognised_region').length;
    return { regions, passedLines, withheldLines: lines.length - passedLines };
  },
});
