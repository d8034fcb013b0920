import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import { type LoudnessFact, loudnessFact } from '../contract/evidence/evidence.ts';
import { ChangingSound, DetectionFailure } from './detection-failure.ts';
import { type Found, measuredIn, titled } from './found.ts';
import type { MeteredKind } from './kind.ts';
import type { Meter, MeteredPart } from './meter.ts';
import { type FrameMetadata, numberIn } from './pictures/frames.ts';
import { LOUDNESS_RULE, TruePeak, truePeakState } from './sound/true-peak.ts';

// The filter works at 48 kHz.
const TICKS_PER_MS = 48;

/** The loudness of a range in the end, whatever measured it. */
interface MeasuredLoudness {
  add(frame: FrameMetadata): void;
  /** Null stands for what could not be measured: nothing above the absolute gate, or less than a block was measured. */
  fact(range: Range, truePeakCentiDbtp: number | null): LoudnessFact;
}

/**
 * Keeps the last output of ffmpeg's `ebur128`, whose values hold for everything measured so far. When the sound changes its
 * sample rate or channels on the way, ffmpeg restarts and loses all earlier measurements. That is refused.
 */
export class Loudness implements MeasuredLoudness {
  readonly #shortTerm = new GatedBlocks();
  #last: FrameMetadata | null = null;

  add(frame: FrameMetadata): void {
    if (this.#last !== null && frame.number <= this.#last.number) {
      throw new ChangingSound();
    }
    this.#last = frame;
    this.#shortTerm.add(Number(frame.values.get('lavfi.r128.S')));
  }

  fact({ startMs, endMs }: Range, truePeakCentiDbtp: number | null): LoudnessFact {
    const last = this.#last;
    const at = { kind: 'loudness', startMs, endMs } as const;
    if (last === null) return { ...at, integratedCentiLufs: null, rangeCentiLu: null, truePeakCentiDbtp: null };
    const value = (key: string): number => {
      const number = numberIn(last, `lavfi.r128.${key}`);
      if (number === null) throw new DetectionFailure(`ffmpeg measured no ${key}`);
      return number;
    };
    const [loudness, loudnessRange] = [value('I'), value('LRA')];
    return {
      ...at,
      integratedCentiLufs: loudness <= LOUDNESS_RULE.absoluteGateLufs ? null : centi(loudness),
      rangeCentiLu: hasRange(this.#shortTerm.above(RANGE_GATE_LU)) ? centi(loudnessRange) : null,
      truePeakCentiDbtp,
    };
  }
}

// The sum turns a negative zero into the one zero of canonical JSON.
const centi = (value: number): number => Math.round(value * 100) + 0;

/** Bins of a hundredth of a LU, from the absolute gate to 10 LUFS: those of ffmpeg's `ebur128`. */
const BINS_PER_LU = 100;
const HIGHEST_LUFS = 10;
const BINS = (HIGHEST_LUFS - LOUDNESS_RULE.absoluteGateLufs) * BINS_PER_LU + 1;

/** ITU-R BS.1770-4 gates blocks 10 LU below their mean, EBU Tech 3342 those of the range 20 LU. */
const INTEGRATED_GATE_LU = -10;
const RANGE_GATE_LU = -20;
/** The percentiles between which the range lies (EBU Tech 3342). */
const RANGE_SHARES = { low: 0.1, high: 0.95 } as const;

const gatedState = z.strictObject({
  bins: z.array(z.tuple([z.number(), z.number()])),
  energy: z.number(),
  blocks: z.number(),
});

/** Loudness as it is kept between two windows of a pass: blocks by their bin. */
const gatedLoudnessState = z.strictObject({
  momentary: gatedState,
  shortTerm: gatedState,
  measured: z.boolean(),
});
type GatedLoudnessState = z.infer<typeof gatedLoudnessState>;

const energyOf = (lufs: number): number => 10 ** ((lufs + 0.691) / 10);
const loudnessOf = (energy: number): number => -0.691 + 10 * Math.log10(energy);
const binOf = (lufs: number): number =>
  Math.min(Math.max(Math.trunc((lufs - LOUDNESS_RULE.absoluteGateLufs) * BINS_PER_LU), 0), BINS - 1);
const loudnessOfBin = (bin: number): number => bin / BINS_PER_LU + LOUDNESS_RULE.absoluteGateLufs;

/** Blocks above the absolute gate. */
class GatedBlocks {
  readonly #bins: Map<number, number>;
  #energy: number;
  #blocks: number;

  constructor({ bins, energy, blocks }: z.infer<typeof gatedState> = { bins: [], energy: 0, blocks: 0 }) {
    this.#bins = new Map(bins);
    this.#energy = energy;
    this.#blocks = blocks;
  }

