import type { CueFact, TrackLanguageFact } from '../../contract/evidence.ts';
import type { Range } from '../../contract/grammar.ts';

/** A text track as it was read: its cues in order of time, and what the container and the identifier say of it. */
export interface StoredTrack {
  readonly trackIndex: number;
  readonly taggedLanguage: string | null;
  readonly code: string | null;
  readonly cues: readonly (Range & { readonly text: string })[];
}

export const cueFactsOf = ({ cues }: StoredTrack): CueFact[] =>
  cues.map((cue, index) => ({ kind: 'subtitle_cue', index, ...cue }));

export const languageFactOf = ({ trackIndex, taggedLanguage, code, cues }: StoredTrack): TrackLanguageFact => ({
  kind: 'track_language',
  trackIndex,
  taggedLanguage,
  code,
  method: code === null ? 'none' : 'script',
  cueCodes: cues.map(() => code),
});

const tracksIn = (tag: string, trackIndex: number) => ({ trackIndex, taggedLanguage: tag, code: tag });

/** One line from 1 to 3 seconds of the clip. */
export const koreanTrack: StoredTrack = {
  ...tracksIn('ko', 2),
  cues: [{ startMs: 1000, endMs: 3000, text: '안녕하세요' }],
};

/** Three lines of the clip in Korean and in English. */
export const twoTracks: readonly StoredTrack[] = [
  {
    ...tracksIn('ko', 2),
    cues: [
      { startMs: 0, endMs: 900, text: '안녕하세요' },
      { startMs: 1000, endMs: 2000, text: '어서 오세요' },
      { startMs: 2100, endMs: 3900, text: '감사합니다' },
    ],
  },
  {
    ...tracksIn('en', 4),
    cues: [
      { startMs: 0, endMs: 900, text: 'Good morning' },
      { startMs: 1000, endMs: 2000, text: 'Come in' },
      { startMs: 2100, endMs: 3900, text: 'Thank you' },
    ],
  },
];
