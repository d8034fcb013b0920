import type { Artifact } from '../../contract/base/artifact.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import type { DeliveredScreenText, ScreenTextReceipt } from '../../contract/screentext/screen-text-operation.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived } from '../core/evidence-chain-error.ts';
import { readReceipt } from '../core/stored-receipt.ts';
import { checkEvidence, furtherShape } from '../evidence/check-evidence.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import type { VerifiedOperation } from '../evidence/fold-media.ts';
import { checkScreenText } from './check-screen-text.ts';
import {
  type ScreenReading,
  screenTextCompleted,
  screenTextFailed,
  screenTextReceiptShape,
  screenTextStarted,
} from './screen-text-operation.ts';

/** What the reading of the screen of a run came to: its texts, or why there are none. */
export interface VerifiedScreenText {
  readonly delivered: DeliveredScreenText;
  readonly found: FurtherArtifact | null;
  /** The run's own artifact over the texts; null where there are none. */
  readonly artifact: Artifact | null;
  /** Null where the reader failed. */
  readonly receipt: ScreenTextReceipt | null;
}

const keyframesOf = (operations: readonly VerifiedOperation[]): ScreenReading['keyframesFrom'] =>
  operations
    .flatMap(({ further }) => further)
    .filter(({ artifact }) => artifact.kind === 'keyframes')
    .map(({ artifactId, contentId }) => ({ artifactId, contentId }));

/** Reading begins: once, after the passes over the media, by the grant of the run. */
export function foldScreenTextStarted({ run, journal }: FoldContext, operations: readonly VerifiedOperation[]): void {
  const { producer, limits } = journal.expect('screen.text_started').data;
  if (run.ids.screenTextGrantId === undefined) throw journal.fault('type');
  journal.take([screenTextStarted(run, { producer, limits, keyframesFrom: keyframesOf(operations) })]);
}

/** The reader failed, or was stopped with its study. */
export function foldScreenTextFailed(
  { run, journal, report }: FoldContext,
  open: ScreenReading | null,
): VerifiedScreenText {
  const { operationId, reason } = journal.expect('screen.text_failed').data;
  if (open === null) throw journal.fault('type');
  journal.take([screenTextFailed(run, open, reason)]);
  report({ link: 'screen_text', subject: operationId, contentId: null, detail: `failed: ${reason.code}` });
  const nothing = { reasonCode: 'recognition_failed', artifactId: null, contentId: null } as const;
  return {
    delivered: { kind: 'screen_text', state: 'unavailable', ...nothing },
    found: null,
    artifact: null,
    receipt: null,
  };
}

/** Without texts there were no pictures: of the whole source, or in the range. */
function checkReason({ reasonCode }: DeliveredScreenText, hasVideo: boolean): void {
  if (reasonCode === null) return;
  const derived = hasVideo ? 'no_frames_in_range' : 'no_video_track';
  demandDerived('screen_text', { evidence: { reasonCode } }, { evidence: { reasonCode: derived } });
}

/**
 * Reopens the texts, judges them again, and derives receipt and artifact. Throws `EvidenceChainError` at the first place that does
 * not follow.
 */
export async function foldScreenTextCompleted(
  context: FoldContext,
  open: ScreenReading | null,
): Promise<VerifiedScreenText> {
  const { run, source, journal, content, report } = context;
  const recorded = journal.count('artifact.recorded');
  if (open === null) throw journal.fault('type', recorded);
  const { receiptContentId } = journal.expect('screen.text_completed', recorded).data;
  const { body: receipt } = await readReceipt(screenTextReceiptShape, content, receiptContentId);
  const { evidence: delivered } = receipt;
  const seen = source.registered.tracks.find(({ kind }) => kind === 'video')?.index;
  checkReason(delivered, seen !== undefined);
  const opened = delivered.state === 'available' ? await readReceipt(furtherShape, content, delivered.contentId) : null;
  if (opened !== null) {
    checkObject(opened.contentId, () => {
      checkEvidence(opened.body, { run, source: source.registered, operation: open.producer, kind: 'screen_text' });
      const { trackIndex } = opened.body.input;
      demandDerived('evidence', { input: { trackIndex } }, { input: { trackIndex: seen } });
      checkScreenText(opened.body);
    });
  }
  const { state } = delivered;
  const kept =
    state === 'available'
      ? { state, contentId: delivered.contentId, bytes: opened?.bytes ?? 0 }
      : { state, reasonCode: delivered.reasonCode };
  const found = opened?.body ?? null;
  const derived = screenTextCompleted(run, open, { kept, found, reused: receipt.reused });
  demandDerived('screen_text', receipt, derived.receipt);
  journal.take(derived.step.events);
  const { passedTexts, withheldTexts } = receipt.result;
  const detail = `${counted(passedTexts, 'text')}, ${withheldTexts} withheld`;
  report({ link: 'screen_text', subject: receipt.operationId, contentId: receiptContentId, detail });
  return { delivered, found, artifact: derived.artifact, receipt };
}
