import type { z } from 'zod';
import {
  publishReviewDecisionReceipt,
  publishReviewRevocationReceipt,
} from '../../contract/review/publish-review-receipts.ts';
import { maximumReviewReceiptBytes } from '../../contract/study/study-readiness.ts';
import type { StoredShape } from '../core/stored-json.ts';

// How the receipts of a person's review are stored.

export const reviewShape = {
  link: 'review',
  schema: publishReviewDecisionReceipt,
  maximumBytes: maximumReviewReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

export const revocationShape = {
  link: 'revocation',
  schema: publishReviewRevocationReceipt,
  maximumBytes: maximumReviewReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;
