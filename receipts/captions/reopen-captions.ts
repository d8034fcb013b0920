import type { z } from 'zod';
import { captionLimits } from '../../contract/captions/caption-line.ts';
import { captionArtifact, captionReceipt } from '../../contract/captions/caption-production.ts';
import {
  maximumQualityControlReceiptBytes,
  qualityControlReceipt,
} from '../../contract/captions/caption-quality-control.ts';
import type { StoredShape } from '../core/stored-json.ts';

// How captions, their receipts and their checks are stored.

export const captionShape = {
  link: 'caption',
  schema: captionArtifact,
  maximumBytes: captionLimits.maxArtifactBytes,
} as const satisfies StoredShape<z.ZodType>;

export const captionReceiptShape = {
  link: 'caption_receipt',
  schema: captionReceipt,
  maximumBytes: captionLimits.maxArtifactBytes,
} as const satisfies StoredShape<z.ZodType>;

export const qualityControlShape = {
  link: 'quality_control',
  schema: qualityControlReceipt,
  maximumBytes: maximumQualityControlReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;
