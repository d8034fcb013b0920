import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import { type FieldOrderFact, fieldOrderFact } from '../contract/evidence/evidence.ts';
import type { Finding } from '../contract/overview.ts';
import { DetectionFailure } from './detection-failure.ts';
import { titled, wholeStretch } from './found.ts';
import { type MeteredKind, type ReopenedEvidence, statedNumber } from './kind.ts';
import type { Meter, MeteredPart } from './meter.ts';
import { type FrameMetadata, VIDEO_TICKS_PER_MS } from './pictures/frames.ts';

/** The rule for the order of fields, by the verdicts of ffmpeg's `idet` on each picture with its own thresholds. */
const RULE = {
  /** So many lines and columns of the middle are looked at, at most. */
  columns: 480,
  lines: 540,
  windowMs: 10_000,
  /** A window gives no verdict if fewer pictures, or a smaller share of them, show an order. */
  leastPictures: 5,
  leastShare: 0.3,
  /** The share of those that must show the same. */
  clearShare: 0.9,
  /** In a film of 24 pictures that became 30, two of five repeat a field; so many must, and so many be interlaced. */
  repeatedShare: 0.3,
  telecinedShare: 0.2,
} as const;

const ORDERS = ['progressive', 'tff', 'bff', 'undetermined'] as const;

const orderCounts = z.strictObject({
  progressive: z.number(),
  tff: z.number(),
  bff: z.number(),
  undetermined: z.number(),
  repeated: z.number(),
});
type Counts = z.infer<typeof orderCounts>;

/** The counts of each window of `windowMs`, as they are kept between two windows of a pass. */
const interlacingState = z.array(orderCounts);
type InterlacingState = z.infer<typeof interlacingState>;

const noCounts = (): Counts => ({ progressive: 0, tff: 0, bff: 0, undetermined: 0, repeated: 0 });

/** Collects the verdicts of `idet` on the pictures of a range, window by window. */
class InterlacingMeter implements Meter<FieldOrderFact, InterlacingState> {
  readonly #range: Range;
  readonly #window: Range;
  readonly #seekMs: number;
  readonly #windows: Counts[];

  constructor(
    { range, window, seekMs }: Pick<MeteredPart, 'range' | 'window' | 'seekMs'>,
    from: InterlacingState | null,
  ) {
    this.#range = range;
    this.#window = window;
    this.#seekMs = seekMs;
    // A rest below half a window belongs to the one before.
    const windows = Math.max(1, Math.round((range.endMs - range.startMs) / RULE.windowMs));
    this.#windows = from ?? Array.from({ length: windows }, noCounts);
  }

  save(): InterlacingState {
    return this.#windows;
  }

