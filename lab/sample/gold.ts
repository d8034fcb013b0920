import type { SampleGold } from '../../fixtures/sample/gold.ts';
import type { SpokenLine } from './sound.ts';
import {
  frameCount,
  frameRate,
  frameToMs,
  height,
  type Language,
  passages,
  scenes,
  screenTexts,
  width,
} from './timeline.ts';

const cuesOf = (spoken: readonly SpokenLine[], language: Language) =>
  spoken.map((line) => ({ startMs: line.startMs, endMs: line.endMs, text: line[language] }));

/** The labels of the built media: what it was built from, and the ends of the lines as synthesised. */
export const goldOf = (media: SampleGold['media'], spoken: readonly SpokenLine[]): SampleGold => ({
  schema: 'studio.sample-gold.v1',
  media,
  durationMs: frameToMs(frameCount),
  frameRate,
  width,
  height,
  utterances: spoken.map((line) => ({
    startMs: line.startMs,
    endMs: line.endMs,
    text: line[line.spoken],
    language: line.spoken,
  })),
  nonSpeech: [...passages],
  cutsMs: scenes.slice(1).map(({ firstFrame }) => frameToMs(firstFrame)),
  subtitleTracks: [
    { taggedLanguage: 'kor', cues: cuesOf(spoken, 'ko') },
    { taggedLanguage: 'eng', cues: cuesOf(spoken, 'en') },
  ],
  screenText: screenTexts.map(({ firstFrame, endFrame, language, text }) => ({
    startMs: frameToMs(firstFrame),
    endMs: frameToMs(endFrame),
    text,
    language,
  })),
});
