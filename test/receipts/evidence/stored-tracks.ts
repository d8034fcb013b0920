import type { Range } from '../../../contract/base/grammar.ts';
import type { CueFact, TrackLanguageFact, UnreadableCueFact } from '../../../contract/evidence/evidence.ts';
import type { ProbeResult } from '../../../contract/sources/media-probe.ts';

/** A text track as it was read: its cues in order of time, and what container and identifier say. The clip's own is 2. */
export interface StoredTrack {
  readonly trackIndex: number;
  readonly taggedLanguage: string | null;
  readonly code: string | null;
  /** A cue without text is one that could not be read. */
  readonly cues: readonly (Range & { readonly text: string | null })[];
}

export const cueFactsOf = ({ cues }: StoredTrack): (CueFact | UnreadableCueFact)[] => {
  const [read, unread] = [{ next: 0 }, { next: 0 }];
  return cues.map(({ startMs, endMs, text }) =>
    text === null
      ? { kind: 'unreadable_cue', index: unread.next++, startMs, endMs, reasonCode: 'undecodable' }
      : { kind: 'subtitle_cue', index: read.next++, startMs, endMs, text },
  );
};

export const languageFactOf = ({ trackIndex, taggedLanguage, code, cues }: StoredTrack): TrackLanguageFact => ({
  kind: 'track_language',
  trackIndex,
  taggedLanguage,
  code,
  method: code === null ? 'none' : 'script',
  cueCodes: cues.flatMap(({ text }) => (text === null ? [] : [code])),
});

/** A track beside those of the clip, as its container shows it. */
export const probedTrackOf = ({ trackIndex, taggedLanguage }: StoredTrack): ProbeResult['tracks'][number] => ({
  index: trackIndex,
  type: 'subtitle',
  codec: 'mov_text',
  durationMs: null,
  language: taggedLanguage,
  isCoverArt: false,
});

const tracksIn = (tag: string, trackIndex: number) => ({ trackIndex, taggedLanguage: tag, code: tag });

/** One line from 1 to 3 seconds of the clip. */
export const koreanTrack: StoredTrack = {
  ...tracksIn('ko', 2),
  cues: [{ startMs: 1000, endMs: 3000, text: '안녕하세요' }],
};

/** Three lines of the clip in Korean and in English. */
export const twoTracks: readonly [korean: StoredTrack, english: StoredTrack] = [
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
