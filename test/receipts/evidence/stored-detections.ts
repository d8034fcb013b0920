import type { ToolIdentity } from '../../../contract/base/artifact.ts';
import type { Range } from '../../../contract/base/grammar.ts';
import type { DetectedFact, DetectedKind, Detection, SpeechFact } from '../../../contract/evidence/evidence.ts';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import type { MediaOperation } from '../../../receipts/evidence/media-operation.ts';
import { evidenceOf } from './evidence-artifacts.ts';
import { cueFactsOf, languageFactOf, type StoredTrack } from './stored-tracks.ts';

/** The whole of the sealed clip. */
export const clipRange: Range = { startMs: 0, endMs: 4000 };

const tool = (name: string, digit: string): ToolIdentity => ({
  name,
  version: '1',
  digest: `sha256:${digit.repeat(64)}`,
});
export const ffmpeg = tool('ffmpeg', '1');
export const vad = tool('silero-vad', '2');
export const eld = tool('eld', '3');
const derivedAudio = { sampleRate: 16000, samples: 64000, contentId: `sha256:${'e'.repeat(64)}` } as const;

const textTracksOf = ({ tracks, trackLanguages }: RegisteredSource): string =>
  tracks
    .filter(({ kind }) => kind === 'subtitle')
    .map(({ index, codec }) => {
      const language = trackLanguages.find((stated) => stated.index === index)?.language ?? '';
      return `${index}:${codec}:${language}`;
    })
    .join(',');

/** The passes over a source, with their requests. */
export const operationsOver = (source: RegisteredSource): Readonly<Record<'detect' | 'subtitles', MediaOperation>> => ({
  detect: {
    capability: 'media.detect',
    tools: [ffmpeg, vad],
    parameters: {
      'speech_activity.threshold': 0.5,
      'speech_activity.signals': 'the mix of all channels',
      'silence.minimumMs': 300,
      audioTrackIndex: 1,
    },
    limits: { maxWallMs: 60_000 },
  },
  subtitles: {
    capability: 'media.subtitles',
    tools: [ffmpeg, eld],
    parameters: {
      'subtitle_track.text': 'plain',
      'subtitle_track.placement': 'stated',
      'subtitle_track.container': 'stated',
      tracks: textTracksOf(source),
    },
    limits: { maxWallMs: 60_000 },
  },
});

const parametersOf = (kind: DetectedKind): Record<string, string | number> => {
  if (kind === 'speech_activity') return { threshold: 0.5, signals: 'the mix of all channels' };
  if (kind === 'silence') return { minimumMs: 300 };
  return kind === 'subtitle_track' ? { text: 'plain', placement: 'stated', container: 'stated' } : {};
};

interface Measured {
  readonly kind: DetectedKind;
  readonly tool: ToolIdentity;
  readonly trackIndex: number;
  readonly facts: readonly DetectedFact[];
}

/** A clip over the whole of which something was measured. */
type Clip = Pick<RegisteredSource, 'session'>;

export const rangeOf = ({ session }: Clip): Range => ({ startMs: 0, endMs: session.source.durationMs });

const detected = (source: Clip, { kind, tool, trackIndex, facts }: Measured): Detection => ({
  kind,
  state: 'available',
  artifact: evidenceOf(kind, {
    input: {
      sourceContentId: source.session.source.contentId,
      range: rangeOf(source),
      trackIndex,
      derivedAudio: kind === 'speech_activity' ? derivedAudio : null,
    },
    tool,
    parameters: parametersOf(kind),
    facts,
  }),
});

export function soundOf(source: Clip, speech: readonly SpeechFact[] | null): Detection[] {
  const kinds = ['speech_activity', 'silence', 'loudness'] as const;
  if (speech === null) return kinds.map((kind) => ({ kind, state: 'unavailable', reasonCode: 'no_audio_in_range' }));
  const silence = { kind: 'silence', index: 0, startMs: 0, endMs: 900 } as const;
  const measures = { integratedCentiLufs: -2300, rangeCentiLu: null, truePeakCentiDbtp: -150 };
  const loudness = { kind: 'loudness', ...rangeOf(source), ...measures } as const;
  return [
    detected(source, { kind: 'speech_activity', tool: vad, trackIndex: 1, facts: speech }),
    detected(source, { kind: 'silence', tool: ffmpeg, trackIndex: 1, facts: [silence] }),
    detected(source, { kind: 'loudness', tool: ffmpeg, trackIndex: 1, facts: [loudness] }),
  ];
}

export function subtitlesOf(source: Clip, tracks: readonly StoredTrack[]): Detection[] {
  const kinds = ['subtitle_track', 'text_language'] as const;
  if (tracks.length === 0)
    return kinds.map((kind) => ({ kind, state: 'unavailable', reasonCode: 'no_text_subtitle_track' }));
  return [
    ...tracks.map((track) =>
      detected(source, {
        kind: 'subtitle_track',
        tool: ffmpeg,
        trackIndex: track.trackIndex,
        facts: cueFactsOf(track),
      }),
    ),
    ...tracks.map((track) =>
      detected(source, {
        kind: 'text_language',
        tool: eld,
        trackIndex: track.trackIndex,
        facts: [languageFactOf(track)],
      }),
    ),
  ];
}

export const audioOf = ([speech]: readonly Detection[]) => (speech?.state === 'available' ? derivedAudio : null);
