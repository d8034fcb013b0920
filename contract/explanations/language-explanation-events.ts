import { z } from 'zod';
import { eventType } from '../base/event-envelope.ts';
import { contentId } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { explanationInput, explanationRequest } from './language-explanation.ts';
import { explanationFailure } from './language-explanation-failure.ts';
import { explanationGrant, explanationJobId, explanationReceipt } from './language-explanation-records.ts';

/** What the journal says of explanations of captions. */
export const languageExplanationEvents = [
  eventType(
    'language.explanation_started',
    'language_explanation_host',
    z.strictObject({
      jobId: explanationJobId,
      request: explanationRequest,
      grant: explanationGrant,
      input: explanationInput,
    }),
  ),
  eventType(
    'language.explanation_completed',
    'language_explanation_host',
    z.strictObject({
      jobId: explanationJobId,
      artifactId,
      contentId,
      receiptArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: explanationReceipt,
    }),
  ),
  eventType(
    'language.explanation_failed',
    'language_explanation_host',
    z.strictObject({ jobId: explanationJobId, reason: explanationFailure }),
  ),
] as const;
