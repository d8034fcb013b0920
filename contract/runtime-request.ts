import { z } from 'zod';
import { outputDepth, requestedOptions, requestedSourceLanguage } from './analysis-request.ts';
import { identity, languageTag, range } from './grammar.ts';

/**
 * The body of a plan and of a start: both read the same, so that what was planned is what gets started.
 * A `clientRequestId` asks for an attempt of its own over the same inputs. `materializationId` is read and must be null.
 */
export const runtimeRequest = z.strictObject({
  sourceSessionId: identity,
  sourceRevisionId: identity,
  range,
  requestedSourceLanguage,
  targetLanguage: languageTag,
  selectedLanguagePackId: identity.nullable(),
  outputDepth,
  options: requestedOptions.prefault({}),
  clientRequestId: identity.optional(),
  materializationId: z.null().optional(),
});

/** A parsed body: every option is filled in. */
export type RuntimeRequest = z.infer<typeof runtimeRequest>;
