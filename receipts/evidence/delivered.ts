import {
  type EvidenceArtifact,
  type FurtherArtifact,
  type FurtherResult,
  firstFurtherKinds,
  type UnavailableReason,
} from '../../contract/evidence/evidence.ts';
import type { MediaEvidence } from '../../contract/evidence/media-operation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { pictureSubtitleCodecs, readSubtitleCodecs } from '../../contract/sources/subtitle-codecs.ts';
import type { AnalysisRequest } from '../../contract/study/plan.ts';
import type { PassKind } from '../../kinds/kind.ts';
import { companionOf, detectedInPass, furtherInPass, kindNamed } from '../../kinds/kinds.ts';
import { type AudioTrack, audioTrackOf, macrolanguageRule } from '../../rules/audio-track.ts';
import { demandDerived, EvidenceChainError } from '../evidence-chain.ts';
import type { MediaOperation } from './media-operation.ts';

/** One kind of evidence as a pass delivered it; without an artifact if it is unavailable. */
export interface DeliveredEvidence {
  readonly delivered: MediaEvidence;
  readonly artifact: EvidenceArtifact | null;
}

/** The statements of one pass about its findings, and its request. */
export interface DeliveredPass {
  readonly source: RegisteredSource;
  readonly request: AnalysisRequest;
  readonly operation: MediaOperation;
  readonly evidence: readonly DeliveredEvidence[];
  /** The further evidence that it recorded. */
  readonly further: readonly FurtherResult[];
}

type Parameters = EvidenceArtifact['parameters'];

/** The parameters that a pass states since it measures further evidence. */
const furtherMarks = [
  ...firstFurtherKinds,
  'shot_changes.rule',
  'speech_activity.suppression',
  'speech_activity.edges',
];

/** The parameters that it states since it chooses among several audio tracks by a rule. */
const ruleMarks = [...furtherMarks, 'speech_activity.signals', 'silence.belowProgrammeDb'];

const statesOne = (parameters: Parameters, marks: readonly string[]): boolean =>
  Object.keys(parameters).some((name) => marks.some((mark) => name === mark || name.startsWith(`${mark}.`)));

/** True if the version that stated these parameters of a pass measures every kind of further evidence. */
const measuresFurther = (parameters: Parameters): boolean => statesOne(parameters, furtherMarks);

/** True if it names the rule that chose among several audio tracks. */
export const namesTrackRule = (parameters: Parameters): boolean => statesOne(parameters, ruleMarks);

/** True if it states where cues are shown, as it does since caption rules 4. */
export const statesPlacement = (parameters: Parameters): boolean => statesOne(parameters, ['subtitle_track.placement']);

/** True if it states the flags and titles of tracks, as it does since caption rules 5. */
export const statesContainer = (parameters: Parameters): boolean => statesOne(parameters, ['subtitle_track.container']);

type Source = Pick<RegisteredSource, 'tracks' | 'trackLanguages' | 'subtitleTracks'>;
type Reads = Pick<DeliveredPass, 'operation' | 'evidence'> & { readonly source: Source };

const unreadReasons: readonly string[] = ['subtitle_format_unsupported', 'subtitle_limit_exceeded'];

const fault = (place: string): EvidenceChainError => new EvidenceChainError('media_operation', place);

const textTracksOf = ({ tracks }: Source) => tracks.filter(({ kind }) => kind === 'subtitle');

const languageOf = ({ trackLanguages }: Source, index: number): string | null =>
  trackLanguages.find((stated) => stated.index === index)?.language ?? null;

/** All text tracks of a source, as an operation states them. */
function statedTracks(source: Source): string {
  const named = textTracksOf(source).map(({ index, codec }) => {
    const attached = source.subtitleTracks?.find(({ trackIndex }) => trackIndex === index)?.text.contentId;
    return [index, codec, languageOf(source, index) ?? '', ...(attached === undefined ? [] : [attached])].join(':');
  });
  return named.join(',');
}

/** The video track that was searched for captions, as an operation states it; earlier versions state none. */
function checkPicture({ tracks }: Source, { picture }: Parameters): void {
  if (picture === undefined) return;
  const video = tracks.find(({ kind }) => kind === 'video');
  const stated = video === undefined ? null : `${video.index}:${video.codec}`;
  demandDerived('media_operation', { parameters: { picture } }, { parameters: { picture: stated } });
}

