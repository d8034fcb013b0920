import type { Range } from '../../contract/base/grammar.ts';
import { packState, unpackState } from '../detector/packed-state.ts';
import { type DecodePassDeps, decodePart } from './decode-pass.ts';
import type { DecodeRequest, PassWindows } from './decode-request.ts';
import { type PassMeasurements, type PassPart, passState } from './pass-meters.ts';

/**
 * Decodes the range and measures everything on the way: at once, or window by window where the request has them. A pass by
 * windows keeps what it has at the end of each, and goes on behind the newest that is kept. Rejects with `ProcessFailure` or
 * `DetectionFailure`.
 */
export async function runDecodePass(
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

/** When the windows of a range end, but for the last one. */
export function windowEnds({ startMs, endMs }: Range, lengthMs: number): number[] {
  const count = Math.ceil((endMs - startMs) / lengthMs) - 1;
  return Array.from({ length: count }, (_, at) => startMs + (at + 1) * lengthMs);
}

/** A part as each attempt has it: its state is read anew, because measuring changes it. */
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
