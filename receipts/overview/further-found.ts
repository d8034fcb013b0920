import type { Range } from '../../contract/base/grammar.ts';
import type { FurtherFact, PassKind } from '../../contract/evidence/further-evidence.ts';
import { counted } from '../core/checked-link.ts';
import { secondsText, timeCode } from '../core/time-code.ts';
import { joined, lengthOf } from '../core/time-spans.ts';
import type { Found } from './found.ts';

type FactOf<Kind extends FurtherFact['kind']> = FurtherFact & { readonly kind: Kind };

const factsOf = <Kind extends FurtherFact['kind']>(facts: readonly FurtherFact[], kind: Kind): FactOf<Kind>[] =>
  facts.flatMap((fact) => (fact.kind === kind ? [fact as FactOf<Kind>] : []));

// A line for people names the first of them; all are in the places.
const namedPlaces = 8;

/** Where facts lie, the first of them by name. */
function atPlaces(places: readonly Range[]): string {
  if (places.length === 0) return '';
  const named = places.slice(0, namedPlaces).map(({ startMs }) => timeCode(startMs));
  return ` at ${named.join(', ')}${places.length > named.length ? ', …' : ''}`;
}

const plurals: Readonly<Record<string, string>> = {
  flash: 'flashes',
  stretch: 'stretches',
  'stretch of clipping': 'stretches of clipping',
};

const severalOf = (count: number, word: string): string =>
  count !== 1 && Object.hasOwn(plurals, word) ? `${count} ${plurals[word]}` : counted(count, word);

/** Words with how often each occurs, in the order of their first one. */
function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => severalOf(count, word)).join(', ');
}

const countOf = (value: number): Found['measures'] => [{ name: 'count', value, unit: '' }];

/** What lies at places, tallied by what it is. */
const placed = (facts: readonly Range[], words: readonly string[]): Found => ({
  text: facts.length === 0 ? 'none' : `${tally(words)}${atPlaces(facts)}`,
  measures: countOf(facts.length),
  places: facts,
});

/** Stretches of one sort, with their whole length. */
function stretches(facts: readonly Range[]): Found {
  const totalMs = lengthOf(joined(facts));
  return {
    text:
      facts.length === 0 ? 'none' : `${severalOf(facts.length, 'stretch')}, ${secondsText(totalMs)}${atPlaces(facts)}`,
    measures: [...countOf(facts.length), { name: 'total', value: totalMs / 1000, unit: 's' }],
    places: facts,
  };
}

const faultWords: Readonly<Record<string, string>> = {
  clipping: 'stretch of clipping',
  silent_channel: 'silent channel',
  phase_inversion: 'inverted channel',
  dropout: 'dropout',
};

/** What is wrong with the sound; the highest peak is a measurement, and no fault. */
function faults(facts: readonly FurtherFact[]): Found {
  const found = facts.filter(({ kind }) => Object.hasOwn(faultWords, kind));
  return placed(
    found,
    found.map(({ kind }) => faultWords[kind] ?? kind),
  );
}

const orderWords: Readonly<Record<FactOf<'field_order'>['order'], string>> = {
  progressive: 'progressive',
  top_first: 'interlaced, the upper field first',
  bottom_first: 'interlaced, the lower field first',
  telecined: 'telecined from film',
  mixed: 'mixed',
  unknown: 'not certain',
};

/** What was measured of a whole stretch, in words. */
const told = (facts: readonly Range[], words: readonly string[], none: string): Found => ({
  text: words.length === 0 ? none : [...new Set(words)].join('; '),
  measures: [],
  places: facts,
});

const readers: Readonly<Record<PassKind, (facts: readonly FurtherFact[]) => Found>> = {
  transitions: (facts) => {
    const found = facts.flatMap((fact) =>
      fact.kind === 'transition' || fact.kind === 'flash' || fact.kind === 'strobe' ? [fact] : [],
    );
    return placed(
      found,
      found.map((fact) => (fact.kind === 'transition' ? fact.form : fact.kind)),
    );
  },
  black_frames: (facts) => stretches(factsOf(facts, 'black')),
  frozen_frames: (facts) => stretches(factsOf(facts, 'frozen')),
  keyframes: (facts) => {
    const found = factsOf(facts, 'keyframe');
    return {
      text: counted(found.length, 'picture'),
      measures: countOf(found.length),
      places: found.map(({ atMs }) => ({ startMs: atMs, endMs: atMs })),
    };
  },
  waveform: (facts) => {
    const found = factsOf(facts, 'waveform');
    return told(
      found,
      found.map(({ windowMs }) => `lowest and highest sample of every ${windowMs} ms`),
      'none',
    );
  },
  audio_faults: faults,
  interlacing: (facts) => {
    const found = factsOf(facts, 'field_order');
    return told(
      found,
      found.map(({ order }) => orderWords[order]),
      'not measured',
    );
  },
  letterbox: (facts) => {
    const found = factsOf(facts, 'letterbox');
    return told(
      found,
      found.map(
        ({ width, height, pictureWidth, pictureHeight }) =>
          `picture of ${width} × ${height} in ${pictureWidth} × ${pictureHeight}`,
      ),
      'none',
    );
  },
};

/** What one of the further kinds of a pass says. */
export const furtherFoundOf = (kind: PassKind, facts: readonly FurtherFact[]): Found => readers[kind](facts);
