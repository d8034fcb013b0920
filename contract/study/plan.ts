import { z } from 'zod';
import { operationId } from '../base/artifact.ts';
import { contentId, identity, languageTag, range, wellFormedText } from '../base/grammar.ts';
import { recognitionWish } from '../captions/caption-method.ts';

const reason = wellFormedText.min(1).max(256);
const tags = z.array(languageTag).refine((languages) => new Set(languages).size === languages.length, 'tags repeat');
const noTags = z.array(languageTag).length(0);

/** The spoken language in the words of the caller; `reason` comes with `withheld` alone. */
export const requestedSourceLanguage = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('declared'), languages: z.array(languageTag).length(1), reason: z.null() }),
  z.strictObject({ mode: z.literal('mixed'), languages: tags.min(2), reason: z.null() }),
  z.strictObject({ mode: z.literal('automatic'), languages: noTags, reason: z.null() }),
  z.strictObject({ mode: z.literal('unknown'), languages: noTags, reason: z.null() }),
  z.strictObject({ mode: z.literal('withheld'), languages: noTags, reason }),
]);

export const outputDepth = z.enum(['captions', 'evidence']);

const option = {
  speechScope: z.enum(['foreground', 'all']),
  includeLyrics: z.boolean(),
  speaker: identity.nullable(),
  honorifics: z.enum(['preserve', 'naturalize']),
  translationStyle: z.enum(['literal', 'natural']),
  captionDensity: z.enum(['compact', 'balanced', 'relaxed']),
  slowAnalysis: z.boolean(),
};

export const analysisOptions = z.strictObject(option);

/** Options as a request gives them: any of the seven, each otherwise at its default. */
export const requestedOptions = z.strictObject({
  speechScope: option.speechScope.default('foreground'),
  includeLyrics: option.includeLyrics.default(false),
  speaker: option.speaker.default(null),
  honorifics: option.honorifics.default('preserve'),
  translationStyle: option.translationStyle.default('natural'),
  captionDensity: option.captionDensity.default('balanced'),
  slowAnalysis: option.slowAnalysis.default(false),
});

/** The revision to study, the range and the options: equal inputs make an equal `requestId`. */
export const analysisRequest = z.strictObject({
  schema: z.literal('studio.analysis-request.v1'),
  requestId: z.string().regex(/^analysis-request:[a-f0-9]{64}$/),
  sourceSessionId: identity,
  sourceRevisionId: identity,
  sourceContentId: contentId,
  range,
  language: z.strictObject({
    languagePair: z.strictObject({ requestedSource: requestedSourceLanguage, targetLanguage: languageTag }),
    selectedLanguagePackId: identity.nullable(),
    detectedLanguageEvidenceContentIds: z.array(contentId),
  }),
  outputDepth,
  options: analysisOptions,
});
export type AnalysisRequest = z.infer<typeof analysisRequest>;

/**
 * True if a tag begins with a language code of BCP 47, of two or three letters. Longer ones are reserved or were never
 * registered; people who send one mean a name, such as `English`.
 */
const beginsWithCode = (tag: string): boolean => /^[A-Za-z]{2,3}(?:-|$)/.test(tag);

const notATag = 'not a language tag of BCP 47, such as en, ko or pt-BR';

/**
 * The body of a plan and of a start: both read the same, so that what was planned is what gets started.
 * A `clientRequestId` asks for an attempt of its own over the same inputs. `recognition` is a wish for the speech of the range: a
 * recognizer and a language for it, or null for no recognition. Without it the settings of the host decide.
 * `materializationId` is read and must be null.
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
  recognition: recognitionWish.nullable().optional(),
  materializationId: z.null().optional(),
});

/** A parsed body: every option is filled in. */
export type RuntimeRequest = z.infer<typeof runtimeRequest>;

/** The work that a start commits to: one pass over the requested range. */
export const workPlan = z.strictObject({
  schema: z.literal('studio.forecast.work-plan.v1'),
  planId: z.string().regex(/^plan:bounded-media-seek:[a-f0-9]{64}$/),
  operations: z.tuple([z.strictObject({ operationId, kind: z.literal('media.seek'), range })]),
});

export type WorkPlan = z.infer<typeof workPlan>;