  save(): z.infer<typeof gatedState> {
    return { bins: this.#ascending(), energy: this.#energy, blocks: this.#blocks };
  }

  add(lufs: number): void {
    // Silence has none, and no number is printed for it.
    if (!(lufs >= LOUDNESS_RULE.absoluteGateLufs)) return;
    const bin = binOf(lufs);
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + 1);
    this.#energy += energyOf(lufs);
    this.#blocks += 1;
  }

  /** The bins above the relative gate, ascending, with how many blocks each has. */
  above(gateLu: number): [number, number][] {
    if (this.#blocks === 0) return [];
    const gate = binOf(loudnessOf(this.#energy / this.#blocks) + gateLu);
    return this.#ascending().filter(([bin]) => bin >= gate);
  }

  #ascending(): [number, number][] {
    return [...this.#bins].sort(([one], [other]) => one - other);
  }
}

/**
 * Gates the momentary and the short-term loudness of ffmpeg's `ebur128` as that filter does it. So the blocks of one window of a
 * pass join those of the windows before. Its frames carry thousandths of a LU: a block at the edge of a bin may come into the bin
 * beside.
 */
export class GatedLoudness implements MeasuredLoudness {
  readonly #filterFromMs: number;
  readonly #ownFromMs: number;
  readonly #momentary: GatedBlocks;
  readonly #shortTerm: GatedBlocks;
  #measured: boolean;
  #number = -1;

  /** The filter begins at `filterFromMs`; blocks that end before `ownFromMs` were counted by the window before. */
  constructor(filterFromMs: number, ownFromMs: number, from: GatedLoudnessState | null) {
    this.#filterFromMs = filterFromMs;
    this.#ownFromMs = ownFromMs;
    this.#momentary = new GatedBlocks(from?.momentary);
    this.#shortTerm = new GatedBlocks(from?.shortTerm);
    this.#measured = from?.measured ?? false;
  }

  save(): GatedLoudnessState {
    return {
      momentary: this.#momentary.save(),
      shortTerm: this.#shortTerm.save(),
      measured: this.#measured,
    };
  }

  add(frame: FrameMetadata): void {
    if (frame.number <= this.#number) throw new ChangingSound();
    this.#number = frame.number;
    const atMs = this.#filterFromMs + Math.floor(frame.pts / TICKS_PER_MS);
    if (atMs < this.#ownFromMs) return;
    this.#measured = true;
    this.#momentary.add(Number(frame.values.get('lavfi.r128.M')));
    this.#shortTerm.add(Number(frame.values.get('lavfi.r128.S')));
  }

  fact({ startMs, endMs }: Range, truePeakCentiDbtp: number | null): LoudnessFact {
    const at = { kind: 'loudness', startMs, endMs } as const;
    if (!this.#measured) return { ...at, integratedCentiLufs: null, rangeCentiLu: null, truePeakCentiDbtp: null };
    return {
      ...at,
      integratedCentiLufs: integrated(this.#momentary.above(INTEGRATED_GATE_LU)),
      rangeCentiLu: rangeOf(this.#shortTerm.above(RANGE_GATE_LU)),
      truePeakCentiDbtp,
    };
  }
}

function integrated(bins: Bins): number | null {
  const blocks = blocksIn(bins);
  const energy = bins.reduce((sum, [bin, count]) => sum + count * energyOf(loudnessOfBin(bin)), 0);
  return blocks === 0 ? null : centi(loudnessOf(energy / blocks));
}

type Bins = readonly (readonly [number, number])[];

const blocksIn = (bins: Bins): number => bins.reduce((sum, [, count]) => sum + count, 0);

/** How many of the blocks a share is, as ffmpeg rounds it. */
const shareOf = (part: number, blocks: number): number => Math.trunc(part * blocks + 0.5);

/** Fewer than five blocks have no quietest tenth. ffmpeg takes the gate for it, 20 LU below the sound. */
const hasRange = (bins: Bins): boolean => shareOf(RANGE_SHARES.low, blocksIn(bins)) > 0;

function rangeOf(bins: Bins): number | null {
  if (!hasRange(bins)) return null;
  const blocks = blocksIn(bins);
  const share = (part: number) => shareOf(part, blocks);
  let below = 0;
  const low = bins.find(([, count]) => {
    below += count;
    return below >= share(RANGE_SHARES.low);
  });
  let left = blocks;
  const high = bins.findLast(([, count]) => {
    left -= count;
    return left < share(RANGE_SHARES.high);
  });
  return low === undefined || high === undefined ? null : centi((high[0] - low[0]) / BINS_PER_LU);
}

const state = gatedLoudnessState.extend({ peak: truePeakState });
type State = z.infer<typeof state>;

/** Measures loudness and true peak, and announces the peak if it is too high. */
class LoudnessMeter implements Meter<LoudnessFact, State> {
  readonly #part: MeteredPart;
  readonly #loudness: Loudness | GatedLoudness;
  readonly #peak: TruePeak;

  constructor(part: MeteredPart, from: State | null) {
    const { window, isWhole, loudnessFromMs } = part;
    this.#part = part;
    this.#loudness = isWhole ? new Loudness() : new GatedLoudness(loudnessFromMs, window.startMs, from);
    this.#peak = new TruePeak(loudnessFromMs, window.startMs, from?.peak);
  }

  frame(frame: FrameMetadata): void {
    this.#loudness.add(frame);
  }

  peaks(chunk: Buffer): void {
    this.#peak.write(chunk);
  }

  save(): State {
    if (!(this.#loudness instanceof GatedLoudness)) throw new Error('a pass that goes by no windows');
    return { ...this.#loudness.save(), peak: this.#peak.save() };
  }

  end(): void {
    this.#part.announce.truePeak(this.#peak.facts(this.#part.range));
  }

  facts(): LoudnessFact[] {
    return [this.#loudness.fact(this.#part.range, this.#peak.centiDbtp)];
  }
}

// Loudness is measured in blocks of 400 ms, and its range in blocks of three seconds (EBU R 128, EBU Tech 3342).
const BLOCK_MS = 400;
const RANGE_BLOCK_MS = 3000;

const measuredText = (value: number | null, unit: string, isTooShort = false): string =>
  value === null ? `too ${isTooShort ? 'short' : 'quiet'} to measure (${unit})` : `${value.toFixed(1)} ${unit}`;

const hundredths = (value: number | null): number | null => (value === null ? null : value / 100);

function foundOf({ startMs, endMs, integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp }: LoudnessFact): Found {
  const [integrated, range, peak] = [
    hundredths(integratedCentiLufs),
    hundredths(rangeCentiLu),
    hundredths(truePeakCentiDbtp),
  ];
  // A sound without a peak is silence, however short it is.
  const isShorterThan = (blockMs: number): boolean => peak !== null && endMs - startMs < blockMs;
  const loudnessText = measuredText(integrated, 'LUFS', isShorterThan(BLOCK_MS));
  const rangeText = measuredText(range, 'LU', isShorterThan(RANGE_BLOCK_MS));
  return {
    text: `${loudnessText}, range ${rangeText}, true peak ${measuredText(peak, 'dBTP')}`,
    measures: [
      { name: 'integrated_loudness', value: integrated, unit: 'LUFS' },
      { name: 'loudness_range', value: range, unit: 'LU' },
      { name: 'true_peak', value: peak, unit: 'dBTP' },
    ],
    places: [],
  };
}

/** EBU R128 over the whole range. */
export const loudness: MeteredKind<'loudness', LoudnessFact, State> = {
  name: 'loudness',
  title: 'loudness',
  track: 'audio',
  facts: {
    loudness: {
      schema: loudnessFact,
      words: [
        { value: 'integratedCentiLufs', form: 'hundredths', after: ' LUFS', otherwise: 'too quiet to measure' },
        { value: 'rangeCentiLu', form: 'hundredths', before: ', ', after: ' LU' },
        { value: 'truePeakCentiDbtp', form: 'hundredths', before: ', ', after: ' dBTP' },
      ],
      tone: 'level',
    },
  },
  order: 'whole',
  terminal: {
    words: (finding) =>
      finding.measures.some(({ value }) => value === null)
        ? null
        : `Loudness: ${measuredIn(finding, 'integrated_loudness').toFixed(1)} LUFS on average, loudest peak ${measuredIn(finding, 'true_peak').toFixed(1)} dB (0 dB is full scale)`,
  },
  lane: { place: 40, about: 'pictures_and_sound', backdrop: null },
  summary: titled,
  row: { usual: false, name: () => 'loudness' },
  found: ([measured]) =>
    measured === undefined ? { text: 'not measured', measures: [], places: [] } : foundOf(measured),
  contradiction: ({ facts: [fact], input }) => (fact?.endMs === input.range.endMs ? null : 'facts[0].endMs'),
  parameters: { ...LOUDNESS_RULE, scope: 'whole range' },
  state,
  branch: { filters: () => 'ebur128=metadata=1:framelog=verbose' },
  meter: (part, from) => new LoudnessMeter(part, from),
};
