import { z } from 'zod';
import { eventType } from '../base/event-envelope.ts';
import { failure } from '../base/failure.ts';
import { contentId } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { captionExecutor } from './caption-executor.ts';
import { captionJobId } from './caption-line.ts';
import {
  captionInput,
  captionLimitsRecord,
  captionProductionRequest,
  captionReceipt,
  longCaptionReceipt,
  translatedCaptionReceipt,
  translatedLimitsRecord,
} from './caption-production.ts';
import { longQualityControlReceipt, qualityControlReceipt } from './caption-quality-control.ts';
import { longCaptionLimitsRecord } from './long-captions.ts';

/** What the journal says of captions that were made of an approved study, and of their check. */
export const captionEvents = [
  eventType(
    'caption.production_started',
    'caption_production_host',
    z.strictObject({
      jobId: captionJobId,
      request: captionProductionRequest,
      input: captionInput,
      limits: z.union([captionLimitsRecord, translatedLimitsRecord, longCaptionLimitsRecord]),
      executor: captionExecutor,
    }),
  ),
  eventType(
    'caption.production_completed',
    'caption_production_host',
    z.strictObject({
      jobId: captionJobId,
      captionArtifactId: artifactId,
      captionContentId: contentId,
      receiptArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: z.discriminatedUnion('schema', [captionReceipt, translatedCaptionReceipt, longCaptionReceipt]),
    }),
  ),
  eventType(
    'caption.production_failed',
    'caption_production_host',
    z.strictObject({ jobId: captionJobId, reason: failure }),
  ),
  eventType(
    'caption.quality_control_decided',
    'caption_quality_control_host',
    z.strictObject({
      qcId: qualityControlReceipt.shape.qcId,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: z.discriminatedUnion('schema', [qualityControlReceipt, longQualityControlReceipt]),
    }),
  ),
] as const;
