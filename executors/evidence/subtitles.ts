import type { Range } from '../../contract/base/grammar.ts';
import {
  type CueFact,
  type Detection,
  type EvidenceArtifact,
  type UnavailableReason,
  type UnreadableCueFact,
  unkeptLook,
  unkeptLooks,
} from '../../contract/evidence/evidence.ts';
import { pictureSubtitleCodecs } from '../../contract/sources/subtitle-codecs.ts';
import type { SubtitleFormat } from '../../contract/sources/subtitle-track.ts';
import { areCuts, shownBy, type TrackEdit, trackEdits } from '../../formats/mp4-edits.ts';
import type { Detector, DetectorTools } from '../detector/detector.ts';
import type { Launcher } from '../process/process.ts';
import type { ResolvedTool } from '../process/tools.ts';
import { mediaInput, mediaUrl, subtitleInput } from '../sources/media-input.ts';
import {
  captionSearchBeside,
  hasCaptionsInPicture,
  mayHoldCaptions,
  PICTURE_CAPTION_RULE,
  type SearchedPicture,
} from './captions-in-picture.ts';
import { isReadableCodec } from './cue-text.ts';
import { joinParameters, type OperationIdentity } from './detection-identity.ts';
import { statedOfTracks } from './stated-of-tracks.ts';
import {
  type Cue,
  LONGEST_ASSUMED_MS,
  type ReadTrack,
  readSubtitleTracks,
  SUBTITLE_LIMITS,
  subtitleLimits,
  withinAll,
} from './subtitle-tracks.ts';
import { LANGUAGE_CHOICE, LANGUAGE_RULE, NEAR_LANGUAGES_SHA256, trackLanguageOf } from './text-language.ts';

interface SubtitleDeps {
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly ffprobe: ResolvedTool;
  readonly detector: Detector;
}

export interface RequestedSubtitleTrack {
  /** The stream index in the container. */
  readonly index: number;
  /** ffmpeg's short name. */
  readonly codec: string;
  /** The language that the container or the attaching person states. */
  readonly language: string | null;
  /** The file in UTF-8 that the track is read from; absent for a track of the media. */
  readonly attached?: { readonly contentId: string; readonly format: SubtitleFormat } | undefined;
}

interface SubtitleRequest {
  readonly path: string;
  /** The path of an attached file. */
  readonly attachedPath: (contentId: string) => string;
  readonly sourceContentId: string;
  readonly range: Range;
  /** The time of the container's clock at the first sample, in ms; zero if absent. */
  readonly startOffsetMs?: number | undefined;
  readonly tracks: readonly RequestedSubtitleTrack[];
  /** The video stream whose pictures may hold captions; null without one. */
  readonly picture: SearchedPicture | null;
  readonly signal: AbortSignal;
  /** Called with the read part of the tracks, in ms from the beginning of the media. */
  readonly read?: (mediaMs: number) => void;
}

const parametersOf = (range: Range) =>
  ({
    subtitle_track: {
      timing: 'clipped to the range',
      text: 'as shown: markup, remarks, drawings, control characters and blank lines removed, ruby in parentheses',
      packets: 'copied, one cue each',
      withoutDuration: `until the next, at most ${LONGEST_ASSUMED_MS} ms`,
      placement: 'of overrides, styles and settings, the nearest of nine places',
      script: 'styles of ASS and settings of WebVTT, as ffmpeg writes them again',
      container: 'flags and title of each track',
      captionsInPicture: `CEA-608 and 708, from ${PICTURE_CAPTION_RULE.characters} characters on`,
      captionsSearchedMs: PICTURE_CAPTION_RULE.searchedMs,
      edits: 'applied to each cue',
      styles: 'italics, bold and underline of tags, overrides and styles, as tags beside the text',
      ...subtitleLimits(range),
    },
    text_language: {
      ...LANGUAGE_RULE,
      ...LANGUAGE_CHOICE,
      ngrams: 'small',
      trackVote: 'more than half of all blocks',
      cueHint: 'the language of the track',
      nearLanguages: NEAR_LANGUAGES_SHA256,
    },
  }) satisfies Readonly<Record<string, EvidenceArtifact['parameters']>>;

/** Tools and parameters of `readSubtitles` over these tracks in a range, known before it runs. */
export function subtitlesIdentity(
  tools: {
    readonly ffmpeg: ResolvedTool;
    readonly ffprobe: ResolvedTool;
    readonly detectorTools: DetectorTools;
  },
  { tracks, picture, range }: Pick<SubtitleRequest, 'tracks' | 'picture' | 'range'>,
): OperationIdentity {
  const named = tracks.map(({ index, codec, language, attached }) =>
    [index, codec, language ?? '', ...(attached === undefined ? [] : [attached.contentId])].join(':'),
  );
  return {
    tools: [tools.ffmpeg.identity, tools.ffprobe.identity, tools.detectorTools.language],
    parameters: {
      ...joinParameters(parametersOf(range)),
      tracks: named.join(','),
      picture: picture === null ? null : `${picture.index}:${picture.codec}`,
    },
  };
}

