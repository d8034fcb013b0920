import type { Stretch } from '../parts/ticks.ts';

/** The shortest stretch that is shown: a frame of slow film and something around it. */
export const shortestViewMs = 100;

/** A stretch moved and cut so that it lies in `whole`. */
export function within({ startMs, endMs }: Stretch, whole: Stretch): Stretch {
  const length = Math.min(endMs - startMs, whole.endMs - whole.startMs);
  const start = Math.min(Math.max(startMs, whole.startMs), whole.endMs - length);
  return { startMs: start, endMs: start + length };
}

/** Shows more (`factor` above 1) or less around a time that stays in its place on the screen. */
export function zoomed(view: Stretch, whole: Stretch, factor: number, aroundMs: number): Stretch {
  const length = view.endMs - view.startMs;
  const longest = whole.endMs - whole.startMs;
  const next = Math.min(longest, Math.max(Math.min(shortestViewMs, longest), length * factor));
  const share = (aroundMs - view.startMs) / length;
  const startMs = aroundMs - share * next;
  return within({ startMs, endMs: startMs + next }, whole);
}

/** Moves by a share of what is shown. */
export function panned(view: Stretch, whole: Stretch, share: number): Stretch {
  const by = (view.endMs - view.startMs) * share;
  return within({ startMs: view.startMs + by, endMs: view.endMs + by }, whole);
}

/** The same view where it shows the stretch already; else moved, and widened where it must be, so that it does. */
export function showing(view: Stretch, whole: Stretch, { startMs, endMs }: Stretch): Stretch {
  if (startMs >= view.startMs && endMs <= view.endMs) return view;
  const length = Math.max(view.endMs - view.startMs, (endMs - startMs) * 1.2);
  const middle = (startMs + endMs) / 2;
  return within({ startMs: middle - length / 2, endMs: middle + length / 2 }, whole);
}
