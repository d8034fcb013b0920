import { z } from 'zod';
import { eventType } from '../base/event-envelope.ts';
import { failure } from '../base/failure.ts';
import { contentId, identity } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
import { mediaLimits } from '../evidence/media-operation.ts';
import { semanticEvidenceReceipt, semanticProducer, semanticRequest } from './semantic-evidence.ts';

/** What the journal says of a recognition; only on a host that was started with a recogniser. */
export const semanticEvents = [
  eventType(
    'semantic.evidence_started',
    'semantic_evidence_host',
    z.strictObject({
      request: semanticRequest,
      grantId: identity,
      executionId: identity,
      launchClaimId: identity,
      sourceContentId: contentId,
      producer: semanticProducer,
      limits: mediaLimits,
    }),
  ),
  eventType(
    'semantic.evidence_completed',
    'semantic_evidence_host',
    z.strictObject({
      operationId,
      outputArtifactId: artifactId.nullable(),
      outputContentId: contentId.nullable(),
      receiptContentId: contentId,
      receipt: semanticEvidenceReceipt,
    }),
  ),
  eventType('semantic.evidence_failed', 'semantic_evidence_host', z.strictObject({ operationId, reason: failure })),
] as const;