  frame({ pts, values }: FrameMetadata): void {
    const atMs = this.#seekMs + Math.round(pts / VIDEO_TICKS_PER_MS);
    if (atMs < this.#window.startMs || atMs >= this.#window.endMs) return;
    const order = ORDERS.find((each) => each === values.get('lavfi.idet.multiple.current_frame'));
    if (order === undefined) throw new DetectionFailure('ffmpeg did not report the fields of a picture');
    const counts = this.#windows[this.#placeOf(atMs)];
    if (counts === undefined) return;
    counts[order] += 1;
    if ((values.get('lavfi.idet.repeated.current_frame') ?? 'neither') !== 'neither') counts.repeated += 1;
  }

  /** Stretches of one order; they cover the range once. */
  facts(): FieldOrderFact[] {
    const stretches: { order: FieldOrderFact['order']; counts: Counts; endMs: number }[] = [];
    for (const [place, counts] of this.#windows.entries()) {
      const order = orderOf(counts);
      const isLast = place === this.#windows.length - 1;
      const endMs = isLast ? this.#range.endMs : this.#range.startMs + (place + 1) * RULE.windowMs;
      const last = stretches.at(-1);
      if (last?.order !== order) stretches.push({ order, counts: { ...counts }, endMs });
      else {
        last.endMs = endMs;
        for (const name of [...ORDERS, 'repeated'] as const) last.counts[name] += counts[name];
      }
    }
    return stretches.map(({ order, counts, endMs }, index) => ({
      kind: 'field_order',
      index,
      startMs: stretches[index - 1]?.endMs ?? this.#range.startMs,
      endMs,
      order,
      ...sharesOf(counts),
    }));
  }

  #placeOf(atMs: number): number {
    const place = Math.floor((atMs - this.#range.startMs) / RULE.windowMs);
    return Math.min(place, this.#windows.length - 1);
  }
}

const picturesIn = ({ progressive, tff, bff, undetermined }: Counts): number => progressive + tff + bff + undetermined;

function orderOf(counts: Counts): FieldOrderFact['order'] {
  const { progressive, tff, bff, repeated } = counts;
  const pictures = picturesIn(counts);
  const shown = progressive + tff + bff;
  const { leastPictures, leastShare, clearShare, repeatedShare, telecinedShare } = RULE;
  if (shown < leastPictures || shown < leastShare * pictures) return 'unknown';
  if (repeated >= repeatedShare * pictures && tff + bff >= telecinedShare * shown) return 'telecined';
  if (progressive >= clearShare * shown) return 'progressive';
  if (tff >= clearShare * shown) return 'top_first';
  return bff >= clearShare * shown ? 'bottom_first' : 'mixed';
}

function sharesOf(counts: Counts) {
  const pictures = picturesIn(counts);
  const milli = (part: number): number => (pictures === 0 ? 0 : Math.round((1000 * part) / pictures));
  const progressiveMilli = milli(counts.progressive);
  // Two halves of a thousandth that are both rounded up are more than the whole.
  const topFirstMilli = Math.min(milli(counts.tff), 1000 - progressiveMilli);
  const bottomFirstMilli = Math.min(milli(counts.bff), 1000 - progressiveMilli - topFirstMilli);
  const undeterminedMilli = pictures === 0 ? 0 : 1000 - progressiveMilli - topFirstMilli - bottomFirstMilli;
  const repeatedMilli = milli(counts.repeated);
  return { pictures, progressiveMilli, topFirstMilli, bottomFirstMilli, undeterminedMilli, repeatedMilli };
}

const orderWords: Readonly<Record<FieldOrderFact['order'], string>> = {
  progressive: 'progressive',
  top_first: 'interlaced, the upper field first',
  bottom_first: 'interlaced, the lower field first',
  telecined: 'telecined from film',
  mixed: 'mixed',
  unknown: 'not certain',
};

/** Shares of one whole that are rounded each by itself differ from it by less than this, in thousandths. */
const ROUNDED_MILLI = 3;

/** The first place at which a stretch contradicts its shares, or the one before it; null if none does. */
function contradictionAt(fact: FieldOrderFact, at: number, evidence: ReopenedEvidence<FieldOrderFact>): string | null {
  const { order, pictures, progressiveMilli, topFirstMilli, bottomFirstMilli, undeterminedMilli, repeatedMilli } = fact;
  const interlaced = topFirstMilli + bottomFirstMilli;
  const shown = progressiveMilli + interlaced;
  if (shown + undeterminedMilli !== (pictures === 0 ? 0 : 1000)) return `facts[${at}].undeterminedMilli`;
  const clear = (statedNumber(evidence, 'clearShare') ?? 0) * shown - ROUNDED_MILLI;
  const repeated = 1000 * (statedNumber(evidence, 'repeatedShare') ?? 0) - ROUNDED_MILLI;
  const telecined = (statedNumber(evidence, 'telecinedShare') ?? 0) * shown - ROUNDED_MILLI;
  const isShown: Readonly<Record<FieldOrderFact['order'], boolean>> = {
    progressive: progressiveMilli >= clear,
    top_first: topFirstMilli >= clear,
    bottom_first: bottomFirstMilli >= clear,
    telecined: repeatedMilli >= repeated && interlaced >= telecined,
    mixed: pictures > 0,
    unknown: true,
  };
  if (!isShown[order] || (pictures === 0 && order !== 'unknown')) return `facts[${at}].order`;
  return evidence.facts[at - 1]?.order === order ? `facts[${at}].order` : null;
}

const isProgressive = ({ fieldOrders: [first, ...others] }: Pick<Finding, 'fieldOrders'>): boolean =>
  first === 'progressive' && others.length === 0;

/** The order of fields in the pictures. A picture that every player shows as it is has no sentence in a summary. */
export const interlacing: MeteredKind<'interlacing', FieldOrderFact, InterlacingState> = {
  name: 'interlacing',
  title: 'fields of the pictures',
  track: 'video',
  facts: {
    field_order: {
      schema: fieldOrderFact,
      words: [
        {
          value: 'order',
          form: 'spaced',
          after: ' fields',
          none: 'unknown',
          otherwise: 'the order of fields is not known',
        },
        { value: 'repeatedMilli', form: 'percent', before: ', ', after: ' % repeated', none: 0 },
      ],
      tone: 'other',
    },
  },
  order: 'gapless',
  lane: { place: 110, about: 'pictures_and_sound', backdrop: null },
  summary: { ...titled, unless: { value: 'fieldOrders', is: 'progressive' } },
  terminal: {
    words: (finding) => (isProgressive(finding) ? 'Video: progressive (not interlaced)' : `Video: ${finding.text}`),
  },
  row: { usual: false, name: ({ order }) => `fields ${order.replaceAll('_', ' ')}` },
  found: (facts) => {
    const orders = facts.map(({ order }) => order);
    const words = orders.map((order) => orderWords[order]);
    return { ...wholeStretch(facts, words, 'not measured'), fieldOrders: [...new Set(orders)] };
  },
  contradiction: (evidence) => {
    for (const [at, fact] of evidence.facts.entries()) {
      const place = contradictionAt(fact, at, evidence);
      if (place !== null) return place;
    }
    return null;
  },
  parameters: {
    ...RULE,
    rule: 'idet of ffmpeg, over several pictures',
    columnsFrom: 'the middle',
    linesFrom: 'the middle',
  },
  state: interlacingState,
  branch: {
    // A part of the picture shows the order of fields as well as all of it, and cutting costs a third of scaling. It is exact:
    // rounding to a block of color leaves nothing of a picture of one column. It begins with a line of the upper field. Fewer and
    // longer lines cost the filter less than the other way round.
    filters: () =>
      `crop=w='min(iw,${RULE.columns})':h='min(ih,${RULE.lines})':y='2*trunc((ih-oh)/4)':exact=1,copy,idet`,
  },
  meter: (part, from) => new InterlacingMeter(part, from),
};
