import type { UnavailableReason } from '../../contract/evidence/evidence.ts';
import { type FurtherArtifact, type PassKind, passKinds } from '../../contract/evidence/further-evidence.ts';
import type { MediaEvidence } from '../../contract/evidence/media-operation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { type AudioTrack, audioTrackOf } from './audio-track.ts';
import { checkKeyframePieces } from './check-picture-facts.ts';
import { checkReadTracks } from './check-read-tracks.ts';
import { checkTruePeak } from './check-sound-facts.ts';
import type { DeliveredEvidence, DeliveredPass } from './delivered-pass.ts';
import { measuresFurther, namesTrackRule } from './stating-version.ts';

const detectKinds = ['speech_activity', 'silence', 'loudness', 'shot_changes'] as const;

/** The kind of evidence over the same track, without which a further kind has nothing to measure. */
export const companions: Readonly<Record<PassKind, (typeof detectKinds)[number]>> = {
  transitions: 'shot_changes',
  black_frames: 'shot_changes',
  frozen_frames: 'shot_changes',
  keyframes: 'shot_changes',
  waveform: 'silence',
  audio_faults: 'silence',
  interlacing: 'shot_changes',
  letterbox: 'shot_changes',
};

const fault = (place: string): EvidenceChainError => new EvidenceChainError('media_operation', place);

/** The track that was listened to; the first version had no rule and took the first. */
function listenedTrack({ source, request, operation: { parameters } }: DeliveredPass): AudioTrack | null {
  const chosen = audioTrackOf(source, request.language.languagePair.requestedSource);
  if (chosen === null || parameters['speech_activity.audioTrackRule'] !== undefined) return chosen;
  if (chosen.choice !== null && namesTrackRule(parameters)) throw fault('parameters.speech_activity.audioTrackRule');
  const first = source.tracks.find(({ kind }) => kind === 'audio')?.index;
  return { index: first ?? chosen.index, choice: null };
}

const seenTrack = ({ tracks }: RegisteredSource): number | null =>
  tracks.find(({ kind }) => kind === 'video')?.index ?? null;

const isWithout = (delivered: MediaEvidence, reasonCode: UnavailableReason): boolean =>
  delivered.state === 'unavailable' && delivered.reasonCode === reasonCode && delivered.trackIndex === undefined;

/** Evidence over a track that is there was measured in it, or nothing of it lies in the range. */
function checkOver(
  { delivered, artifact }: DeliveredEvidence,
  at: number,
  track: { readonly index: number | null; readonly none: UnavailableReason; readonly empty: UnavailableReason },
): void {
  const reason = track.index === null ? track.none : track.empty;
  if (artifact === null && !isWithout(delivered, reason)) throw fault(`receipt.evidence[${at}].reasonCode`);
  if (artifact !== null && artifact.input.trackIndex !== track.index) {
    throw new EvidenceChainError('evidence', 'input.trackIndex', undefined, delivered.contentId);
  }
}

/** What was stated of the tracks before the pass ran; earlier versions stated less. */
function checkStated({ operation: { parameters } }: DeliveredPass, audio: AudioTrack | null, video: number | null) {
  const derived: Readonly<Record<string, string | number | null | undefined>> = {
    audioTrackIndex: audio?.index ?? null,
    videoTrackIndex: video,
    'speech_activity.audioTrackRule': audio?.choice?.rule,
    'speech_activity.otherAudioTracks': audio?.choice?.others,
  };
  for (const [name, value] of Object.entries(derived)) {
    if (name in parameters && parameters[name] !== value) throw fault(`parameters.${name}`);
  }
}

/** Further evidence of every kind that there is material for, from the version on that measures it. */
function furtherOf({ operation, evidence }: DeliveredPass): PassKind[] {
  if (!measuresFurther(operation.parameters)) return [];
  return passKinds.filter((kind) => {
    const companion = evidence.find(({ delivered }) => delivered.kind === companions[kind]);
    return companion?.artifact != null;
  });
}

function checkDetected(pass: DeliveredPass): void {
  const { source, evidence, further } = pass;
  const audio = listenedTrack(pass);
  const video = seenTrack(source);
  checkStated(pass, audio, video);
  for (const [at, each] of evidence.entries()) {
    if (each.delivered.kind === 'shot_changes') {
      checkOver(each, at, { index: video, none: 'no_video_track', empty: 'no_frames_in_range' });
    } else {
      checkOver(each, at, { index: audio?.index ?? null, none: 'no_audio_track', empty: 'no_audio_in_range' });
      if (each.delivered.state !== evidence[0]?.delivered.state) throw fault(`receipt.evidence[${at}].state`);
    }
  }
  demandDerived('media_operation', { further: further.map(({ kind }) => kind) }, { further: furtherOf(pass) });
}

/**
 * Checks that a pass delivered what its source and its operation demand: every kind once and in order, for every track, and
 * nothing as unavailable that there is material for. What was measured is not judged. Throws `EvidenceChainError`.
 */
export function checkDelivered(pass: DeliveredPass): void {
  const { operation, evidence, further } = pass;
  if (operation.capability === 'media.subtitles') {
    if (further.length > 0) throw fault('further');
    checkReadTracks(pass);
    return;
  }
  const kinds = evidence.map(({ delivered }) => ({ kind: delivered.kind }));
  demandDerived(
    'media_operation',
    { receipt: { evidence: kinds } },
    { receipt: { evidence: detectKinds.map((kind) => ({ kind })) } },
  );
  checkDetected(pass);
}

/**
 * Further evidence was measured in the track of its companion, and says what follows from the evidence of its pass. Throws
 * `EvidenceChainError` of the evidence.
 */
export function checkAgainstPass(further: FurtherArtifact, evidence: readonly DeliveredEvidence[]): void {
  const { kind, input } = further;
  const found = (wanted: (typeof detectKinds)[number]) =>
    evidence.find(({ delivered }) => delivered.kind === wanted)?.artifact ?? null;
  const companion = kind === 'screen_text' ? null : found(companions[kind]);
  if (companion?.input.trackIndex !== input.trackIndex) throw new EvidenceChainError('evidence', 'input.trackIndex');
  checkKeyframePieces(further, found('shot_changes'));
  checkTruePeak(further, found('loudness'));
}
