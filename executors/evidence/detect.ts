import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Range } from '../../contract/base/grammar.ts';
import {
  type DerivedAudio,
  type DetectedFact,
  type Detection,
  type EvidenceArtifact,
  type FurtherArtifact,
  type FurtherFact,
  type PassKind,
  passKinds,
  type SilenceFact,
  type SpeechFact,
  type UnavailableReason,
} from '../../contract/evidence/evidence.ts';
import { SAMPLE_RATE, SAMPLES_PER_MS, type SampleSpan } from '../../kinds/sound/sound-signals.ts';
import type { DetectorTools } from '../detector/detector.ts';
import { packState, unpackState } from '../detector/packed-state.ts';
import type { ResolvedTool } from '../process/tools.ts';
import type { DecodeRequest, PassWindows } from './decode-graph.ts';
import { type DecodePassDeps, decodePart, type PassMeasurements, type PassPart, passState } from './decode-pass.ts';
import {
  type DetectionKind,
  type DetectionTracks,
  joinParameters,
  type OperationIdentity,
  parametersFor,
} from './detection-identity.ts';

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
  const state = packState(kept);
  const named = kept.keyframes.facts.map(({ contentId, bytes }) => ({ contentId, bytes }));
  await windows.keep({ endMs: part().window.endMs, state, named });
  return state;
}

/**
 * Lays windows of speech (samples from the start of the range) on the source's own time line. It fills the rest with windows of
 * non-speech, so that both together cover the range once, without a gap. Each kind is counted from 0. Windows must be ordered and
 * disjoint; parts beyond the range are cut off.
 */
export function speechFacts(speech: readonly SampleSpan[], range: Range): SpeechFact[] {
  const origin = range.startMs * SAMPLES_PER_MS;
  const end = range.endMs * SAMPLES_PER_MS;
  const facts: SpeechFact[] = [];
  const counts = { speech_window: 0, non_speech_window: 0 };
  let covered = origin;
  const add = (kind: SpeechFact['kind'], endSample: number) => {
    if (endSample <= covered) return;
    facts.push({
      kind,
      index: counts[kind]++,
      startSample: covered,
      endSample,
      startMs: Math.floor(covered / SAMPLES_PER_MS),
      endMs: Math.ceil(endSample / SAMPLES_PER_MS),
    });
    covered = endSample;
  };
  for (const span of speech) {
    add('non_speech_window', Math.min(origin + span.start, end));
    add('speech_window', Math.min(origin + span.end, end));
  }
  add('non_speech_window', end);
  return facts;
}

interface DetectionRequest extends DetectionTracks, DecodeRequest {
  readonly sourceContentId: string;
  readonly signal: AbortSignal;
}

/** The findings of a pass over the media. */
export interface DetectedRange {
  readonly detections: Detection[];
  readonly further: FurtherArtifact[];
}

/** Tools and parameters of `detectRange` over these tracks, known before it runs. */
export function detectionIdentity(
  tools: { readonly ffmpeg: ResolvedTool; readonly detectorTools: DetectorTools },
  tracks: DetectionTracks,
): OperationIdentity {
  const { audioTrackIndex, videoTrackIndex } = tracks;
  return {
    tools: [tools.ffmpeg.identity, tools.detectorTools.speech],
    parameters: { ...joinParameters(parametersFor(tracks)), audioTrackIndex, videoTrackIndex },
  };
}

/**
 * Detects speech, silence, loudness and shot changes in `[startMs, endMs)` with one decode pass. Always answers all four
 * kinds, in this order; a kind without anything to measure is unavailable. Beside them it answers the further kinds that there
 * is anything to measure for. Rejects with `ProcessFailure` or
 * `DetectionFailure`.
 */
export async function detectRange(deps: DecodePassDeps, request: DetectionRequest): Promise<DetectedRange> {
  const { audioTrackIndex, videoTrackIndex, signal } = request;
  const nothing = audioTrackIndex === null && videoTrackIndex === null;
  const [{ speech: speechTool }, measured] = await Promise.all([
    deps.detector.tools(),
    nothing ? null : runDecodePass(deps, request, signal),
  ]);
  const sound = soundFacts(measured, request);
  const ffmpeg = deps.ffmpeg.identity;
  const detections = [
    detection(request, 'speech_activity', speechTool, sound.speech, sound),
    detection(request, 'silence', ffmpeg, sound.silences, { measured: sound.levels }),
    detection(request, 'loudness', ffmpeg, sound.loudness),
    detection(request, 'shot_changes', ffmpeg, shotFacts(measured, request)),
  ];
  return { detections, further: measured === null ? [] : furtherEvidence(measured, request, ffmpeg) };
}

type Parameters = EvidenceArtifact['parameters'];
type FactsOrReason = readonly DetectedFact[] | UnavailableReason;

interface SoundFacts {
  readonly speech: FactsOrReason;
  readonly silences: FactsOrReason;
  readonly loudness: FactsOrReason;
  readonly derivedAudio: DerivedAudio | null;
  /** The measurements on the way: of the channels behind the speech, and of the levels behind the silences. */
  readonly measured: Parameters;
  readonly levels: Parameters;
}

