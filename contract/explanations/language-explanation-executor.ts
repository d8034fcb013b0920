import { z } from 'zod';
import { contentId } from '../base/grammar.ts';
import { facetKinds } from './language-explanation-facet.ts';

/** The largest stored prompt contract or configuration, in bytes. */
export const maximumExplanationSettingsBytes = 65_536;

/** A model as its provider names it, such as `llama3.2:3b` or `org/model`. */
export const modelName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$/);

/** Everything that a model is told beside the captions, as data: stored once, named by every explanation that rests on it. */
export const explanationPrompt = z.strictObject({
  schema: z.literal('studio.language-explanation.prompt.v1'),
  version: z.literal('1'),
  system: z.string().min(1),
  facets: z.record(z.enum(facetKinds), z.string().min(1)),
  /** JSON schemas of the contents, by kind. */
  contents: z.record(z.enum(facetKinds), z.record(z.string(), z.json())),
});

/** How and where a model was asked; the key is never part of it. */
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

/** Who explains: the model behind a hosted interface, and the exact words and settings with which it is asked. */
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