const trackOf = ({ delivered, artifact }: DeliveredEvidence): number | null | undefined =>
  delivered.state === 'unavailable' ? delivered.trackIndex : artifact?.input.trackIndex;

/** True if it says that the media has no text track. */
const isTextless = ({ delivered }: DeliveredEvidence): boolean =>
  delivered.reasonCode === 'no_text_subtitle_track' && trackOf({ delivered, artifact: null }) === undefined;

/** The tracks in the order of their evidence: text, pictures of text, and the video track if its pictures hold captions. */
function inOrderOfEvidence(source: Source): RegisteredSource['tracks'] {
  const tracks = textTracksOf(source);
  const arePictures = ({ codec }: RegisteredSource['tracks'][number]) => pictureSubtitleCodecs.includes(codec);
  return [
    ...tracks.filter((track) => !arePictures(track)),
    ...tracks.filter(arePictures),
    ...source.tracks.filter(({ kind }) => kind === 'video').slice(0, 1),
  ];
}

/**
 * Each track was read, or there is a reason of its own why not. The first version ignored text of other codecs, and versions before 2
 * ignored pictures.
 */
function checkTracks(source: Source, cues: readonly DeliveredEvidence[]): void {
  const found = cues.map(trackOf);
  const known = inOrderOfEvidence(source).filter(
    ({ index, kind, codec }) => (kind === 'subtitle' && readSubtitleCodecs.includes(codec)) || found.includes(index),
  );
  demandDerived('media_operation', { tracks: found }, { tracks: known.map(({ index }) => index) });
  for (const [at, { delivered }] of cues.entries()) {
    if (delivered.state === 'available') continue;
    const isRead = readSubtitleCodecs.includes(known[at]?.codec ?? '');
    const isReason = unreadReasons.includes(delivered.reasonCode);
    if (!isReason || (isRead && delivered.reasonCode === 'subtitle_format_unsupported')) {
      throw fault(`receipt.evidence[${at}].reasonCode`);
    }
  }
}

/** The language of a track is of the cues that were read of it, and names the tag that its container has. */
function checkLanguage(source: Source, cues: DeliveredEvidence, { delivered, artifact }: DeliveredEvidence): void {
  if (artifact === null) return;
  const [fact] = artifact.facts;
  const place = (name: string): EvidenceChainError =>
    new EvidenceChainError('evidence', name, undefined, delivered.contentId);
  if (artifact.facts.length !== 1 || fact?.kind !== 'track_language') throw place('facts');
  const { trackIndex, taggedLanguage, cueCodes, code, method } = fact;
  if (trackIndex !== artifact.input.trackIndex) throw place('facts[0].trackIndex');
  if ((method === 'none') !== (code === null)) throw place('facts[0].method');
  if (taggedLanguage !== languageOf(source, trackIndex)) throw place('facts[0].taggedLanguage');
  const read = (cues.artifact?.facts ?? []).filter(({ kind }) => kind === 'subtitle_cue');
  if (cueCodes.length !== read.length) throw place('facts[0].cueCodes');
}

/**
 * Checks that every text track of a source was read, first its cues and then its language, in the order of the tracks. Throws
 * `EvidenceChainError`.
 */
function checkReadTracks({ source, operation, evidence }: Reads): void {
  const { tracks } = operation.parameters;
  demandDerived('media_operation', { parameters: { tracks } }, { parameters: { tracks: statedTracks(source) } });
  checkPicture(source, operation.parameters);
  const half = Math.ceil(evidence.length / 2);
  const kinds = evidence.map((_, at) => ({ kind: at < half ? 'subtitle_track' : 'text_language' }));
  demandDerived(
    'media_operation',
    { receipt: { evidence: evidence.map(({ delivered }) => ({ kind: delivered.kind })) } },
    { receipt: { evidence: kinds } },
  );
  const named = evidence.filter((each) => !isTextless(each));
  const isNone = evidence[0] !== undefined && isTextless(evidence[0]);
  const rows = isNone && evidence.length - named.length === 2 ? named : evidence;
  const [cues, languages] = [rows.slice(0, rows.length / 2), rows.slice(rows.length / 2)];
  checkTracks(source, cues);
  for (const [at, each] of languages.entries()) {
    const read = cues[at];
    const isSame =
      read !== undefined && trackOf(read) === trackOf(each) && read.delivered.reasonCode === each.delivered.reasonCode;
    if (read === undefined || !isSame) throw fault(`receipt.evidence[${half + at}]`);
    checkLanguage(source, read, each);
  }
}

