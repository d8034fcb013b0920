import {
  type CueFact,
  cueFact,
  type UnreadableCueFact,
  unkeptLooks,
  unreadableCueFact,
} from '../contract/evidence/evidence.ts';
import { countText } from '../formats/readable-numbers.ts';
import { countOf, factsOf } from './found.ts';
import type { EvidenceKind } from './kind.ts';

type Fact = CueFact | UnreadableCueFact;

/** The cues of a text track. */
export const subtitleCues: EvidenceKind<'subtitle_track', Fact> = {
  name: 'subtitle_track',
  title: 'subtitles',
  track: 'subtitle',
  facts: {
    subtitle_cue: { schema: cueFact, words: [{ value: 'text' }], tone: 'text' },
    unreadable_cue: {
      schema: unreadableCueFact,
      words: ['a cue that cannot be read: ', { value: 'reasonCode', form: 'reason' }],
      tone: 'fault',
    },
  },
  order: 'free',
  measured: ['flags', 'title', ...Object.values(unkeptLooks)],
  lane: { place: 130, about: 'words', backdrop: null },
  summary: {
    words: [
      { value: 'title', form: 'sentence' },
      ': ',
      { value: 'count', counted: ['line', 'lines'] },
      { value: 'language', before: ' in ' },
      '.',
    ],
  },
  row: { usual: false, name: ({ kind }) => (kind === 'subtitle_cue' ? 'cue' : 'unreadable cue') },
  found: (facts) => {
    const unreadable = factsOf(facts, 'unreadable_cue');
    const all = [...factsOf(facts, 'subtitle_cue'), ...unreadable].sort((one, other) => one.startMs - other.startMs);
    const lost = unreadable.length === 0 ? '' : `, ${unreadable.length} of them unreadable`;
    const untimed = all.filter(({ end }) => end === 'assumed').length;
    const assumed = untimed === 0 ? '' : `, ${untimed} of them without a duration: shown until the next, at most 7 s`;
    return {
      text: `${countText(all.length, 'cue')}${lost}${assumed}`,
      measures: countOf(all.length),
      places: all,
    };
  },
};
