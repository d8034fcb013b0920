import { z } from 'zod';
import { contentId } from '../base/grammar.ts';
import { modelName } from '../explanations/language-explanation-executor.ts';

/** Who translates, as captions name it: a model, and digests of the words and settings with which it is asked. */
export const captionTranslator = z.strictObject({
  model: modelName,
  promptContentId: contentId,
  configurationContentId: contentId,
});

export type CaptionTranslator = z.infer<typeof captionTranslator>;