/** A text track and what came of it: its cues, or why they are not read. */
type FoundTrack = { readonly track: RequestedSubtitleTrack } & (
  | { readonly cues: readonly Cue[] }
  | { readonly reasonCode: UnavailableReason }
);

/** A kind of evidence over the text of one track, or over all if there is none. */
const absent = (reasonCode: UnavailableReason, trackIndex?: number) =>
  (['subtitle_track', 'text_language'] as const).map(
    (kind): Detection => ({
      kind,
      state: 'unavailable',
      reasonCode,
      ...(trackIndex !== undefined && { trackIndex }),
    }),
  );

/**
 * Reads the text tracks of the media and those attached to it, and identifies their languages. The result has first one
 * `subtitle_track` a track, then one `text_language` a track, in the order of the tracks. An unread track is unavailable, with
 * its index. Behind them are the tracks whose subtitles are pictures, and the video track if closed captions are in its pictures. Without a
 * text track both kinds are unavailable as a whole before these. Rejects with `ProcessFailure` or `DetectionFailure`.
 */
export async function readSubtitles(deps: SubtitleDeps, request: SubtitleRequest): Promise<Detection[]> {
  const isPicture = ({ codec }: RequestedSubtitleTrack): boolean => pictureSubtitleCodecs.includes(codec);
  const tracks = request.tracks.filter((track) => !isPicture(track));
  const { picture, signal } = request;
  const isStated = tracks.some(({ attached }) => attached === undefined);
  const [{ language }, { found, isInPicture }, stated] = await Promise.all([
    deps.detector.tools(),
    findTracks(deps, request, tracks),
    isStated ? statedOfTracks(deps, request.path, signal) : new Map<number, EvidenceArtifact['parameters']>(),
  ]);
  const languages: Detection[] = [];
  // One after the other: the identifier is one process, and each request holds a listener of the signal.
  for (const each of found) {
    const facts = async (cues: readonly Cue[]) => [
      await trackLanguageOf(deps.detector, each.track, textsOf(cues), request.signal),
    ];
    languages.push(await detectionOf(request, 'text_language', each, language, facts));
  }
  const cues: Detection[] = [];
  for (const each of found) {
    const read = await detectionOf(request, 'subtitle_track', each, deps.ffmpeg.identity, async (all) => cueFacts(all));
    const words = each.track.attached === undefined ? stated.get(each.track.index) : undefined;
    cues.push(words === undefined ? read : withParameters(read, words));
  }
  const unread = [
    ...request.tracks.filter(isPicture).map(({ index }) => absent('subtitle_format_unsupported', index)),
    ...(isInPicture && picture !== null ? [absent('subtitle_format_unsupported', picture.index)] : []),
  ];
  const all = [...(tracks.length === 0 ? [absent('no_text_subtitle_track')] : []), ...unread];
  const ofKind = (kind: Detection['kind']) => all.flat().filter((each) => each.kind === kind);
  return [...cues, ...ofKind('subtitle_track'), ...languages, ...ofKind('text_language')];
}

/** A detection with parameters that were measured on the way. */
const withParameters = (detection: Detection, measured: EvidenceArtifact['parameters']): Detection =>
  detection.state === 'unavailable'
    ? detection
    : {
        ...detection,
        artifact: { ...detection.artifact, parameters: { ...detection.artifact.parameters, ...measured } },
      };

/** One run over the media: its tracks, and how it reads them. */
type MediaRun = Pick<Parameters<typeof readSubtitleTracks>[1], 'input' | 'shownAt' | 'beside'> & {
  readonly tracks: readonly RequestedSubtitleTrack[];
};

/**
 * Reads all tracks of readable codecs, up to the largest number, and searches the picture for captions. One run does both if the
 * range begins with the film.
 */
async function findTracks(
  deps: SubtitleDeps,
  request: SubtitleRequest,
  tracks: readonly RequestedSubtitleTrack[],
): Promise<{ readonly found: readonly FoundTrack[]; readonly isInPicture: boolean }> {
  const { path, picture, range } = request;
  const readable = tracks.filter(({ codec }) => isReadableCodec(codec));
  const wanted = readable.slice(0, SUBTITLE_LIMITS.maxTracks);
  const embedded = wanted.filter(({ attached }) => attached === undefined);
  const edits = embedded.length === 0 ? [] : await trackEdits(path);
  const editsOf = ({ index }: RequestedSubtitleTrack): readonly TrackEdit[] => edits[index] ?? [];
  const plain = embedded.filter((track) => !areCuts(editsOf(track)));
  const cut = embedded.filter((track) => areCuts(editsOf(track)));
  const isSearched = picture !== null && mayHoldCaptions(picture);
  const beside =
    isSearched && range.startMs === 0 && plain.length > 0 ? captionSearchBeside(picture, range) : undefined;
  const runs: readonly MediaRun[] = [
    { tracks: plain, input: mediaInput(path), beside },
    { tracks: cut, ...byEdits(path, cut.map(editsOf), request.startOffsetMs ?? 0) },
  ];
  const [found, isFoundAlone] = await Promise.all([
    readTracks(
      deps,
      request,
      runs.filter((run) => run.tracks.length > 0),
      wanted,
    ),
    isSearched && beside === undefined ? hasCaptionsInPicture(deps, { ...request, picture }) : false,
  ]);
  const read = withinAll(
    wanted.map((track) => found.get(track) ?? null),
    range,
  );
  return {
    isInPicture: beside?.isFound() ?? isFoundAlone,
    found: tracks.map((track): FoundTrack => {
      if (!readable.includes(track)) return { track, reasonCode: 'subtitle_format_unsupported' };
      const cues = read[wanted.indexOf(track)] ?? null;
      return cues === null ? { track, reasonCode: 'subtitle_limit_exceeded' } : { track, cues };
    }),
  };
}

