import { z } from 'zod';
import { identity, languageTag, range } from '../base/grammar.ts';
import { outputDepth, requestedOptions, requestedSourceLanguage } from './analysis-request.ts';

/**
 * Whether a tag begins with a language code as BCP 47 has them, of two or three letters. Longer ones are reserved or were
 * never registered; what people send there is a name, such as `English`.
 */
const beginsWithCode = (tag: string): boolean => /^[A-Za-z]{2,3}(?:-|$)/.test(tag);

const notATag = 'not a language tag of BCP 47, such as en, ko or pt-BR';

/**
 * The body of a plan and of a start: both read the same, so that what was planned is what gets started.
 * A `clientRequestId` asks for an attempt of its own over the same inputs. `materializationId` is read and must be null.
 */
export const runtimeRequest = z.strictObject({
  sourceSessionId: identity,
  sourceRevisionId: identity,
  range,
  requestedSourceLanguage: requestedSourceLanguage.refine(({ languages }) => languages.every(beginsWithCode), {
    message: notATag,
    path: ['languages'],
  }),
  targetLanguage: languageTag.refine(beginsWithCode, notATag),
  selectedLanguagePackId: identity.nullable(),
  outputDepth,
  options: requestedOptions.prefault({}),
  clientRequestId: identity.optional(),
  materializationId: z.null().optional(),
});

/** A parsed body: every option is filled in. */
export type RuntimeRequest = z.infer<typeof runtimeRequest>;
