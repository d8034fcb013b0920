import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Detection, EvidenceArtifact, FurtherArtifact } from '../../contract/evidence/evidence.ts';
import type { IncompleteMedia } from '../../contract/sources/media-probe.ts';
import type { KindParameters } from '../../kinds/kind.ts';
import { passKinds } from '../../kinds/kinds.ts';
import { SMALL_HEIGHT, SMALL_WIDTH } from '../../kinds/pictures/small-picture.ts';

/** The identity of a result before it exists: equal identities over equal inputs and ranges give equal facts. */
export interface OperationIdentity {
  readonly tools: readonly ToolIdentity[];
  readonly parameters: KindParameters;
}

/** Joins the parameters of several kinds, each name behind the name of its kind. */
export function joinParameters(kinds: Readonly<Record<string, KindParameters>>): KindParameters {
  const named = Object.entries(kinds).flatMap(([kind, values]) =>
    Object.entries(values).map(([name, value]) => [`${kind}.${name}`, value] as const),
  );
  return Object.fromEntries(named);
}

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

/** The clock of sound whose own times are wrong, as the parameter of an operation states it. */
export const SAMPLE_CLOCK = 'the samples of the sound, of joined FLAC those of each part';

/** Every threshold, choice and limitation behind the facts of each kind of a pass, by their names. */
export function parametersFor(tracks: DetectionTracks): Readonly<Record<string, KindParameters>> {
  const { audioChoice, passWindowMs, countsSamples, timesFrom } = tracks;
  const exceptions = {
    ...(countsSamples === true ? { clock: SAMPLE_CLOCK } : {}),
    ...(timesFrom === undefined ? {} : { timesFrom }),
    ...(passWindowMs === undefined ? {} : { passWindowMs }),
  };
  const ofTrack = { audio: sound(audioChoice), video: pictures };
  return Object.fromEntries(
    passKinds.map(({ name, track, parameters }) => [name, { ...parameters, ...ofTrack[track], ...exceptions }]),
  );
}

/** The note on incomplete media as parameters of the evidence over it; `statedMs` is null if no length is stated. */
const noteParameters = ({ cause, statedMs, measuredMs }: IncompleteMedia): KindParameters => ({
  incompleteMedia: cause,
  statedMs,
  measuredMs,
});

/** The identity of an operation that delivers these kinds, with the note where its media is incomplete. */
export function identityOver(
  note: IncompleteMedia | undefined,
  kinds: readonly string[],
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