/** The cues of each track: of those of the media by these runs, of each attached file by one. */
async function readTracks(
  deps: SubtitleDeps,
  { attachedPath, range, signal, read: onRead = () => undefined }: SubtitleRequest,
  runs: readonly MediaRun[],
  wanted: readonly RequestedSubtitleTrack[],
): Promise<ReadonlyMap<RequestedSubtitleTrack, ReadTrack | null>> {
  const found = new Map<RequestedSubtitleTrack, ReadTrack | null>();
  for (const run of runs) {
    // Progress only rises: that of the last run counts.
    const progress = run === runs.at(-1) ? { onRead } : {};
    const read = await readSubtitleTracks(deps, { ...run, range, signal, ...progress });
    for (const [at, track] of run.tracks.entries()) found.set(track, read[at] ?? null);
  }
  if (runs.length === 0) onRead(range.endMs);
  for (const track of wanted) {
    if (track.attached === undefined) continue;
    const input = subtitleInput(mediaUrl(attachedPath(track.attached.contentId)), track.attached.format);
    const only = { input, tracks: [{ ...track, index: 0 }], range, signal, statesEnds: true };
    const [read = null] = await readSubtitleTracks(deps, only);
    found.set(track, read);
  }
  return found;
}

/**
 * The input and the times of tracks that their edits cut. Such a track begins in ffmpeg with the cue before the cut, in front of the
 * first picture. Every later cue then comes too early. So the edits are applied here, to the clock of the track.
 */
const byEdits = (path: string, edits: readonly (readonly TrackEdit[])[], startOffsetMs: number) => ({
  input: ['-copyts', '-ignore_editlist', '1', ...mediaInput(path)],
  shownAt: edits.map(
    (list) => (passage: Range) =>
      shownBy(list, passage).map(({ startMs, endMs }) => ({
        startMs: startMs - startOffsetMs,
        endMs: endMs - startOffsetMs,
      })),
  ),
});

/** Evidence over an attached file names the file. */
const citedFile = ({ attached }: RequestedSubtitleTrack): { subtitleContentId?: string } =>
  attached === undefined ? {} : { subtitleContentId: attached.contentId };

const textsOf = (cues: readonly Cue[]): string[] => cues.flatMap(({ text }) => (text === null ? [] : [text]));

/** Cues in the order of time; those that are read and those that are not are counted apart. */
function cueFacts(cues: readonly Cue[]): (CueFact | UnreadableCueFact)[] {
  let read = 0;
  let unread = 0;
  return cues.map(({ startMs, endMs, end, ...shown }) => {
    const ended = end === undefined ? {} : { end };
    if (shown.text === null) {
      return { kind: 'unreadable_cue', index: unread++, startMs, endMs, reasonCode: shown.reasonCode, ...ended };
    }
    const { text, styled, placement } = shown;
    const placed = { ...(styled !== undefined && { styled }), ...(placement !== undefined && { placement }) };
    return { kind: 'subtitle_cue', index: read++, startMs, endMs, text, ...ended, ...placed };
  });
}

/** How many cues state something that no caption has, for each such thing. */
function unkeptParameters(cues: readonly Cue[]): EvidenceArtifact['parameters'] {
  const counted = unkeptLook.options.map((look) => {
    const having = cues.filter((cue) => cue.text !== null && cue.unkept?.includes(look) === true);
    return [unkeptLooks[look], having.length] as const;
  });
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}

async function detectionOf(
  { sourceContentId, range }: SubtitleRequest,
  kind: 'subtitle_track' | 'text_language',
  found: FoundTrack,
  tool: EvidenceArtifact['tool'],
  factsOf: (cues: readonly Cue[]) => Promise<EvidenceArtifact['facts']>,
): Promise<Detection> {
  const { index: trackIndex } = found.track;
  if ('reasonCode' in found) return { kind, state: 'unavailable', reasonCode: found.reasonCode, trackIndex };
  const artifact: EvidenceArtifact = {
    schema: 'studio.detected-evidence.v1',
    kind,
    input: { sourceContentId, range, trackIndex, derivedAudio: null, ...citedFile(found.track) },
    tool,
    parameters: { ...parametersOf(range)[kind], ...(kind === 'subtitle_track' && unkeptParameters(found.cues)) },
    facts: await factsOf(found.cues),
  };
  return { kind, state: 'available', artifact };
}
