import type { Range } from '../../contract/base/grammar.ts';
import {
  type DerivedAudio,
  type DetectedFact,
  type Detection,
  detectedKind,
  type EvidenceArtifact,
  type FurtherArtifact,
  type FurtherFact,
  type UnavailableReason,
} from '../../contract/evidence/evidence.ts';
import type { KindParameters, PassKind } from '../../kinds/kind.ts';
import { passKinds } from '../../kinds/kinds.ts';
import type { PictureTimes } from '../../kinds/pictures/picture-times.ts';
import { SAMPLE_RATE } from '../../kinds/sound/sound-signals.ts';
import type { DetectorTools } from '../detector/detector.ts';
import { packState, unpackState } from '../detector/packed-state.ts';
import type { ResolvedTool } from '../process/tools.ts';
import type { DecodeRequest, PassWindows } from './decode-graph.ts';
import { type DecodePassDeps, decodePart, type PassMeasurements, type PassPart, passState } from './decode-pass.ts';
import { type DetectionTracks, joinParameters, type OperationIdentity, parametersFor } from './detection-identity.ts';
import { readPictureTimes } from './picture-times.ts';

/**
 * Decodes the range and measures everything on the way: at once, or window by window where the request has them. A pass by
 * windows keeps what it has at the end of each, and goes on behind the newest that is kept. Rejects with `ProcessFailure` or
 * `DetectionFailure`.
 */
async function runDecodePass(
  deps: DecodePassDeps,
  asked: DecodeRequest,
  signal: AbortSignal,
): Promise<PassMeasurements> {
  const request = { ...asked, decoded: risingOnly(asked.decoded) };
  const { windows, range } = request;
  if (windows === undefined)
    return lastPart(deps, request, () => ({ window: range, from: null, isLast: true }), signal);
  const ends = windowEnds(range, windows.lengthMs);
  const newest = await windows.newest(ends);
  let [startMs, state] = newest === null ? [range.startMs, null] : [newest.endMs, newest.state];
  // Progress counts from the start of the range, whatever part of it runs here.
  request.decoded(startMs - range.startMs);
  for (const endMs of ends.filter((each) => each > startMs)) {
    state = await keptPart(deps, request, windows, partOf({ startMs, endMs }, state, false), signal);
    startMs = endMs;
  }
  return lastPart(deps, request, partOf({ startMs, endMs: range.endMs }, state, true), signal);
}

/** A window decodes what comes before it, and may be decoded again: what was measured before it stays measured. */
function risingOnly(decoded: DecodeRequest['decoded']): (mediaMs: number) => void {
  let mostMs = 0;
  return (mediaMs) => {
    mostMs = Math.max(mostMs, mediaMs);
    decoded?.(mostMs);
  };
}

/** The ends of the windows of a range, but for the last one. */
export function windowEnds({ startMs, endMs }: Range, lengthMs: number): number[] {
  const count = Math.ceil((endMs - startMs) / lengthMs) - 1;
  return Array.from({ length: count }, (_, at) => startMs + (at + 1) * lengthMs);
}

/** A part for each attempt: its state is read again, because measuring changes it. */
const partOf = (window: Range, state: Uint8Array | null, isLast: boolean) => (): PassPart => ({
  window,
  from: state === null ? null : passState.parse(unpackState(state)),
  isLast,
});

const lastPart = (
  deps: DecodePassDeps,
  request: DecodeRequest,
  part: () => PassPart,
  signal: AbortSignal,
): Promise<PassMeasurements> => decodePart(deps, { request, part, end: (meters, job) => meters.end(job) }, signal);

/** Decodes a window that others follow; what they go on from. */
async function keptPart(
  deps: DecodePassDeps,
  request: DecodeRequest,
  windows: PassWindows,
  part: () => PassPart,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const kept = await decodePart(
    deps,
    { request, part, end: async (meters, job) => meters.save(job === null ? null : await job.saved) },
    signal,
  );
  const state = packState(kept.state);
  const { named } = kept;
  await windows.keep({ endMs: part().window.endMs, state, named });
  return state;
}

interface DetectionRequest extends DetectionTracks, DecodeRequest {
  readonly sourceContentId: string;
  readonly signal: AbortSignal;
}

/** The tools of a pass: what decodes, what measures sound, and what reads the times of pictures. */
export interface DetectDeps extends DecodePassDeps {
  readonly ffprobe: ResolvedTool;
}

/** The findings of a pass over the media. */
export interface DetectedRange {
  readonly detections: Detection[];
  readonly further: FurtherArtifact[];
}

