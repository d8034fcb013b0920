import type { Range } from '../contract/base/grammar.ts';
import { type SpeechFact, speechFact } from '../contract/evidence/evidence.ts';
import { type LanguageRangeFact, languageRangeFact } from '../contract/evidence/evidence-read.ts';
import { secondsText } from '../formats/readable-numbers.ts';
import { joined, totalLengthOf } from '../rules/time-spans.ts';
import { countOf, factsOf, titled, windows } from './found.ts';
import type { EvidenceKind } from './kind.ts';

/** The speech of a whole source, which came with it. */
export const speechOfSource: EvidenceKind<'speech-activity-receipt', SpeechFact> = {
  name: 'speech-activity-receipt',
  title: 'speech of the whole source',
  track: null,
  facts: {
    speech_window: { schema: speechFact, words: ['speech'], tone: 'speech' },
    non_speech_window: { schema: speechFact, words: ['no speech'], tone: 'gap' },
  },
  order: 'free',
  lane: { place: 170, about: 'pictures_and_sound', backdrop: null },
  summary: titled,
  row: { usual: false, name: ({ kind }) => (kind === 'speech_window' ? 'speech of the source' : null) },
  found: (facts, range) => windows(factsOf(facts, 'speech_window'), range),
};

const unidentified = 'not identified';

/** The spoken languages of a whole source, which came with it. */
export const languagesOfSource: EvidenceKind<'language-ranges-receipt', LanguageRangeFact> = {
  name: 'language-ranges-receipt',
  title: 'spoken languages of the whole source',
  track: null,
  facts: {
    language_range: {
      schema: languageRangeFact,
      words: [
        { value: 'decision.code', form: 'language', otherwise: 'language' },
        { value: 'decision.status', before: ': ', none: 'classified' },
      ],
      tone: 'language',
    },
  },
  order: 'free',
  lane: { place: 170, about: 'words', backdrop: null },
  summary: { words: [{ value: 'title', form: 'sentence' }, ': ', { value: 'languages', form: 'languages' }, '.'] },
  row: {
    usual: false,
    name: ({ decision }) => `language ${decision.status === 'classified' ? decision.code : unidentified}`,
  },
  found: (ranges) => {
    const spans = new Map<string, Range[]>();
    for (const range of ranges) {
      const name = range.decision.status === 'classified' ? range.decision.code : unidentified;
      spans.set(name, [...(spans.get(name) ?? []), range]);
    }
    const lengths = [...spans].map(([language, found]) => ({ language, totalMs: totalLengthOf(joined(found)) }));
    const said = lengths.map(({ language, totalMs }) => `${language} in ${secondsText(totalMs)}`);
    return {
      languages: lengths.filter(({ language }) => language !== unidentified),
      text: said.length === 0 ? 'no speech to identify' : said.join(', '),
      measures: countOf(ranges.length),
      places: ranges,
    };
  },
};
