import type { z } from 'zod';
import type { Artifact } from '../../contract/base/artifact.ts';
import type { Failure } from '../../contract/base/failure.ts';
import { screenTextCapability } from '../../contract/base/operation.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import type { MediaLimits } from '../../contract/evidence/media-operation.ts';
import {
  type KeptScreenText,
  maximumScreenTextReceiptBytes,
  type ScreenTextProducer,
  type ScreenTextReceipt,
  type ScreenTextRequest,
  screenTextReceipt,
} from '../../contract/screentext/screen-text-operation.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { hashOf } from '../core/canonical-json.ts';
import { draftEvent } from '../core/event-draft.ts';
import { type StoredShape, storedJson } from '../core/stored-json.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { detectedArtifactKind } from '../evidence/detected-evidence.ts';
import {
  deliveredEvidence,
  grantedCompletion,
  grantedOutput,
  grantedRequest,
  grantedStart,
  grantedStep,
  grantedWork,
} from '../evidence/granted-operation.ts';
import { textsOf } from './check-screen-text.ts';

/** How a run has the text on its screen read: by what, set how, within which limits, and at which keyframes. */
export interface ScreenReading {
  readonly producer: ScreenTextProducer;
  readonly limits: MediaLimits;
  readonly keyframesFrom: ScreenTextRequest['keyframesFrom'];
}

/** The kind of the artifact whose moments are read. */
export const keyframesKind = detectedArtifactKind('keyframes');

/** How the receipt of a reading is stored. It is no artifact of its run. */
export const screenTextReceiptShape = {
  link: 'screen_text',
  schema: screenTextReceipt,
  maximumBytes: maximumScreenTextReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

/** Without a grant there is no reading. */
function grantOf({ ids }: StudyRun): string {
  if (ids.screenTextGrantId === undefined) throw new RangeError('the run has no grant to read the screen');
  return ids.screenTextGrantId;
}

/** What a run asks of a reader; its key depends on the media, the keyframes, the range, the tools and the parameters alone. */
export function screenTextRequestOf(run: StudyRun, reading: ScreenReading): ScreenTextRequest {
  const { producer, keyframesFrom } = reading;
  return { ...grantedRequest(run, { operation: screenTextCapability, producer, from: keyframesFrom }), keyframesFrom };
}

/** Journalled before the reader runs. */
export const screenTextStarted = (run: StudyRun, reading: ScreenReading): EventDraft =>
  draftEvent(
    'screen.text_started',
    grantedStart(run, {
      request: screenTextRequestOf(run, reading),
      grantId: grantOf(run),
      producer: reading.producer,
      limits: reading.limits,
    }),
    causeOf(run),
  );

/** A started reading that came to nothing; its study goes on without the text on its screen. */
export const screenTextFailed = (run: StudyRun, reading: ScreenReading, reason: Failure): EventDraft =>
  draftEvent(
    'screen.text_failed',
    { operationId: screenTextRequestOf(run, reading).operationId, reason },
    causeOf(run),
  );

type Kept = KeptScreenText['screenText'];

function textArtifact(run: StudyRun, { operationId, keyframesFrom }: ScreenTextRequest, kept: Kept): Artifact | null {
  if (kept.state === 'unavailable') return null;
  return grantedOutput(run, 'screen_text', { operationId, from: keyframesFrom }, kept);
}

function countsOf(found: FurtherArtifact | null): ScreenTextReceipt['result'] {
  const texts = found === null ? [] : textsOf(found);
  const passedTexts = texts.filter(({ outcome }) => outcome === 'passed').length;
  return { passedTexts, withheldTexts: texts.length - passedTexts };
}

export interface CompletedReading {
  /** The texts as an artifact of the run; null where there are none. */
  readonly artifact: Artifact | null;
  readonly receipt: ScreenTextReceipt;
  readonly step: StepResult<{ readonly receiptContentId: string }>;
}

/**
 * What a completed reading means for this run: its artifact over the stored texts, and the receipt. `reused` says that an earlier
 * reading with the same key is taken over.
 */
export function screenTextCompleted(
  run: StudyRun,
  reading: ScreenReading,
  result: { readonly kept: Kept; readonly found: FurtherArtifact | null; readonly reused: boolean },
): CompletedReading {
  const request = screenTextRequestOf(run, reading);
  const artifact = textArtifact(run, request, result.kept);
  const body = {
    ...grantedWork(run, grantOf(run), request, { keyframesFrom: request.keyframesFrom }),
    capability: screenTextCapability,
    producer: reading.producer,
    evidence: deliveredEvidence({ kind: 'screen_text', ...result.kept }, artifact),
    result: countsOf(result.found),
    reused: result.reused,
  } satisfies Omit<ScreenTextReceipt, 'schema' | 'receiptId'>;
  const receipt: ScreenTextReceipt = {
    schema: 'studio.screen-text.receipt.v1',
    receiptId: `screen-text:${hashOf(body)}`,
    ...body,
  };
  const stored = storedJson(receipt);
  const cause = causeOf(run);
  const data = grantedCompletion(request.operationId, artifact, stored.contentId, receipt);
  const completed = draftEvent('screen.text_completed', data, cause);
  return { artifact, receipt, step: grantedStep(stored, artifact, completed, cause) };
}
