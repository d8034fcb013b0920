import type { CaptionTranslation } from '../contract/captions/caption-translation.ts';
import { features } from '../features/features.ts';
import { countText } from '../formats/readable-numbers.ts';
import { EvidenceChainError } from '../receipts/evidence-chain.ts';
import { withLauncher } from './settings/start-trial.ts';

/** A stored translation of a program, by the file of its record. */
export interface FoundTranslation {
  readonly contentId: string;
  readonly translation: CaptionTranslation;
}

/** What a verification did with the translation of a program, as `--json` prints it. */
export interface Repetition {
  readonly contentId: string;
  /** The program with its pair of languages. */
  readonly model: string;
  /** `form_checked`: this machine has not the same program with the same data. */
  readonly check: 'repeated' | 'form_checked';
  /** The number of lines that it gave again, byte for byte. */
  readonly lines: number;
  /** Why it was not repeated; null if it was. */
  readonly why: string | null;
}

async function repetitionOf(
  { contentId, translation }: FoundTranslation,
  launcher: Parameters<Parameters<typeof withLauncher>[0]>[0],
): Promise<Repetition | null> {
  const { model } = translation.translator;
  for (const { repeatsTranslation } of features) {
    const found = (await repeatsTranslation?.(translation, { environment: process.env, launcher })) ?? null;
    if (found === null) continue;
    if (found.state === 'other') {
      const place = `${found.lineId}: ${model} of this machine, with the same digests, gives another translation`;
      throw new EvidenceChainError('caption_translation', place, undefined, contentId);
    }
    if (found.state === 'repeated') return { contentId, model, check: 'repeated', lines: found.lines, why: null };
    return { contentId, model, check: 'form_checked', lines: 0, why: found.why };
  }
  return null;
}

/**
 * Has programs of this machine translate again what they have translated for these records. Throws `EvidenceChainError` for a line of
 * which the same program gives another translation.
 */
export const repetitionsOf = (found: readonly FoundTranslation[]): Promise<Repetition[]> =>
  withLauncher(async (launcher) => {
    const repetitions: Repetition[] = [];
    for (const each of found) {
      const repetition = await repetitionOf(each, launcher);
      if (repetition !== null) repetitions.push(repetition);
    }
    return repetitions;
  });

/** A repetition in words, without its file. */
export const repetitionText = ({ model, check, lines, why }: Repetition): string =>
  check === 'repeated'
    ? `${model}: ${countText(lines, 'line')} translated again, byte for byte`
    : `${model}: form checked; not repeated: ${why}`;
