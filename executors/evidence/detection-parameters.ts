import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { APART_RULE } from '../detector/apart-channels.ts';
import { SILENCE_RULE } from '../detector/silences.ts';
import { FRAME_SAMPLES, SAMPLE_RATE, SPEECH_RULE } from '../detector/speech-segmenter.ts';
import { CUT_RULE } from '../pictures/cut-finder.ts';
import { SMALL_HEIGHT, SMALL_WIDTH } from '../pictures/small-picture.ts';

type Parameters = EvidenceArtifact['parameters'];

/** ffmpeg's `ebur128`; the true peak is printed in thousandths of full scale, fourfold oversampled. */
export const LOUDNESS_RULE = { standard: 'EBU R128', absoluteGateLufs: -70, truePeakSteps: 0.001 } as const;

/** How much of the decoder's output may be damaged before its run counts as failed. */
export const MAXIMUM_ERROR_SHARE = 0.1;

/** The tracks of a source by their index in the container; attached pictures are no video. */
export interface DetectionTracks {
  readonly audioTrackIndex: number | null;
  readonly videoTrackIndex: number | null;
  /** By which rule the audio track was chosen, and which others there are; null or absent where there is no other. */
  readonly audioChoice?: { readonly rule: string; readonly others: string } | null;
}

const sound = (choice: DetectionTracks['audioChoice']) => ({
  maximumErrorShare: MAXIMUM_ERROR_SHARE,
  ...(choice == null ? {} : { audioTrackRule: choice.rule, otherAudioTracks: choice.others }),
});

/** Every threshold, choice and limitation that stands behind the facts of one kind. */
export const parametersFor = ({ audioChoice }: DetectionTracks) =>
  ({
    speech_activity: {
      ...SPEECH_RULE,
      signals: 'the mix of all channels, and left, right and centre where they are apart',
      ...APART_RULE,
      sampleRate: SAMPLE_RATE,
      frameSamples: FRAME_SAMPLES,
      beyondAudio: 'non_speech',
      ...sound(audioChoice),
    },
    silence: { ...SILENCE_RULE, channels: 'the loudest of left, right and centre', ...sound(audioChoice) },
    loudness: { ...LOUDNESS_RULE, scope: 'whole range', ...sound(audioChoice) },
    shot_changes: {
      ...CUT_RULE,
      rule: 'the change of small pictures against that of their neighbours',
      pictureWidth: SMALL_WIDTH,
      pictureHeight: SMALL_HEIGHT,
      limitation: 'between two pages, or two views, of nearly one drawing no cut is found',
      maximumErrorShare: MAXIMUM_ERROR_SHARE,
    },
  }) satisfies Readonly<Record<string, Parameters>>;

export type DetectionKind = keyof ReturnType<typeof parametersFor>;
