import type { Detection, EvidenceArtifact, TrackLanguageFact } from '../contract/evidence.ts';
import type { Range } from '../contract/grammar.ts';
import { joinParameters, type OperationIdentity } from './detection-identity.ts';
import type { Detector, DetectorTools } from './detector.ts';
import type { Launcher } from './process.ts';
import { clipCues, readSubtitleTracks } from './subtitle-tracks.ts';
import { LANGUAGE_RULE, languageBlocks, languageOfScript, prevailing } from './text-language.ts';
import type { ResolvedTool } from './tools.ts';
import type { Cue } from './webvtt.ts';

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
}

const TEXT_CODECS = new Set(['mov_text', 'subrip', 'srt', 'ass', 'ssa', 'webvtt', 'text']);

const SUBTITLE_PARAMETERS = {
  subtitle_track: {
    timing: 'clipped to the range',
    text: 'tags, control characters and blank lines removed',
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

/**
 * Reads every embedded text track and identifies its language: first one `subtitle_track` a track, then one
 * `text_language` a track, in the order of the tracks. Without a text track (pictures of text are none) both kinds
 * are unavailable. Rejects with `ProcessFailure` or `DetectionFailure`.
 */
export async function readSubtitles(deps: SubtitleDeps, request: SubtitleRequest): Promise<Detection[]> {
  const { path, range, signal } = request;
  const tracks = request.tracks.filter(({ codec }) => TEXT_CODECS.has(codec));
  if (tracks.length === 0) {
    const reasonCode = 'no_text_subtitle_track';
    return (['subtitle_track', 'text_language'] as const).map((kind) => ({ kind, state: 'unavailable', reasonCode }));
  }
  const indexes = tracks.map(({ index }) => index);
  const [{ language: languageTool }, read] = await Promise.all([
    deps.detector.tools(),
    readSubtitleTracks(deps, path, indexes, signal),
  ]);
  const found = tracks.map((track, at) => ({ track, cues: clipCues(read[at] ?? [], range) }));
  const languages = await Promise.all(
    found.map(async ({ track, cues }) => ({ track, fact: await languageOf(deps.detector, track, cues, signal) })),
  );
  return [
    ...found.map(({ track, cues }) => {
      const facts = cues.map((cue, index) => ({ kind: 'subtitle_cue', index, ...cue }) as const);
      return available(request, 'subtitle_track', track, deps.ffmpeg.identity, facts);
    }),
    ...languages.map(({ track, fact }) => available(request, 'text_language', track, languageTool, [fact])),
  ];
}

/** The script decides where it can, the identifier where it cannot; each cue is asked for too, as a hint. */
async function languageOf(
  detector: Detector,
  track: SubtitleTrack,
  cues: readonly Cue[],
  signal: AbortSignal,
): Promise<TrackLanguageFact> {
  const texts = cues.map(({ text }) => text);
  const script = languageOfScript(texts.join('\n'));
  const byScript = texts.map(languageOfScript);
  const open = texts.filter((_text, at) => byScript[at] === null);
  const blocks = script === null ? languageBlocks(texts) : [];
  const identified = open.length + blocks.length === 0 ? [] : await detector.identify([...blocks, ...open], signal);
  const code = script ?? prevailing(identified.slice(0, blocks.length));
  const rest = identified.slice(blocks.length).values();
  return {
    kind: 'track_language',
    trackIndex: track.index,
    taggedLanguage: track.language,
    code,
    method: script !== null ? 'script' : code === null ? 'none' : 'ngram',
    cueCodes: byScript.map((found) => found ?? rest.next().value ?? null),
  };
}

function available(
  { sourceContentId, range }: SubtitleRequest,
  kind: 'subtitle_track' | 'text_language',
  track: SubtitleTrack,
  tool: EvidenceArtifact['tool'],
  facts: EvidenceArtifact['facts'],
): Detection {
  const artifact: EvidenceArtifact = {
    schema: 'studio.detected-evidence.v1',
    kind,
    input: { sourceContentId, range, trackIndex: track.index, derivedAudio: null },
    tool,
    parameters: SUBTITLE_PARAMETERS[kind],
    facts,
  };
  return { kind, state: 'available', artifact };
}
