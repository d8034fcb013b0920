import { Ajv2020, type Options } from 'ajv/dist/2020.js';

/**
 * A validator of JSON by schemas. Most schemas judge a few values: to inline references and to optimize the code of a check costs
 * more than it saves.
 */
export const schemaValidator = (options: Options = {}): Ajv2020 =>
  new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false, code: { optimize: false }, ...options });