/** Tools and parameters of `detectRange` over these tracks, known before it runs. */
export function detectionIdentity(
  tools: { readonly ffmpeg: ResolvedTool; readonly ffprobe: ResolvedTool; readonly detectorTools: DetectorTools },
  tracks: DetectionTracks,
): OperationIdentity {
  const { audioTrackIndex, videoTrackIndex } = tracks;
  return {
    tools: [tools.ffmpeg.identity, tools.detectorTools.speech, tools.ffprobe.identity],
    parameters: { ...joinParameters(parametersFor(tracks)), audioTrackIndex, videoTrackIndex },
  };
}

/**
 * Measures every kind of a pass in `[startMs, endMs)` with one decode. Always answers the kinds that every study has, in the order of
 * the list; one without anything to measure is unavailable. Beside them it answers the further kinds that there is anything to
 * measure for. Rejects with `ProcessFailure` or `DetectionFailure`.
 */
export async function detectRange(deps: DetectDeps, request: DetectionRequest): Promise<DetectedRange> {
  const { audioTrackIndex, videoTrackIndex, signal } = request;
  const nothing = audioTrackIndex === null && videoTrackIndex === null;
  const [{ speech: speechTool }, measured] = await Promise.all([
    deps.detector.tools(),
    nothing ? null : runDecodePass(deps, request, signal),
  ]);
  const hasPictures = videoTrackIndex !== null && measured !== null && measured.pictures > 0;
  const times = hasPictures ? await readPictureTimes(deps, { ...request, trackIndex: videoTrackIndex }) : null;
  const parameters = parametersFor(request);
  const found: DetectedRange = { detections: [], further: [] };
  for (const kind of passKinds) {
    const kindName = detectedKind.safeParse(kind.name).data;
    const result = measuredOf(kind, { measured, times }, request);
    if (typeof result === 'string') {
      if (kindName !== undefined) found.detections.push({ kind: kindName, state: 'unavailable', reasonCode: result });
      continue;
    }
    const { sourceContentId, range } = request;
    const isEstimated = 'isEstimated' in kind && kind.isEstimated;
    const stated = {
      tool: isEstimated ? speechTool : toolOf(kind, deps),
      parameters: { ...parameters[kind.name], ...result.measured },
    };
    const input = { sourceContentId, range, trackIndex: result.trackIndex };
    if (kindName === undefined) {
      // The schema of its record judges them when they are reopened.
      const facts = result.facts as FurtherFact[];
      found.further.push({ schema: 'studio.further-evidence.v1', kind: kind.name, input, ...stated, facts });
      continue;
    }
    const derivedAudio = isEstimated ? result.derivedAudio : null;
    const artifact: EvidenceArtifact = {
      schema: 'studio.detected-evidence.v1',
      kind: kindName,
      input: { ...input, derivedAudio },
      ...stated,
      facts: result.facts as DetectedFact[],
    };
    found.detections.push({ kind: kindName, state: 'available', artifact });
  }
  return found;
}

const toolOf = (kind: PassKind, { ffmpeg, ffprobe }: DetectDeps) =>
  'ofTimes' in kind ? ffprobe.identity : ffmpeg.identity;

/** The measurements of a kind. */
interface Measured {
  readonly trackIndex: number;
  readonly facts: unknown[];
  /** The parameters that were measured on the way. */
  readonly measured: KindParameters;
  readonly derivedAudio: DerivedAudio | null;
}

/** The facts of a kind, or the reason why there was nothing to measure. */
function measuredOf(
  kind: PassKind,
  { measured, times }: { readonly measured: PassMeasurements | null; readonly times: PictureTimes | null },
  { audioTrackIndex, videoTrackIndex, range }: DetectionRequest,
): Measured | UnavailableReason {
  if (kind.track === 'video') {
    if (videoTrackIndex === null || measured === null || 'ofSound' in kind) return 'no_video_track';
    if (measured.pictures === 0 || times === null) return 'no_frames_in_range';
    const facts = 'ofTimes' in kind ? kind.ofTimes(times, range) : measured.facts(kind.name);
    return { trackIndex: videoTrackIndex, facts: [...facts], measured: {}, derivedAudio: null };
  }
  if (audioTrackIndex === null || measured?.sound == null) return 'no_audio_track';
  const { samples, contentId } = measured.sound;
  if (samples === 0) return 'no_audio_in_range';
  const derivedAudio: DerivedAudio = { sampleRate: SAMPLE_RATE, samples, contentId };
  const own =
    'ofSound' in kind ? kind.ofSound(measured.sound, range) : { facts: measured.facts(kind.name), measured: {} };
  return { trackIndex: audioTrackIndex, facts: [...own.facts], measured: own.measured, derivedAudio };
}
