import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type {
  DetectedKind,
  Detection,
  EvidenceArtifact,
  FurtherArtifact,
  FurtherKind,
} from '../../contract/evidence/evidence.ts';
import type { IncompleteMedia } from '../../contract/sources/media-probe.ts';
import { INTERLACING_RULE } from '../../kinds/interlacing.ts';
import { KEYFRAME_FORM, KEYFRAME_RULE } from '../../kinds/keyframes.ts';
import { BAR_RULE } from '../../kinds/letterbox.ts';
import { PICTURE_GROUPING } from '../../kinds/picture-facts.ts';
import { CUT_RULE } from '../../kinds/pictures/cut-finder.ts';
import { BLACK_RULE, FROZEN_RULE } from '../../kinds/pictures/picture-runs.ts';
import { SMALL_HEIGHT, SMALL_WIDTH } from '../../kinds/pictures/small-picture.ts';
import { TRANSITION_RULE } from '../../kinds/pictures/transition-finder.ts';
import { CHANNEL_FAULT_RULE } from '../../kinds/sound/channel-faults.ts';
import { CLIPPING_RULE } from '../../kinds/sound/clipping.ts';
import { DROPOUT_RULE } from '../../kinds/sound/dropouts.ts';
import { SILENCE_RULE } from '../../kinds/sound/silences.ts';
import { APART_RULE, FRAME_SAMPLES, GAIN_RULE, SAMPLE_RATE } from '../../kinds/sound/sound-signals.ts';
import {
  BAND_RULE,
  BOUNDARY_WEIGHTS_SHA256,
  SPEECH_RULE,
  STEADINESS_RULE,
  STEP_SAMPLES,
  SUPPRESSION_RULE,
} from '../../kinds/sound/speech-rule.ts';
import { LOUDNESS_RULE, TRUE_PEAK_RULE } from '../../kinds/sound/true-peak.ts';
import { WAVEFORM_RULE } from '../../kinds/waveform.ts';

/** The identity of a result before it exists: equal identities over equal inputs and ranges give equal facts. */
export interface OperationIdentity {
  readonly tools: readonly ToolIdentity[];
  readonly parameters: EvidenceArtifact['parameters'];
}

/** Joins the parameters of several kinds, each name behind the name of its kind. */
export function joinParameters(
  kinds: Readonly<Record<string, EvidenceArtifact['parameters']>>,
): EvidenceArtifact['parameters'] {
  const named = Object.entries(kinds).flatMap(([kind, values]) =>
    Object.entries(values).map(([name, value]) => [`${kind}.${name}`, value] as const),
  );
  return Object.fromEntries(named);
}

type Parameters = EvidenceArtifact['parameters'];

/** How much of the decoder's output may be damaged before its run counts as failed. */
export const MAXIMUM_ERROR_SHARE = 0.1;

/** The tracks of a source by their index in the container; attached pictures do not count as video. */
export interface DetectionTracks {
  readonly audioTrackIndex: number | null;
  readonly videoTrackIndex: number | null;
  /** The rule that chose the audio track, and the other tracks; null or absent if there is no other. */
  readonly audioChoice?: { readonly rule: string; readonly others: string } | null;
  /** Only the samples of the sound can be counted; absent if its times are right. */
  readonly countsSamples?: boolean | undefined;
  /** The zero of all times, if a study of an earlier version may have had another one; else absent. */
  readonly timesFrom?: string | undefined;
  /** How long the windows of a pass are, in ms; absent where it decodes its range at once. */
  readonly passWindowMs?: number;
}

const sound = (choice: DetectionTracks['audioChoice']) => ({
  maximumErrorShare: MAXIMUM_ERROR_SHARE,
  ...(choice == null ? {} : { audioTrackRule: choice.rule, otherAudioTracks: choice.others }),
});

const pictures = {
  pictureWidth: SMALL_WIDTH,
  pictureHeight: SMALL_HEIGHT,
  orientation: 'as players turn it',
  maximumErrorShare: MAXIMUM_ERROR_SHARE,
};

/** A rule as flat parameters: those of a group have its name as prefix, a list is one text. */
function stated(rule: Readonly<Record<string, unknown>>, prefix = ''): Record<string, string | number> {
  const flat = Object.entries(rule).map(([name, value]): Record<string, string | number> => {
    if (Array.isArray(value)) return { [prefix + name]: value.join(', ') };
    if (typeof value === 'number') return { [prefix + name]: value };
    return stated({ ...(value as object) }, `${prefix}${name}.`);
  });
  return Object.assign({}, ...flat);
}

