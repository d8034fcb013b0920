import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { SemanticEvidenceReceipt } from '../../contract/recognition/semantic-evidence.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { checkEvidence } from '../evidence/check-evidence.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import { foldGrantCompleted, foldGrantStarted, type VerifiedGrant } from '../evidence/fold-granted.ts';
import type { VerifiedEvidence, VerifiedOperation } from '../evidence/fold-media.ts';
import type { GrantedWork, StartingEvidence } from '../evidence/granted-operation.ts';
import { checkTranscript } from './check-transcript.ts';
import { recognition, regionKinds } from './semantic-recognition.ts';
import { declaredLanguages } from './transcript-gates.ts';

/** What the recognition of a run came to: its transcript, or why there is none. */
export type VerifiedRecognition = VerifiedGrant<SemanticEvidenceReceipt, EvidenceArtifact>;

function detectedBy(operations: readonly VerifiedOperation[], kind: (typeof regionKinds)[number]): VerifiedEvidence {
  const found = operations.flatMap(({ evidence }) => evidence).find(({ delivered }) => delivered.kind === kind);
  if (found === undefined) throw new EvidenceChainError('recognition', 'request.regionsFrom');
  return found;
}

const namesOf = (operations: readonly VerifiedOperation[]): StartingEvidence =>
  regionKinds.flatMap((kind) => {
    const { delivered } = detectedBy(operations, kind);
    return delivered.state === 'available'
      ? [{ artifactId: delivered.artifactId, contentId: delivered.contentId }]
      : [];
  });

/** Recognition begins: after the passes over the media. */
export const foldRecognitionStarted = (context: FoldContext, operations: readonly VerifiedOperation[]): void =>
  foldGrantStarted(context, recognition, () => namesOf(operations));

/** Reopens the transcript and judges its lines again. Throws `EvidenceChainError` at the first place that does not follow. */
export const foldRecognitionCompleted = (
  context: FoldContext,
  open: GrantedWork | null,
  operations: readonly VerifiedOperation[],
): Promise<VerifiedRecognition> => {
  const { run, source } = context;
  const hasSound = open?.from.length === regionKinds.length;
  return foldGrantCompleted(context, recognition, open, {
    reason: hasSound ? 'language_not_recognised' : 'no_audio_in_range',
    check: (transcript, contentId, { producer }) => {
      const [speech, silences] = regionKinds.map((kind) => detectedBy(operations, kind).artifact);
      if (speech == null || silences == null) throw new EvidenceChainError('recognition', 'receipt.evidence');
      checkObject(contentId, () => {
        checkEvidence(transcript, { run, source: source.registered, operation: producer, kind: 'transcript' });
        checkTranscript(transcript, { speech, silences, languages: declaredLanguages(run.record.analysisRequest) });
      });
    },
    said: ({ result }) => `${counted(result.passedLines, 'line')}, ${result.withheldLines} withheld`,
  });
};
