import { z } from 'zod';
import { eventType } from '../base/event-envelope.ts';
import { failure } from '../base/failure.ts';
import { identity } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
import { mediaCapability, mediaOperationReceipt, mediaOperationRequest } from './media-operation.ts';

/** What the journal says of the passes over the media. */
export const mediaEvents = [
  eventType(
    'media.operation_started',
    'media_host',
    z.strictObject({ capability: mediaCapability, request: mediaOperationRequest, grantId: identity }),
  ),
  eventType(
    'media.operation_completed',
    'media_host',
    z.strictObject({ operationId, outputArtifactIds: z.array(artifactId), receipt: mediaOperationReceipt }),
  ),
  eventType('media.operation_failed', 'media_host', z.strictObject({ operationId, reason: failure })),
] as const;
