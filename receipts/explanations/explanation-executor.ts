import type { z } from 'zod';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import {
  type ExplanationConfiguration,
  type ExplanationExecutorIdentity,
  type ExplanationPrompt,
  explanationConfiguration,
  explanationPrompt,
  maximumExplanationSettingsBytes,
} from '../../contract/explanations/language-explanation-executor.ts';
import { type StoredShape, storedJson } from '../core/stored-json.ts';

/** The exact words and settings with which a model is asked. */
export interface ExplanationSettings {
  readonly prompt: ExplanationPrompt;
  readonly configuration: ExplanationConfiguration;
}

/** An executor as records name it, and the settings that it is identified by, as they are stored. */
export function explanationExecutorOf({ prompt, configuration }: ExplanationSettings): {
  readonly identity: ExplanationExecutorIdentity;
  readonly objects: readonly StoredObject[];
} {
  const objects = { prompt: storedJson(prompt), configuration: storedJson(configuration) };
  return {
    identity: {
      id: 'studio.openai-language-explanation-generator',
      version: '1',
      classification: 'real_model',
      executionScope: 'current_run',
      model: configuration.model,
      promptContractContentId: objects.prompt.contentId,
      configurationContentId: objects.configuration.contentId,
    },
    objects: [objects.prompt, objects.configuration],
  };
}

/** How the prompt and settings of an explanation executor are stored. */
export const explanationPromptShape = {
  link: 'explanation_prompt',
  schema: explanationPrompt,
  maximumBytes: maximumExplanationSettingsBytes,
} as const satisfies StoredShape<z.ZodType>;

export const explanationConfigurationShape = {
  link: 'explanation_configuration',
  schema: explanationConfiguration,
  maximumBytes: maximumExplanationSettingsBytes,
} as const satisfies StoredShape<z.ZodType>;
