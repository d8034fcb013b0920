import type { MediaPasses } from '../../../actors/study/media-passes.ts';
import type { DetectedKind, Detection, UnavailableReason } from '../../../contract/evidence/evidence.ts';

const silent = (reasonCode: UnavailableReason, ...kinds: readonly DetectedKind[]): Detection[] =>
  kinds.map((kind) => ({ kind, state: 'unavailable', reasonCode }));

/** What the passes of this host would ask: with other tools than those that the stored study was begun with. */
export const otherTools: MediaPasses = {
  identity: () => ({
    tools: [{ name: 'ffmpeg', version: '99', digest: `sha256:${'9'.repeat(64)}` }],
    parameters: {},
  }),
  windowEndsOf: () => [],
  run: async ({ capability }) => ({
    detections:
      capability === 'media.detect'
        ? [
            ...silent('no_audio_in_range', 'speech_activity', 'silence', 'loudness'),
            ...silent('no_frames_in_range', 'shot_changes'),
          ]
        : silent('no_text_subtitle_track', 'subtitle_track', 'text_language'),
    derivedAudio: null,
    further: [],
  }),
};