/** The clock of sound whose own times are wrong, as the parameter of an operation states it. */
export const SAMPLE_CLOCK = 'the samples of the sound';

/** Every threshold, choice and limitation behind the facts of one kind. */
export function parametersFor(tracks: DetectionTracks): Record<DetectionKind, Parameters> {
  const { audioChoice, passWindowMs, countsSamples, timesFrom } = tracks;
  const exceptions = {
    ...(countsSamples === true ? { clock: SAMPLE_CLOCK } : {}),
    ...(timesFrom === undefined ? {} : { timesFrom }),
    ...(passWindowMs === undefined ? {} : { passWindowMs }),
  };
  const kinds = Object.entries(parametersOf(audioChoice)).map(([kind, stated]) => [kind, { ...stated, ...exceptions }]);
  return Object.fromEntries(kinds) as Record<DetectionKind, Parameters>;
}

const parametersOf = (audioChoice: DetectionTracks['audioChoice']) =>
  ({
    speech_activity: {
      ...SPEECH_RULE,
      ...stated({ suppression: SUPPRESSION_RULE }),
      ...GAIN_RULE,
      ...stated({ boundary: { ...BAND_RULE, stepSamples: STEP_SAMPLES } }),
      ...stated({ steadiness: STEADINESS_RULE }),
      'boundary.weights': `sha256:${BOUNDARY_WEIGHTS_SHA256}`,
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
      limitation: 'between two pages, or two views, of nearly one drawing no cut is found',
      ...pictures,
    },
    transitions: { ...stated(TRANSITION_RULE), ...PICTURE_GROUPING, ...pictures },
    black_frames: { ...BLACK_RULE, ...pictures },
    frozen_frames: { ...FROZEN_RULE, ...pictures },
    audio_faults: {
      ...stated({
        ...CHANNEL_FAULT_RULE,
        dropout: DROPOUT_RULE,
        clipping: CLIPPING_RULE,
        truePeak: TRUE_PEAK_RULE,
      }),
      channels: 'left, right and centre',
      ...sound(audioChoice),
    },
    waveform: { ...WAVEFORM_RULE, channels: 'all of left, right and centre', ...sound(audioChoice) },
    interlacing: {
      ...INTERLACING_RULE,
      rule: 'idet of ffmpeg, over several pictures',
      columnsFrom: 'the middle',
      linesFrom: 'the middle',
      ...pictures,
    },
    letterbox: { ...stated(BAR_RULE), rule: 'cropdetect of ffmpeg, over single pictures', ...pictures },
    keyframes: { ...KEYFRAME_RULE, ...KEYFRAME_FORM, choice: 'the candidate nearest to the middle', ...pictures },
  }) satisfies Readonly<Record<string, Parameters>>;

export type DetectionKind = keyof ReturnType<typeof parametersOf>;

/** The note on incomplete media as parameters of the evidence over it; `statedMs` is null if no length is stated. */
const noteParameters = ({ cause, statedMs, measuredMs }: IncompleteMedia): EvidenceArtifact['parameters'] => ({
  incompleteMedia: cause,
  statedMs,
  measuredMs,
});

/** The identity of an operation that delivers these kinds, with the note where its media is incomplete. */
export function identityOver(
  note: IncompleteMedia | undefined,
  kinds: readonly (DetectedKind | FurtherKind)[],
  { tools, parameters }: OperationIdentity,
): OperationIdentity {
  if (note === undefined) return { tools, parameters };
  const noted = joinParameters(Object.fromEntries(kinds.map((kind) => [kind, noteParameters(note)])));
  return { tools, parameters: { ...parameters, ...noted } };
}

/** Evidence with the note, as the identity of its operation says it. */
export const notedOver = <Measured extends EvidenceArtifact | FurtherArtifact>(
  note: IncompleteMedia | undefined,
  artifact: Measured,
): Measured =>
  note === undefined ? artifact : { ...artifact, parameters: { ...artifact.parameters, ...noteParameters(note) } };

/** The same of detections. */
export const detectionsOver = (note: IncompleteMedia | undefined, detections: readonly Detection[]): Detection[] =>
  detections.map((detection) =>
    detection.state === 'unavailable' ? detection : { ...detection, artifact: notedOver(note, detection.artifact) },
  );