/** The track that was listened to; the first version had no rule and took the first. */
function listenedTrack({ source, request, operation: { parameters } }: DeliveredPass): AudioTrack | null {
  const rule = parameters['speech_activity.audioTrackRule'];
  const chosen = audioTrackOf(source, request.language.languagePair.requestedSource, rule === macrolanguageRule);
  if (chosen === null || rule !== undefined) return chosen;
  if (chosen.choice !== null && namesTrackRule(parameters)) throw fault('parameters.speech_activity.audioTrackRule');
  const first = source.tracks.find(({ kind }) => kind === 'audio')?.index;
  return { index: first ?? chosen.index, choice: null };
}

/** The track that pictures come from; null if there is none. */
export const videoTrackOf = ({ tracks }: RegisteredSource): number | null =>
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

/** The statements about the tracks from before the pass ran; earlier versions stated less. */
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

/**
 * True if an operation of these parameters measures a further kind: it states the rule of it. The first ones came together, so that one
 * of them stands for all.
 */
const measures = ({ name }: PassKind, parameters: Parameters): boolean =>
  firstFurtherKinds.some((each) => each === name) ? measuresFurther(parameters) : statesOne(parameters, [name]);

/** Every further kind that an operation measures and that there is material for. */
function furtherOf({ operation, evidence }: DeliveredPass): string[] {
  const measured = furtherInPass.filter((kind) => {
    const companion = evidence.find(({ delivered }) => delivered.kind === companionOf(kind));
    return companion?.artifact != null && measures(kind, operation.parameters);
  });
  return measured.map(({ name }) => name);
}

function checkDetected(pass: DeliveredPass): void {
  const { source, evidence, further } = pass;
  const audio = listenedTrack(pass);
  const video = videoTrackOf(source);
  checkStated(pass, audio, video);
  for (const [at, each] of evidence.entries()) {
    if (kindNamed(each.delivered.kind)?.track === 'video') {
      checkOver(each, at, { index: video, none: 'no_video_track', empty: 'no_frames_in_range' });
    } else {
      checkOver(each, at, { index: audio?.index ?? null, none: 'no_audio_track', empty: 'no_audio_in_range' });
      if (each.delivered.state !== evidence[0]?.delivered.state) throw fault(`receipt.evidence[${at}].state`);
    }
  }
  demandDerived('media_operation', { further: further.map(({ kind }) => kind) }, { further: furtherOf(pass) });
}

/**
 * Checks that a pass delivered what its source and its operation demand. That is every kind once and in order, for every track,
 * and nothing as unavailable that there is material for. The measurements are not judged. Throws `EvidenceChainError`.
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
    { receipt: { evidence: detectedInPass.map(({ name }) => ({ kind: name })) } },
  );
  checkDetected(pass);
}

/**
 * Further evidence was measured in the track of its companion, and its content follows from the evidence of its pass. Throws
 * `EvidenceChainError` of the evidence.
 */
export function checkAgainstPass(further: FurtherArtifact, evidence: readonly DeliveredEvidence[]): void {
  const found = (wanted: string) => evidence.find(({ delivered }) => delivered.kind === wanted)?.artifact ?? null;
  const kind = furtherInPass.find(({ name }) => name === further.kind);
  const companion = kind === undefined ? null : found(companionOf(kind));
  if (companion?.input.trackIndex !== further.input.trackIndex)
    throw new EvidenceChainError('evidence', 'input.trackIndex');
  const place = kind?.contradictionInPass?.(further, found) ?? null;
  if (place !== null) throw new EvidenceChainError('evidence', place);
}
