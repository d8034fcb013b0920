import type {
  DerivedAudio,
  DetectedFact,
  Detection,
  EvidenceArtifact,
  UnavailableReason,
} from '../contract/evidence.ts';
import type { Range } from '../contract/grammar.ts';
import type { ToolIdentity } from '../contract/tool.ts';
import { type DecodePassDeps, type PassMeasurements, runDecodePass } from './decode-pass.ts';
import { joinParameters, type OperationIdentity } from './detection-identity.ts';
import { DETECTION_PARAMETERS } from './detection-parameters.ts';
import type { DetectorTools } from './detector.ts';
import { speechFacts } from './speech-facts.ts';
import { SAMPLE_RATE, SAMPLES_PER_MS } from './speech-segmenter.ts';
import type { ResolvedTool } from './tools.ts';

/** The tracks of a source by their index in the container; attached pictures are no video. */
export interface DetectionTracks {
  readonly audioTrackIndex: number | null;
  readonly videoTrackIndex: number | null;
}

export interface DetectionRequest extends DetectionTracks {
  readonly path: string;
  readonly sourceContentId: string;
  readonly range: Range;
  readonly signal: AbortSignal;
}

/** Tools and parameters of `detectRange` over these tracks, known before it runs. */
export function detectionIdentity(
  tools: { readonly ffmpeg: ResolvedTool; readonly detectorTools: DetectorTools },
  { audioTrackIndex, videoTrackIndex }: DetectionTracks,
): OperationIdentity {
  return {
    tools: [tools.ffmpeg.identity, tools.detectorTools.speech],
    parameters: { ...joinParameters(DETECTION_PARAMETERS), audioTrackIndex, videoTrackIndex },
  };
}

/**
 * Detects speech, silence, loudness and shot changes in `[startMs, endMs)` with one decode pass. Always answers all four
 * kinds, in this order; a kind without anything to measure is unavailable. Rejects with `ProcessFailure` or
 * `DetectionFailure`.
 */
export async function detectRange(deps: DecodePassDeps, request: DetectionRequest): Promise<Detection[]> {
  const { audioTrackIndex, videoTrackIndex, signal } = request;
  const nothing = audioTrackIndex === null && videoTrackIndex === null;
  const [{ speech: speechTool }, measured] = await Promise.all([
    deps.detector.tools(),
    nothing ? null : runDecodePass(deps, request, signal),
  ]);
  const sound = soundFacts(measured, request);
  const ffmpeg = deps.ffmpeg.identity;
  return [
    detection(request, 'speech_activity', speechTool, sound.speech, sound.derivedAudio),
    detection(request, 'silence', ffmpeg, sound.silences),
    detection(request, 'loudness', ffmpeg, sound.loudness),
    detection(request, 'shot_changes', ffmpeg, shotFacts(measured, request)),
  ];
}

type FactsOrReason = readonly DetectedFact[] | UnavailableReason;

interface SoundFacts {
  readonly speech: FactsOrReason;
  readonly silences: FactsOrReason;
  readonly loudness: FactsOrReason;
  readonly derivedAudio: DerivedAudio | null;
}

function soundFacts(measured: PassMeasurements | null, { audioTrackIndex, range }: DetectionRequest): SoundFacts {
  const without = (reason: UnavailableReason): SoundFacts => ({
    ...{ speech: reason, silences: reason, loudness: reason },
    derivedAudio: null,
  });
  if (audioTrackIndex === null || measured?.speech == null) return without('no_audio_track');
  const { samples, contentId, spans } = measured.speech;
  if (samples === 0) return without('no_audio_in_range');
  return {
    speech: speechFacts(spans, range),
    silences: measured.silences.facts(samples / SAMPLES_PER_MS),
    loudness: [measured.loudness.fact(range)],
    derivedAudio: { sampleRate: SAMPLE_RATE, samples, contentId },
  };
}

function shotFacts(measured: PassMeasurements | null, { videoTrackIndex }: DetectionRequest): FactsOrReason {
  if (videoTrackIndex === null || measured === null) return 'no_video_track';
  return measured.shots.facts() ?? 'no_frames_in_range';
}

function detection(
  { sourceContentId, range, audioTrackIndex, videoTrackIndex }: DetectionRequest,
  kind: keyof typeof DETECTION_PARAMETERS,
  tool: ToolIdentity,
  facts: FactsOrReason,
  derivedAudio: DerivedAudio | null = null,
): Detection {
  if (typeof facts === 'string') return { kind, state: 'unavailable', reasonCode: facts };
  const trackIndex = kind === 'shot_changes' ? videoTrackIndex : audioTrackIndex;
  const artifact: EvidenceArtifact = {
    schema: 'studio.detected-evidence.v1',
    kind,
    input: { sourceContentId, range, trackIndex, derivedAudio },
    tool,
    parameters: DETECTION_PARAMETERS[kind],
    facts: [...facts],
  };
  return { kind, state: 'available', artifact };
}
