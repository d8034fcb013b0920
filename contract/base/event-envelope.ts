import { z } from 'zod';
import { identity, identityOf, positive, timestamp } from './grammar.ts';

/** The producers that may write into a journal; the type of an event fixes the kind. */
type ProducerKind =
  | 'scheduler'
  | 'registry'
  | 'artifact_store'
  | 'launcher'
  | 'media_host'
  | 'evidence_host'
  | 'assessment_host'
  | 'decision_host'
  | 'semantic_evidence_host'
  | 'screen_text_host'
  | 'publish_review_intake_host'
  | 'publish_review_host'
  | 'caption_production_host'
  | 'caption_quality_control_host'
  | 'caption_correction_host'
  | 'language_explanation_host'
  | 'recovery_host';

const eventId = identityOf(240);

/**
 * One type of journal event: its name, the only kind of producer that writes it and its closed data.
 * `seq` counts from 1 without gaps; `recordedAt` never goes back within a run.
 */
export const eventType = <const Type extends string, const Kind extends ProducerKind, Data extends z.ZodType>(
  type: Type,
  producerKind: Kind,
  data: Data,
) =>
  z.strictObject({
    schema: z.literal('studio.runtime.event.v1'),
    runId: identity,
    seq: positive,
    eventId,
    recordedAt: timestamp,
    producer: z.strictObject({ kind: z.literal(producerKind), id: identity }),
    causationId: eventId.nullable(),
    correlationId: identity.nullable(),
    type: z.literal(type),
    data,
  });

/** The schema of one type of journal event. */
export type EventSchema = ReturnType<typeof eventType<string, ProducerKind, z.ZodType>>;
