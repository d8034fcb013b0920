import type { GrayPicture } from './gray-picture.ts';

// Finds the spaces of a Korean line in its own pixels. The engine sets nearly every syllable apart, and its boxes are too rough to
// tell a gap from a space. Syllables of one font are equally wide, so their middles are one step apart, or one step and a space.

/**
 * Found on 297 lines in 15 fonts of three Debian packages (24 to 60 pixels). Widths are shares of the height of the line. A syllable is at
 * most `mostWidth` wide. One that is narrower than `usualLeast` or wider than `usualMost` costs, as does ink that a cut goes through.
 * The step is the middle of the narrowest `stepShare` of the distances, and at most `mostStep` heights. A distance of more than
 * `spaceSteps` has a space.
 */
export const SPACE_RULE = {
  mostWidth: 1.15,
  usualLeast: 0.85,
  usualMost: 0.92,
  stepShare: 0.7,
  mostStep: 1.2,
  spaceSteps: 1.13,
} as const;

const DARK = 128;

/** The columns of a syllable, half open. */
interface Span {
  readonly left: number;
  readonly right: number;
}

/** The number of dark pixels in each column. */
function inkOf({ width, height, pixels }: GrayPicture, { left, right }: Span): number[] {
  const ink = new Array<number>(right - left).fill(0);
  for (let y = 0; y < height; y += 1) {
    for (let x = left; x < right; x += 1) {
      if ((pixels[y * width + x] ?? 255) < DARK) ink[x - left] = (ink[x - left] ?? 0) + 1;
    }
  }
  return ink;
}

/** The columns of a line that is drawn alone, from its first dark pixel to its last one. Empty if it has none. */
export function inkColumns(line: GrayPicture): Span {
  const ink = inkOf(line, { left: 0, right: line.width });
  const [first, last] = [ink.findIndex((dark) => dark > 0), ink.findLastIndex((dark) => dark > 0)];
  return { left: Math.max(0, first), right: last + 1 };
}

/** The cost of a syllable of this width: a narrow part may be a thin syllable, a wide one is two. */
function costOfWidth(width: number): number {
  const narrow = Math.max(0, SPACE_RULE.usualLeast - width);
  const wide = Math.max(0, width - SPACE_RULE.usualMost);
  return 0.35 * (narrow ** 2 + 8 * wide ** 2);
}

/** Cuts columns into so many syllables: the cuts go through the least ink, and no syllable has an unusual width. Null if there is no way. */
function syllablesIn(ink: readonly number[], count: number, height: number): Span[] | null {
  const from = ink.findIndex((dark) => dark > 0);
  const to = ink.findLastIndex((dark) => dark > 0) + 1;
  if (from < 0) return null;
  /** For each column the first one with ink from it on, and the end of the last one before it. */
  const next = new Array<number>(ink.length + 1).fill(ink.length);
  for (let x = ink.length - 1; x >= 0; x -= 1) next[x] = (ink[x] ?? 0) > 0 ? x : (next[x + 1] ?? x);
  const last = new Array<number>(ink.length + 1).fill(0);
  for (let x = 0; x < ink.length; x += 1) last[x + 1] = (ink[x] ?? 0) > 0 ? x + 1 : (last[x] ?? 0);
  const cuts = Array.from({ length: to - from + 1 }, (_, at) => from + at).filter(
    // One cut for each gap.
    (x) => x === from || x === to || (ink[x] ?? 0) > 0 || (ink[x - 1] ?? 0) > 0,
  );
  type Way = { readonly cost: number; readonly spans: readonly Span[] };
  let ways: (Way | null)[] = cuts.map((_, at) => (at === 0 ? { cost: 0, spans: [] } : null));
  for (let syllable = 0; syllable < count; syllable += 1) {
    ways = cuts.map((cut, at) => {
      let best: Way | null = null;
      for (let before = at - 1; before >= 0; before -= 1) {
        const span = { left: next[cuts[before] ?? 0] ?? 0, right: last[cut] ?? 0 };
        const width = (span.right - span.left) / height;
        if (width > SPACE_RULE.mostWidth) break;
        const way = ways[before];
        if (width <= 0 || way === null || way === undefined) continue;
        const cost = way.cost + costOfWidth(width) + (cut === to ? 0 : (ink[cut] ?? 0) / height);
        if (best === null || cost < best.cost) best = { cost, spans: [...way.spans, span] };
      }
      return best;
    });
  }
  return ways.at(-1)?.spans.slice() ?? null;
}

/**
 * The spaces of a line that is drawn alone, dark on white: true for each syllable but the last if a space is behind it. `columns` are those of the syllables, `height` is that of the line in pixels. Null if the pixels do not divide into them.
 */
export function spacesBehind(line: GrayPicture, columns: Span, height: number, count: number): boolean[] | null {
  if (count < 2) return [];
  if (columns.right <= columns.left) return null;
  const syllables = syllablesIn(inkOf(line, columns), count, height);
  if (syllables === null) return null;
  const middles = syllables.map(({ left, right }) => (left + right) / 2);
  const distances = middles.slice(1).map((middle, at) => middle - (middles[at] ?? 0));
  const narrow = distances
    .toSorted((one, other) => one - other)
    .slice(0, Math.ceil(SPACE_RULE.stepShare * distances.length));
  const step = Math.min(narrow[Math.floor((narrow.length - 1) / 2)] ?? 0, SPACE_RULE.mostStep * height);
  return distances.map((distance) => distance > SPACE_RULE.spaceSteps * step);
}