function soundFacts(measured: PassMeasurements | null, { audioTrackIndex, range }: DetectionRequest): SoundFacts {
  const without = (reason: UnavailableReason): SoundFacts => ({
    speech: reason,
    silences: reason,
    loudness: reason,
    derivedAudio: null,
    measured: {},
    levels: {},
  });
  if (audioTrackIndex === null || measured?.sound == null) return without('no_audio_track');
  const { samples, contentId, speech, unconfirmed, apart, silences } = measured.sound;
  if (samples === 0) return without('no_audio_in_range');
  return {
    speech: speechFacts(speech, range),
    silences: silenceFacts(silences.spans, range),
    loudness: [measured.loudness],
    derivedAudio: { sampleRate: SAMPLE_RATE, samples, contentId },
    measured: {
      ...(apart.ms === 0 ? {} : { channelsApart: apart.channels.join(', '), channelsApartMs: apart.ms }),
      ...unconfirmedIn(unconfirmed, range),
    },
    levels: { ...silences.levels },
  };
}

/**
 * Windows that do not count as speech because a model finds too little in them, named beside the facts; nothing if there are
 * none.
 */
function unconfirmedIn(spans: readonly SampleSpan[], { startMs }: Range): Parameters {
  if (spans.length === 0) return {};
  const msOf = (sample: number): number => startMs + Math.floor(sample / SAMPLES_PER_MS);
  const named = spans.slice(0, MOST_NAMED_WINDOWS).map(({ start, end }) => `${msOf(start)}-${msOf(end)}`);
  return { unconfirmedWindows: spans.length, unconfirmedWindowsMs: named.join(', ') };
}

/** The count has all of them. */
const MOST_NAMED_WINDOWS = 256;

/** Lays silences (milliseconds from the start of the range) on the source's own time line. */
const silenceFacts = (spans: readonly (readonly [number, number])[], { startMs, endMs }: Range): SilenceFact[] =>
  spans.map(([from, to], index) => ({
    kind: 'silence',
    index,
    startMs: startMs + from,
    endMs: Math.min(startMs + to, endMs),
  }));

function shotFacts(measured: PassMeasurements | null, { videoTrackIndex }: DetectionRequest): FactsOrReason {
  if (videoTrackIndex === null || measured === null) return 'no_video_track';
  return measured.pictures.shots() ?? 'no_frames_in_range';
}

/** The further kinds that there is anything to measure for: those of pictures where any lies in the range, those of sound alike. */
function furtherEvidence(
  { pictures, keyframes, interlacing, letterbox, waveform, soundFaults }: PassMeasurements,
  request: DetectionRequest,
  tool: ToolIdentity,
): FurtherArtifact[] {
  const { sourceContentId, range, audioTrackIndex, videoTrackIndex } = request;
  const parameters = parametersFor(request);
  const ofPictures = (facts: () => FurtherFact[]) => ({
    trackIndex: videoTrackIndex,
    facts: pictures.shots() === null ? null : facts(),
  });
  const found = {
    transitions: ofPictures(() => pictures.transitions()),
    black_frames: ofPictures(() => pictures.black()),
    frozen_frames: ofPictures(() => pictures.frozen()),
    keyframes: ofPictures(() => [...keyframes.facts()]),
    interlacing: ofPictures(() => interlacing.facts()),
    letterbox: ofPictures(() => letterbox.facts()),
    waveform: { trackIndex: audioTrackIndex, facts: waveform === null ? null : [waveform] },
    audio_faults: {
      trackIndex: audioTrackIndex,
      facts: waveform === null ? null : [...soundFaults].sort((one, other) => one.startMs - other.startMs),
    },
  };
  return passKinds.flatMap((kind): FurtherArtifact[] => {
    const { trackIndex, facts } = found[kind];
    if (trackIndex === null || facts === null) return [];
    const input = { sourceContentId, range, trackIndex };
    return [{ schema: 'studio.further-evidence.v1', kind, input, tool, parameters: parameters[kind], facts }];
  });
}

function detection(
  request: DetectionRequest,
  kind: Exclude<DetectionKind, PassKind>,
  tool: ToolIdentity,
  facts: FactsOrReason,
  { derivedAudio = null, measured = {} }: Partial<Pick<SoundFacts, 'derivedAudio' | 'measured'>> = {},
): Detection {
  if (typeof facts === 'string') return { kind, state: 'unavailable', reasonCode: facts };
  const { sourceContentId, range, audioTrackIndex, videoTrackIndex } = request;
  const trackIndex = kind === 'shot_changes' ? videoTrackIndex : audioTrackIndex;
  const artifact: EvidenceArtifact = {
    schema: 'studio.detected-evidence.v1',
    kind,
    input: { sourceContentId, range, trackIndex, derivedAudio },
    tool,
    parameters: { ...parametersFor(request)[kind], ...measured },
    facts: [...facts],
  };
  return { kind, state: 'available', artifact };
}
