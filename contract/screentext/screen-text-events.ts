import { z } from 'zod';
import { eventType } from '../base/event-envelope.ts';
import { failure } from '../base/failure.ts';
import { contentId, identity } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
import { mediaLimits } from '../evidence/media-operation.ts';
import { screenTextProducer, screenTextReceipt, screenTextRequest } from './screen-text-operation.ts';

/** What the journal says of a reading of the screen; only on a host that was started with an engine for it. */
export const screenTextEvents = [
  eventType(
    'screen.text_started',
    'screen_text_host',
    z.strictObject({
      request: screenTextRequest,
      grantId: identity,
      executionId: identity,
      launchClaimId: identity,
      sourceContentId: contentId,
      producer: screenTextProducer,
      limits: mediaLimits,
    }),
  ),
  eventType(
    'screen.text_completed',
    'screen_text_host',
    z.strictObject({
      operationId,
      outputArtifactId: artifactId.nullable(),
      outputContentId: contentId.nullable(),
      receiptContentId: contentId,
      receipt: screenTextReceipt,
    }),
  ),
  eventType('screen.text_failed', 'screen_text_host', z.strictObject({ operationId, reason: failure })),
] as const;
