import { type TrackLanguageFact, trackLanguageFact } from '../contract/evidence/evidence.ts';
import type { EvidenceKind } from './kind.ts';

/** The language of a text track. The sentence of its cues has it. */
export const textLanguage: EvidenceKind<'text_language', TrackLanguageFact> = {
  name: 'text_language',
  title: 'language of the subtitles',
  track: 'subtitle',
  facts: { track_language: { schema: trackLanguageFact, words: ['track language'], tone: 'other' } },
  order: 'free',
  lane: { place: 140, about: 'pictures_and_sound', backdrop: null },
  summary: null,
  // It holds for a whole track, and has no place in time.
  row: { usual: false, name: () => null },
  found: (facts) => ({
    text: facts
      .map(
        ({ code, taggedLanguage }) =>
          `${code ?? 'not identified'}${taggedLanguage === null ? '' : `, tagged ${taggedLanguage}`}`,
      )
      .join('; '),
    languages: facts.flatMap(({ code }) => (code === null ? [] : [{ language: code, totalMs: null }])),
    measures: [],
    places: [],
  }),
};
