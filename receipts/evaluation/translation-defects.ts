import { cutText } from '../../contract/base/grammar.ts';
import { translationLimits } from '../../contract/captions/caption-translation.ts';
import type { LabelledTranslations } from '../../contract/evaluation.ts';
import { lettersOf } from '../../rules/text-comparison.ts';

type Line = LabelledTranslations['lines'][number];

/** The wrong answer for some lines by their place; null for a line that is left out. */
export type PlantedAnswers = ReadonlyMap<number, string | null>;

type Plant = (line: Line, at: number, batch: readonly Line[]) => string | null | undefined;

/** Every second line, so that defects have whole lines beside them. */
const everySecond =
  (plant: Plant): Plant =>
  (line, at, batch) =>
    at % 2 === 1 ? plant(line, at, batch) : undefined;

const translationAt = (batch: readonly Line[], at: number): string | undefined => batch[at]?.translation;

/** The two lines of a batch whose translations are of most alike length. */
function mostAlike(batch: readonly Line[]): readonly [number, number] | null {
  const pairs = batch.flatMap(({ translation }, one) =>
    batch.slice(one + 1).map((other, after) => ({
      places: [one, one + 1 + after] as const,
      apart: Math.abs(Math.log(lettersOf(translation).length + 1) - Math.log(lettersOf(other.translation).length + 1)),
    })),
  );
  return pairs.sort((one, other) => one.apart - other.apart)[0]?.places ?? null;
}

/** Another number in digits of the same script: JavaScript counts in its own digits alone. */
const otherNumber = (digits: string): string =>
  /^[0-9]+$/.test(digits) ? `${BigInt(digits) + 1n}` : `${digits}${[...digits].at(-1) ?? ''}`;

/** What a model may do to a line, with its source repeated rightly; undefined for a line that is left as it is. */
const plants = {
  shifted: (_, at, batch) => translationAt(batch, (at + 1) % batch.length),
  merged: ({ translation }, at, batch) =>
    at % 2 === 0 ? `${translation} ${translationAt(batch, at + 1) ?? ''}`.trim() : '',
  dropped: everySecond(() => null),
  emptied: everySecond(() => ' '),
  swapped: (_, at, batch) => translationAt(batch, at % 2 === 0 ? at + 1 : at - 1),
  swapped_alike: (_, at, batch) => {
    const places = mostAlike(batch);
    if (places === null || !places.includes(at)) return undefined;
    return translationAt(batch, places[0] === at ? places[1] : places[0]);
  },
  repeated: everySecond((_, at, batch) => translationAt(batch, at - 1)),
  other_language: everySecond(({ foreign }) => foreign ?? undefined),
  echoed: everySecond(({ source }) => source),
  number_changed: ({ translation }) => translation.replaceAll(/\p{Nd}+/gu, otherNumber),
  name_changed: ({ renamed }) => renamed ?? undefined,
  shortened: everySecond(({ translation }) =>
    lettersOf(translation).length >= 20 ? cutText(translation, Math.floor(translation.length / 6)) : undefined,
  ),
} as const satisfies Readonly<Record<string, Plant>>;

export type TranslationDefect = keyof typeof plants;

/** What a model answers wrongly where it has this defect, batch by batch, wherever that is not what is right. */
export function plantedAnswers({ lines }: LabelledTranslations, defect: TranslationDefect): PlantedAnswers {
  const { batchLines } = translationLimits;
  const planted = lines.flatMap((line, at): [number, string | null][] => {
    const first = at - (at % batchLines);
    const wrong = plants[defect](line, at - first, lines.slice(first, first + batchLines));
    return wrong === undefined || wrong === line.translation ? [] : [[at, wrong]];
  });
  return new Map(planted);
}
