import { between, type Chance, oneOf, whole } from '../../fixtures/chance.ts';
import type { HeardWord } from '../../rules/script-alignment.ts';

/** A sentence that was said, in ms. */
export interface Spoken {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

const subjects =
  'my sister|the old baker|every child|nobody here|our neighbour|the doctor|his teacher|a stranger'.split('|');
const verbs = 'carries|has forgotten|never repairs|would like to see|counts|sold|keeps looking for|painted'.split('|');
const objects =
  'the green box|an old map of the islands|two windows and a door|the letter from Boston|winter coats|a broken piano|the keys of the house|three hundred chairs'.split(
    '|',
  );
const places = 'in the attic|behind the garden|after the wedding|on the bridge|before breakfast|near the harbour'.split(
  '|',
);

/** A sentence that hardly another one equals. */
export const sentence = (chance: Chance): string =>
  `${oneOf(chance, subjects)} ${oneOf(chance, verbs)} ${oneOf(chance, objects)} ${oneOf(chance, places)}.`;

/** Sentences with the times at which they are said. */
export function spoken(chance: Chance, texts: readonly string[]): Spoken[] {
  let atMs = 2000;
  return texts.map((text) => {
    const startMs = Math.round(atMs);
    const endMs = startMs + 60 * text.length;
    atMs = endMs + between(chance, 300, 2500);
    return { text, startMs, endMs };
  });
}

/** The words of a recognizer that hears so many of a hundred letters wrong, and drops or joins some words. */
export function heardBy(chance: Chance, said: readonly Spoken[], wrong: number): HeardWord[] {
  return said.flatMap(({ text, startMs, endMs }) => {
    const words = text.replaceAll(/[^\p{L}\p{N}\s]/gu, '').split(/\s+/u);
    const letters = words.join('').length;
    let at = 0;
    const heard: HeardWord[] = [];
    for (const word of words) {
      const from = startMs + Math.round(((endMs - startMs) * at) / letters);
      at += word.length;
      const to = startMs + Math.round(((endMs - startMs) * at) / letters);
      const changed = [...word].map((letter) =>
        100 * chance() < wrong ? String.fromCharCode(whole(chance, 97, 122)) : letter,
      );
      if (100 * chance() < wrong / 4) continue;
      heard.push({ text: changed.join(''), startMs: from, endMs: to });
    }
    return heard;
  });
}

/** A list in another order. */
export function shuffled<Item>(chance: Chance, items: readonly Item[]): Item[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = whole(chance, 0, at);
    const [one, two] = [mixed[at], mixed[other]];
    if (one === undefined || two === undefined) continue;
    [mixed[at], mixed[other]] = [two, one];
  }
  return mixed;
}
