import type { RegisteredSource } from '../contract/sources/source-session.ts';
import type { AnalysisRequest } from '../contract/study/plan.ts';
import { areOneLanguage, baseLanguage } from './languages.ts';

/** The rule by which `no` is the language of a track in `nb`. Earlier versions lack it, and state another rule then. */
export const macrolanguageRule = 'only track of the declared macrolanguage';

/** Why a study listens to this one of several audio tracks. */
type AudioTrackRule = 'only track of the declared language' | typeof macrolanguageRule | 'default flag' | 'first track';

interface AudioTrackChoice {
  readonly rule: AudioTrackRule;
  /** The other audio tracks, at least one, as `index:codec:language` with commas between; a language that is not stated is empty. */
  readonly others: string;
}

export interface AudioTrack {
  /** Its index in the container. */
  readonly index: number;
  /** Null if there is no other. */
  readonly choice: AudioTrackChoice | null;
}

/** Codecs of the containers whose joined files begin their times again. */
const joinedCodecs = new Set(['opus', 'vorbis', 'speex', 'flac']);

/**
 * True if only the samples of a source tell its times: it is sound alone, and holds more than its container states. So it may be
 * several files, one behind the other, each of which counts its times from zero.
 */
export function countsSamples({
  tracks,
  incompleteMedia,
}: Pick<RegisteredSource, 'tracks' | 'incompleteMedia'>): boolean {
  const played = tracks.filter(({ kind }) => kind === 'audio' || kind === 'video');
  const isJoined =
    played.length === 1 && played.every(({ kind, codec }) => kind === 'audio' && joinedCodecs.has(codec));
  const { statedMs = null, measuredMs = 0 } = incompleteMedia ?? {};
  return isJoined && statedMs !== null && statedMs < measuredMs;
}

/**
 * True if earlier versions may have counted the times of a source from the first of its decoded tracks, and not from its start. Such a
 * source does not begin at zero, and has more tracks than the host decodes together.
 */
export function countedFromTracks(
  {
    tracks,
    startOffsetMs = 0,
    subtitleTracks = [],
  }: Pick<RegisteredSource, 'tracks' | 'startOffsetMs' | 'subtitleTracks'>,
  decoded: number,
): boolean {
  return startOffsetMs !== 0 && tracks.length - subtitleTracks.length > decoded;
}

type Source = Pick<RegisteredSource, 'tracks' | 'trackLanguages' | 'defaultTracks'>;
type RequestedLanguage = AnalysisRequest['language']['languagePair']['requestedSource'];

/**
 * The audio track that a study uses; null if the source has none. It is the one track whose stated language is the declared one
 * (scripts and regions aside). If none is, it is the one that is one language with it by a macrolanguage. If none or several are, it
 * is the first that the container flags as default; if none is flagged, the first. Sources that earlier versions registered name
 * no flags. `knowsMembers` is false for a choice of a version that knew no members.
 */
export function audioTrackOf(source: Source, requested: RequestedLanguage, knowsMembers = true): AudioTrack | null {
  const tracks = source.tracks
    .filter(({ kind }) => kind === 'audio')
    .map(({ index, codec }) => ({
      index,
      codec,
      language: source.trackLanguages.find((stated) => stated.index === index)?.language ?? null,
    }));
  const [first] = tracks;
  if (first === undefined) return null;
  if (tracks.length === 1) return { index: first.index, choice: null };
  const declared = requested.mode === 'declared' ? (requested.languages[0] ?? '') : '';
  const base = baseLanguage(declared);
  const spoken = tracks.filter(({ language }) => base !== null && language !== null && baseLanguage(language) === base);
  const members = tracks.filter(({ language }) => language !== null && areOneLanguage(language, declared));
  const flagged = tracks.find(({ index }) => source.defaultTracks?.includes(index));
  const chosenAs = (rule: AudioTrackRule, index: number): AudioTrack => {
    const others = tracks.filter((track) => track.index !== index);
    const named = others.map((track) => `${track.index}:${track.codec}:${track.language ?? ''}`);
    return { index, choice: { rule, others: named.join(',') } };
  };
  const [only, ...more] = spoken.length === 0 && knowsMembers ? members : spoken;
  if (only !== undefined && more.length === 0) {
    return chosenAs(spoken.length === 0 ? macrolanguageRule : 'only track of the declared language', only.index);
  }
  if (flagged !== undefined) return chosenAs('default flag', flagged.index);
  return chosenAs('first track', first.index);
}
