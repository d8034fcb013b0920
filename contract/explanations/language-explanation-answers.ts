import { z } from 'zod';
import { contentId, count } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { runtimeListFields } from '../study/runtime-list.ts';
import { explanationRequest } from './language-explanation.ts';
import { explanationExecutor } from './language-explanation-executor.ts';
import {
  explanationArtifact,
  explanationJobId,
  explanationReceipt,
  explanationResult,
} from './language-explanation-records.ts';

const { caption, lineId, selection, facetKinds } = explanationRequest.shape;

/** One attempt, under way or ended; what failed says why, its closed cause first. */
export const explanationAttempt = z
  .strictObject({
    jobId: explanationJobId,
    attempt: count,
    caption,
    lineId,
    selection,
    facetKinds,
    status: z.enum(['started', 'completed', 'failed']),
    failure: z.string().min(1).max(256).nullable(),
  })
  .refine(({ status, failure }) => (status === 'failed') === (failure !== null), {
    message: 'stands exactly with a failed attempt',
    path: ['failure'],
  });

/** One explanation, reopened with everything that it rests on. */
export const explanationRow = z.strictObject({
  verification: z.strictObject({
    integrity: z.literal('stored_explanation_and_receipt_with_verified_current_caption'),
    jobId: explanationJobId,
    artifactId,
    contentId,
    receiptArtifactId: artifactId,
    receiptId: explanationReceipt.shape.receiptId,
    receiptContentId: contentId,
    caption,
    lineId,
    selection,
    executor: explanationExecutor,
    result: explanationResult,
  }),
  artifact: explanationArtifact,
  receipt: explanationReceipt,
});

/** The answer to `GET` and `POST …/language-explanations`: completed attempts and results pair one to one, in order. */
export const languageExplanations = z.strictObject({
  schema: z.literal('studio.local-runtime-language-explanations.v1'),
  ...runtimeListFields,
  attempts: z.array(explanationAttempt),
  results: z.array(explanationRow),
});

export type ExplanationAttempt = z.infer<typeof explanationAttempt>;
export type ExplanationRow = z.infer<typeof explanationRow>;
export type LanguageExplanations = z.infer<typeof languageExplanations>;
