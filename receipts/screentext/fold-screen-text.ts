import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import type { ScreenTextReceipt } from '../../contract/screentext/screen-text-operation.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived } from '../core/evidence-chain-error.ts';
import { checkEvidence } from '../evidence/check-evidence.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import { foldGrantCompleted, foldGrantStarted, type VerifiedGrant } from '../evidence/fold-granted.ts';
import type { VerifiedOperation } from '../evidence/fold-media.ts';
import type { GrantedWork, StartingEvidence } from '../evidence/granted-operation.ts';
import { checkScreenText } from './check-screen-text.ts';
import { screenReading } from './screen-text-operation.ts';

/** What the reading of the screen of a run came to: its texts, or why there are none. */
export type VerifiedScreenText = VerifiedGrant<ScreenTextReceipt, FurtherArtifact>;

const keyframesOf = (operations: readonly VerifiedOperation[]): StartingEvidence =>
  operations
    .flatMap(({ further }) => further)
    .filter(({ artifact }) => artifact.kind === 'keyframes')
    .map(({ artifactId, contentId }) => ({ artifactId, contentId }));

/** Reading begins: after the passes over the media. */
export const foldScreenTextStarted = (context: FoldContext, operations: readonly VerifiedOperation[]): void =>
  foldGrantStarted(context, screenReading, () => keyframesOf(operations));

/** Reopens the texts and judges them again. Throws `EvidenceChainError` at the first place that does not follow. */
export const foldScreenTextCompleted = (
  context: FoldContext,
  open: GrantedWork | null,
): Promise<VerifiedScreenText> => {
  const { run, source } = context;
  const seen = source.registered.tracks.find(({ kind }) => kind === 'video')?.index;
  return foldGrantCompleted(context, screenReading, open, {
    reason: seen === undefined ? 'no_video_track' : 'no_frames_in_range',
    check: (found, contentId, { producer }) =>
      checkObject(contentId, () => {
        checkEvidence(found, { run, source: source.registered, operation: producer, kind: 'screen_text' });
        const { trackIndex } = found.input;
        demandDerived('evidence', { input: { trackIndex } }, { input: { trackIndex: seen } });
        checkScreenText(found);
      }),
    said: ({ result }) => `${counted(result.passedTexts, 'text')}, ${result.withheldTexts} withheld`,
  });
};
