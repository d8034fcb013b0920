import type { Range } from '../contract/base/grammar.ts';
import type { WordPart } from '../contract/evidence/evidence-kinds.ts';
import type { Finding, FindingMeasure } from '../contract/overview.ts';
import { countText, secondsText, timeCode } from '../formats/readable-numbers.ts';
import { joined, totalLengthOf } from '../rules/time-spans.ts';

/** The text of evidence before it is bounded: words, numbers and every place. */
export interface Found {
  readonly text: string;
  /** The text without the places that it names; absent if it names none. */
  readonly brief?: string;
  /** The languages that were found, and how long each lasts in ms if that is known. */
  readonly languages?: Finding['languages'];
  readonly fieldOrders?: Finding['fieldOrders'];
  readonly measures: readonly FindingMeasure[];
  /** A moment begins and ends at once. */
  readonly places: readonly Range[];
}

/** The sentence of a kind that has none of its own: its title, and its text without places. */
export const titled = {
  words: [{ value: 'title', form: 'sentence' }, ': ', { value: 'brief' }, '.'],
} as const satisfies { readonly words: readonly WordPart[] };

/** A value that was measured of a finding; 0 without it. */
export const measuredIn = ({ measures }: Pick<Finding, 'measures'>, name: string): number =>
  measures.find((each) => each.name === name)?.value ?? 0;

/** The passages of a kind and their length, for the terminal: `Speech: 3 passages, 12.0 s in total`. */
export const passagesLine = (title: string, finding: Pick<Finding, 'measures'>): string =>
  `${title}: ${countText(measuredIn(finding, 'count'), 'passage')}, ${measuredIn(finding, 'total').toFixed(1)} s in total`;

/** How often, and how long in all: `3 times, 34 s, 12 % of the range`. */
export const spread = [
  { value: 'count', form: 'times' },
  ', ',
  { value: 'total', form: 'length' },
  { value: 'share', form: 'rounded', before: ', ', after: ' % of the range' },
] as const satisfies readonly WordPart[];

/** How many there are, as a measure. */
export const countOf = (value: number): Found['measures'] => [{ name: 'count', value, unit: '' }];

/** Stretches with their number, their length in all, and their share of the range. */
export function windows(spans: readonly Range[], { startMs, endMs }: Range): Found {
  const lengthMs = totalLengthOf(joined(spans));
  const share = Math.round((100 * lengthMs) / (endMs - startMs));
  return {
    text: `${countText(spans.length, 'window')}, ${secondsText(lengthMs)}, ${share} %`,
    measures: [
      ...countOf(spans.length),
      { name: 'total', value: lengthMs / 1000, unit: 's' },
      { name: 'share', value: share, unit: '%' },
    ],
    places: spans,
  };
}

// A line for people names the first of them; all are in the places.
const namedPlaces = 8;

/** Where facts lie, the first of them by name; empty without any. */
export function atPlaces(places: readonly Range[]): string {
  if (places.length === 0) return '';
  const named = places.slice(0, namedPlaces).map(({ startMs }) => timeCode(startMs));
  return ` at ${named.join(', ')}${places.length > named.length ? ', …' : ''}`;
}

type Plurals = Readonly<Record<string, string>>;

const severalOf = (count: number, word: string, plurals: Plurals): string =>
  count !== 1 && Object.hasOwn(plurals, word) ? `${count} ${plurals[word]}` : countText(count, word);

/** Words with how often each occurs, in the order of their first one. */
function tally(words: readonly string[], plurals: Plurals): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => severalOf(count, word, plurals)).join(', ');
}

/** Places, counted by their words. `plurals` has those that an s does not make. */
export const placed = (facts: readonly Range[], words: readonly string[], plurals: Plurals = {}): Found => ({
  brief: facts.length === 0 ? 'none' : tally(words, plurals),
  text: facts.length === 0 ? 'none' : `${tally(words, plurals)}${atPlaces(facts)}`,
  measures: countOf(facts.length),
  places: facts,
});

/** Facts that a person should look at first: how many of them are uncertain, such as `, 2 uncertain`; empty for none. */
export function uncertainOf(facts: readonly { readonly grade?: 'uncertain' | undefined }[]): string {
  const uncertain = facts.filter(({ grade }) => grade === 'uncertain').length;
  return uncertain === 0 ? '' : `, ${uncertain} uncertain`;
}

/** Stretches of one sort, with their whole length. */
export function stretches(facts: readonly Range[]): Found {
  const totalMs = totalLengthOf(joined(facts));
  const several = severalOf(facts.length, 'stretch', { stretch: 'stretches' });
  const brief = facts.length === 0 ? 'none' : `${several}, ${secondsText(totalMs)}`;
  return {
    brief,
    text: `${brief}${atPlaces(facts)}`,
    measures: [...countOf(facts.length), { name: 'total', value: totalMs / 1000, unit: 's' }],
    places: facts,
  };
}

/** The measurements of a whole stretch, in words. */
export const wholeStretch = (facts: readonly Range[], words: readonly string[], none: string): Found => ({
  text: words.length === 0 ? none : [...new Set(words)].join('; '),
  measures: [],
  places: facts,
});

/** The facts of one sort among those of a kind. */
export const factsOf = <Fact extends { readonly kind: string }, Kind extends Fact['kind']>(
  facts: readonly Fact[],
  kind: Kind,
): Extract<Fact, { readonly kind: Kind }>[] =>
  facts.flatMap((fact) => (fact.kind === kind ? [fact as Extract<Fact, { readonly kind: Kind }>] : []));
