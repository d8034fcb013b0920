import { z } from 'zod';
import { contentId } from '../base/grammar.ts';

/** The kinds of an explanation of a selection. */
export const facetKinds = ['meaning', 'word', 'phrase', 'grammar', 'translation_choice'] as const;
export const facetKind = z.enum(facetKinds);
export type FacetKind = z.infer<typeof facetKind>;

/** The largest text of a facet, in bytes of UTF-8. */
export const maximumFacetTextBytes = 8192;

const allowedControls = ['\t', '\n', '\r'];

/** A stored text of a facet: trimmed, of control characters only tabs and line breaks, no half of a surrogate pair. */
export const facetText = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text, 'utf8') <= maximumFacetTextBytes, 'is too long')
  .refine((text) => text === text.trim(), 'must be trimmed')
  .refine(
    (text) => [...text].every((character) => !/[\p{Cc}\p{Cs}]/u.test(character) || allowedControls.includes(character)),
    'has control characters',
  );

const contentsOf = <Text extends z.ZodType<string>>(text: Text) => ({
  meaning: z.strictObject({ sceneMeaning: text }),
  word: z.strictObject({ form: text, sense: text, role: text }),
  phrase: z.strictObject({ form: text, function: text }),
  grammar: z.strictObject({
    construction: text,
    explanation: text,
    segments: z
      .array(z.strictObject({ form: text, role: text }))
      .min(1)
      .max(16),
  }),
  translation_choice: z.strictObject({ sourceChoice: text, targetChoice: text, rationale: text }),
});

/** The content of a facet, by its kind. */
export const facetContents = contentsOf(facetText);

/** The answer of a generator in the place of a facet. */
export const abstention = z.enum(['generator_abstained', 'facet_not_applicable', 'insufficient_caption_context']);

const given = <Content extends z.ZodType>(content: Content) =>
  z.strictObject({ content: content.nullable(), reason: abstention.nullable() }).optional();

const givenContents = contentsOf(z.string());

/** The output of a generator: for each requested facet its content, or the reason why there is none. */
export const explanationOutput = z.strictObject({
  facets: z.strictObject({
    meaning: given(givenContents.meaning),
    word: given(givenContents.word),
    phrase: given(givenContents.phrase),
    grammar: given(givenContents.grammar),
    translation_choice: given(givenContents.translation_choice),
  }),
});

export type ExplanationOutput = z.infer<typeof explanationOutput>;

const common = {
  executionAuthority: z.literal('host_receipted'),
  semanticReview: z.literal('not_reviewed'),
  externalCitationIds: z.tuple([]),
};

const missing = { content: z.null(), grounding: z.literal('none'), ...common };

const notApplicable = z.enum(['facet_not_applicable']);

const facetOf = <const Kind extends FacetKind, Content extends z.ZodType, Unavailable extends z.ZodType>(
  kind: Kind,
  content: Content,
  unavailable: Unavailable,
) =>
  z.discriminatedUnion('availability', [
    z.strictObject({
      kind: z.literal(kind),
      availability: z.literal('available'),
      reasonCode: z.null(),
      content,
      grounding: z.literal('caption_context_inference'),
      ...common,
    }),
    z.strictObject({
      kind: z.literal(kind),
      availability: z.literal('withheld'),
      reasonCode: z.enum(['generator_abstained', 'insufficient_caption_context']),
      ...missing,
    }),
    z.strictObject({
      kind: z.literal(kind),
      availability: z.literal('unavailable'),
      reasonCode: unavailable,
      ...missing,
    }),
  ]);

/** A facet as it is stored: what the generator inferred from the captions around the selection, not reviewed. */
export const storedFacet = z.discriminatedUnion('kind', [
  facetOf('meaning', facetContents.meaning, notApplicable),
  facetOf('word', facetContents.word, notApplicable),
  facetOf('phrase', facetContents.phrase, notApplicable),
  facetOf('grammar', facetContents.grammar, notApplicable),
  facetOf(
    'translation_choice',
    facetContents.translation_choice,
    z.enum(['facet_not_applicable', 'target_unavailable']),
  ),
]);

export type StoredFacet = z.infer<typeof storedFacet>;
export type MissingFacetReason = NonNullable<StoredFacet['reasonCode']>;

/** The largest stored prompt contract or configuration, in bytes. */
export const maximumExplanationSettingsBytes = 65_536;

/** The name of a model, as its server has it, such as `llama3.2:3b` or `org/model`: letters of any script, and spaces inside. */
export const servedModelName = z
  .string()
  .regex(/^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._:/@+()-]{0,198}[\p{L}\p{M}\p{N}._:/@+()-])?$/u);

/** The name of a model in records. */
export const modelName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$/);

/**
 * The name of a model for records. Each other character is `@` and its number in hex, with an `m` before the first, as in `my@20model`. A name
 * that is too long then is cut: the digest of the configuration tells two models apart.
 */
export function recordedModelName(served: string): string {
  if (modelName.safeParse(served).success) return served;
  const plain = served.replace(/[^A-Za-z0-9._:/+-]/gu, (sign) => `@${sign.codePointAt(0)?.toString(16) ?? ''}`);
  return (/^[A-Za-z0-9]/.test(plain) ? plain : `m${plain}`).slice(0, 200);
}

/** The input of a model beside the captions, as data: stored once, named by every explanation that rests on it. */
export const explanationPrompt = z.strictObject({
  schema: z.literal('studio.language-explanation.prompt.v1'),
  version: z.literal('1'),
  system: z.string().min(1),
  facets: z.record(z.enum(facetKinds), z.string().min(1)),
  /** JSON schemas of the contents, by kind. */
  contents: z.record(z.enum(facetKinds), z.record(z.string(), z.json())),
});

/** The address and settings of a model; the key is never part of it. */
export const explanationConfiguration = z.strictObject({
  schema: z.literal('studio.language-explanation.configuration.v1'),
  baseUrl: z.string().min(1),
  model: modelName,
  responseFormat: z.literal('json_schema_strict'),
  tokenLimitFields: z.array(z.enum(['max_completion_tokens', 'max_tokens'])).min(1),
  maxCompletionTokens: z.number().int().positive(),
  maxProviderResponseBytes: z.number().int().positive(),
  maxOutputBytes: z.number().int().positive(),
  maxWallMs: z.number().int().positive(),
  retries: z.literal(0),
  redirects: z.literal('refused'),
});

/** The executor of explanations: the model behind a hosted interface, and its exact prompt and settings. */
export const explanationExecutor = z.strictObject({
  id: z.literal('studio.openai-language-explanation-generator'),
  version: z.literal('1'),
  classification: z.literal('real_model'),
  executionScope: z.literal('current_run'),
  model: modelName,
  promptContractContentId: contentId,
  configurationContentId: contentId,
});

export type ExplanationPrompt = z.infer<typeof explanationPrompt>;
export type ExplanationConfiguration = z.infer<typeof explanationConfiguration>;
export type ExplanationExecutorIdentity = z.infer<typeof explanationExecutor>;
