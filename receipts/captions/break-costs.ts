import { baseLanguage } from '../core/base-language.ts';
import type { TimedUnit } from './timed-units.ts';

/** What it costs to divide a text between two units, from 0 (the end of a sentence) to 10 (within a phrase). */
export const BREAK_COST = { sentence: 0, clause: 1, phrase: 3, plain: 6, within: 10 } as const;

/** Pauses of speech, in ms, from which a break costs less, and one over which no cue reaches. */
export const PAUSE = { shortMs: 150, longMs: 300, fullMs: 700, wallMs: 1500 } as const;

const sentenceEnd = /[.!?…。！？؟۔]["'’”»)\]」』]*$/u;
const clauseEnd = /[,;:،、，；：–—]["'’”»)\]」』]*$/u;

// Words that belong to what follows: articles, prepositions, conjunctions, auxiliaries. A row that ends with one is cut badly.
const leading: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    en: 'a an the this that these those my your his her its our their of in on at by for with from to into over under about after before between through without and or but so because if when while that which who whom whose as than i you he she it we they is are was were be been am has have had do does did will would can could shall should may might must not very too',
    de: 'der die das den dem des ein eine einen einem einer eines mein dein sein ihr unser euer in im an am auf bei beim für mit von vom zu zum zur aus nach vor über unter durch ohne um und oder aber denn weil dass wenn als ob während der welche ich du er sie es wir ihr ist sind war waren hat haben hatte wird werden kann soll muss nicht sehr',
    fr: 'le la les un une des du de d l mon ton son notre votre leur ce cette ces à au aux en dans sur sous par pour avec sans chez vers et ou mais donc car que qui dont si quand comme je tu il elle on nous vous ils elles est sont était a ont ne se très',
    es: 'el la los las un una unos unas mi tu su nuestro este esta de del a al en por para con sin sobre entre hasta desde y o pero porque que si cuando como yo él ella nosotros ellos es son era ha han no se muy',
    it: 'il lo la i gli le un uno una del della dei di a al da dal in nel con su per tra fra e o ma perché che se quando come io tu lui lei noi voi loro è sono era ha hanno non si molto',
    pt: 'o a os as um uma uns umas meu seu este esta de do da dos das em no na por para com sem sobre entre e ou mas porque que se quando como eu ele ela nós eles é são era tem têm não muito',
    nl: 'de het een mijn jouw zijn haar ons hun deze die dit dat in op aan bij voor met van naar uit over onder door zonder en of maar want omdat dat als toen terwijl ik jij hij zij wij is zijn was waren heeft hebben had niet zeer',
  }).map(([language, words]) => [language, new Set(words.split(' '))]),
);

const none: ReadonlySet<string> = new Set();

const wordOf = ({ text }: TimedUnit): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Signs without spaces between them may be one word; a consonant without a vowel more often ends a syllable than it begins one. */
function betweenSigns(before: TimedUnit, after: TimedUnit): number {
  const cost = (BREAK_COST.plain + BREAK_COST.within) / 2;
  if (after.isLone) return BREAK_COST.within;
  return before.isLone ? (cost + BREAK_COST.within) / 2 : cost;
}

function byGrammar(before: TimedUnit, after: TimedUnit, words: ReadonlySet<string>): number {
  if (sentenceEnd.test(before.text)) return BREAK_COST.sentence;
  if (clauseEnd.test(before.text)) return BREAK_COST.clause;
  if (words.has(wordOf(before))) return BREAK_COST.within;
  if (!after.isSpaced) return betweenSigns(before, after);
  return words.has(wordOf(after)) ? BREAK_COST.phrase : BREAK_COST.plain;
}

/** What it costs to divide a text between two units that follow each other. */
export type BreakCost = (before: TimedUnit, after: TimedUnit) => number;

/** The costs of breaks in a language; of one without a list of words, by punctuation and pauses alone. */
export function breakCosts(language: string): BreakCost {
  const words = leading[baseLanguage(language) ?? ''] ?? none;
  return (before, after) => {
    const cost = byGrammar(before, after, words);
    const pauseMs = after.startMs - before.endMs;
    if (pauseMs >= PAUSE.fullMs) return BREAK_COST.sentence;
    if (pauseMs >= PAUSE.longMs) return Math.min(cost, BREAK_COST.clause);
    return pauseMs >= PAUSE.shortMs ? Math.max(BREAK_COST.sentence, cost - 2) : cost;
  };
}
