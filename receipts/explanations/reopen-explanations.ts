import type { z } from 'zod';
import { explanationLimits } from '../../contract/explanations/language-explanation.ts';
import {
  explanationConfiguration,
  explanationPrompt,
  maximumExplanationSettingsBytes,
} from '../../contract/explanations/language-explanation-executor.ts';
import { explanationArtifact, explanationReceipt } from '../../contract/explanations/language-explanation-records.ts';
import type { StoredShape } from '../core/stored-json.ts';

// How explanations, their receipts and the settings of whoever explained are stored.

export const explanationShape = {
  link: 'explanation',
  schema: explanationArtifact,
  maximumBytes: explanationLimits.maxArtifactBytes,
} as const satisfies StoredShape<z.ZodType>;

export const explanationReceiptShape = {
  link: 'explanation_receipt',
  schema: explanationReceipt,
  maximumBytes: explanationLimits.maxArtifactBytes,
} as const satisfies StoredShape<z.ZodType>;

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
