import type { Stretch } from '../parts/ticks.ts';

/**
 * A range of which one edge is typed. An edge beyond the other one takes it along at the same length, so that a range is moved by
 * one field; nothing leaves the source.
 */
export function movedEdge({ startMs, endMs }: Stretch, edge: 'start' | 'end', ms: number, durationMs: number): Stretch {
  const lengthMs = endMs - startMs;
  if (edge === 'start') {
    const start = Math.min(ms, durationMs - 1);
    return { startMs: start, endMs: start < endMs ? endMs : Math.min(durationMs, start + lengthMs) };
  }
  const end = Math.max(1, Math.min(ms, durationMs));
  return { startMs: end > startMs ? startMs : Math.max(0, end - lengthMs), endMs: end };
}
