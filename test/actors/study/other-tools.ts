import type { MediaPasses } from '../../../actors/study/media-passes.ts';
import type { DetectedKind, Detection, UnavailableReason } from '../../../contract/evidence/evidence.ts';

const silent = (reasonCode: UnavailableReason, ...kinds: readonly DetectedKind[]): Detection[] =>
  kinds.map((kind) => ({ kind, state: 'unavailable', reasonCode }));

/** Requests of the passes on this host: with other tools than those of the stored study. */
export const otherTools: MediaPasses = {
  identity: (task) => ({
    tools: [{ name: 'ffmpeg', version: '99', digest: `sha256:${'9'.repeat(64)}` }],
    parameters:
      task.capability === 'media.subtitles'
        ? { tracks: task.tracks.map(({ index, codec, language }) => `${index}:${codec}:${language ?? ''}`).join(',') }
        : {},
  }),
  windowEndsOf: () => [],
  run: async (task) => ({
    detections:
      task.capability === 'media.detect'
        ? [
            ...silent('no_audio_in_range', 'speech_activity', 'silence', 'loudness'),
            ...silent('no_frames_in_range', 'shot_changes'),
          ]
        : (['subtitle_track', 'text_language'] as const).flatMap((kind) =>
            task.tracks.map(({ index }) => ({
              kind,
              state: 'unavailable' as const,
              reasonCode: 'subtitle_limit_exceeded' as const,
              trackIndex: index,
            })),
          ),
    derivedAudio: null,
    further: [],
  }),
};
