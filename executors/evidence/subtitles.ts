import type { Range } from '../../contract/base/grammar.ts';
import type {
  CueFact,
  Detection,
  EvidenceArtifact,
  UnavailableReason,
  UnreadableCueFact,
} from '../../contract/evidence/evidence.ts';
import type { Detector, DetectorTools } from '../detector/detector.ts';
import type { Launcher } from '../process/process.ts';
import type { ResolvedTool } from '../process/tools.ts';
import { isReadableCodec } from './cue-text.ts';
import { joinParameters, type OperationIdentity } from './detection-identity.ts';
import { type Cue, readSubtitleTracks, SUBTITLE_LIMITS } from './subtitle-tracks.ts';
import { LANGUAGE_RULE } from './text-language.ts';
import { trackLanguageOf } from './track-language.ts';

export interface SubtitleDeps {
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly detector: Detector;
}

export interface SubtitleTrack {
  /** The stream index in the container. */
  readonly index: number;
  /** ffmpeg's short name. */
  readonly codec: string;
  /** What the container says. */
  readonly language: string | null;
}

export interface SubtitleRequest {
  readonly path: string;
  readonly sourceContentId: string;
  readonly range: Range;
  readonly tracks: readonly SubtitleTrack[];
  readonly signal: AbortSignal;
  /** Told how far the tracks were read, in ms from the beginning of the media. */
  readonly read?: (mediaMs: number) => void;
}

// Pictures of text say nothing here. Every other format is text: read, or named as what is not read.
const PICTURE_CODECS = new Set(['dvd_subtitle', 'hdmv_pgs_subtitle', 'dvb_subtitle', 'xsub']);

const SUBTITLE_PARAMETERS = {
  subtitle_track: {
    timing: 'clipped to the range',
    text: 'as shown: markup, remarks, drawings, control characters and blank lines removed',
    packets: 'copied, one cue each',
    ...SUBTITLE_LIMITS,
  },
  text_language: { ...LANGUAGE_RULE, ngrams: 'small', trackVote: 'most blocks' },
} as const satisfies Readonly<Record<string, EvidenceArtifact['parameters']>>;

/** Tools and parameters of `readSubtitles` over these tracks, known before it runs. */
export function subtitlesIdentity(
  tools: { readonly ffmpeg: ResolvedTool; readonly detectorTools: DetectorTools },
  tracks: readonly SubtitleTrack[],
): OperationIdentity {
  const named = tracks.map((track) => `${track.index}:${track.codec}:${track.language ?? ''}`);
  return {
    tools: [tools.ffmpeg.identity, tools.detectorTools.language],
    parameters: { ...joinParameters(SUBTITLE_PARAMETERS), tracks: named.join(',') },
  };
}

/** A text track and what came of it: its cues, or why they are not read. */
type FoundTrack = { readonly track: SubtitleTrack } & (
  | { readonly cues: readonly Cue[] }
  | { readonly reasonCode: UnavailableReason }
);

/**
 * Reads the embedded text tracks and identifies their languages: first one `subtitle_track` a track, then one
 * `text_language` a track, in the order of the tracks; a track that is not read is unavailable, with its index. Without a
 * text track (pictures of text are none) both kinds are unavailable. Rejects with `ProcessFailure` or `DetectionFailure`.
 */
export async function readSubtitles(deps: SubtitleDeps, request: SubtitleRequest): Promise<Detection[]> {
  const tracks = request.tracks.filter(({ codec }) => !PICTURE_CODECS.has(codec));
  if (tracks.length === 0) {
    const reasonCode = 'no_text_subtitle_track';
    return (['subtitle_track', 'text_language'] as const).map((kind) => ({ kind, state: 'unavailable', reasonCode }));
  }
  const [{ language }, found] = await Promise.all([deps.detector.tools(), findTracks(deps, request, tracks)]);
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
    cues.push(await detectionOf(request, 'subtitle_track', each, deps.ffmpeg.identity, async (cues) => cueFacts(cues)));
  }
  return [...cues, ...languages];
}

/** Reads all tracks of readable codecs, up to the largest number, in one run. */
async function findTracks(
  deps: SubtitleDeps,
  { path, range, signal, read: onRead }: SubtitleRequest,
  tracks: readonly SubtitleTrack[],
): Promise<FoundTrack[]> {
  const readable = tracks.filter(({ codec }) => isReadableCodec(codec));
  const wanted = readable.slice(0, SUBTITLE_LIMITS.maxTracks);
  const read = wanted.length === 0 ? [] : await readSubtitleTracks(deps, path, wanted, range, signal, onRead);
  return tracks.map((track): FoundTrack => {
    if (!readable.includes(track)) return { track, reasonCode: 'subtitle_format_unsupported' };
    const cues = read[wanted.indexOf(track)] ?? null;
    return cues === null ? { track, reasonCode: 'subtitle_limit_exceeded' } : { track, cues };
  });
}

const textsOf = (cues: readonly Cue[]): string[] => cues.flatMap(({ text }) => (text === null ? [] : [text]));

/** Cues in the order of time; those that are read and those that are not are counted apart. */
function cueFacts(cues: readonly Cue[]): (CueFact | UnreadableCueFact)[] {
  let read = 0;
  let unread = 0;
  return cues.map(({ startMs, endMs, text, reasonCode }) =>
    text === null
      ? { kind: 'unreadable_cue', index: unread++, startMs, endMs, reasonCode }
      : { kind: 'subtitle_cue', index: read++, startMs, endMs, text },
  );
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
    input: { sourceContentId, range, trackIndex, derivedAudio: null },
    tool,
    parameters: SUBTITLE_PARAMETERS[kind],
    facts: await factsOf(found.cues),
  };
  return { kind, state: 'available', artifact };
}
