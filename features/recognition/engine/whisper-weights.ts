import { closeSync, openSync, readSync } from 'node:fs';
import { languagesOfWhisper } from './whisper-languages.ts';

/** The first bytes of weights of whisper.cpp, and the places of two of its sizes behind them (`whisper_model_load`). */
const HEAD = { magic: 0x67676d6c, bytes: 48, vocabularyAt: 4, textStateAt: 28 } as const;

/** The sizes of weights that their file states first. */
interface WeightSizes {
  /** Tokens: they include one for each language. */
  readonly vocabulary: number;
  /** Numbers of the state of the text, for each token. */
  readonly textState: number;
}

/** The sizes in the head of weights of whisper.cpp; null for a file that is none, or is not there. */
export function weightSizesOf(model: string): WeightSizes | null {
  const head = Buffer.alloc(HEAD.bytes);
  try {
    const file = openSync(model, 'r');
    try {
      if (readSync(file, head, 0, head.length, 0) < head.length || head.readUInt32LE(0) !== HEAD.magic) return null;
    } finally {
      closeSync(file);
    }
  } catch {
    // Whoever opens the weights learns why.
    return null;
  }
  return { vocabulary: head.readInt32LE(HEAD.vocabularyAt), textState: head.readInt32LE(HEAD.textStateAt) };
}

/**
 * The first vocabularies with a token for each language: those of weights for English alone have fewer, and Cantonese came with large-v3.
 * The source is `whisper_vocab::is_multilingual` and `num_languages` of whisper.cpp.
 */
const VOCABULARY = { ofAll: 51_865, withCantonese: 51_866 } as const;

/**
 * Base codes of the languages that weights of whisper.cpp recognize. Null for a file whose head cannot be read: then it is up to the program.
 */
export function languagesOfWeights(model: string): readonly string[] | null {
  const sizes = weightSizesOf(model);
  if (sizes === null) return null;
  if (sizes.vocabulary < VOCABULARY.ofAll) return ['en'];
  const hasCantonese = sizes.vocabulary >= VOCABULARY.withCantonese;
  return languagesOfWhisper().filter((code) => hasCantonese || code !== 'yue');
}
