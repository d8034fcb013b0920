import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { PhaseInversionFact, SilentChannelFact } from '../../contract/evidence/evidence.ts';
import { SAMPLES_PER_MS, SampleWindows, SIGNALS } from './sound-signals.ts';

const run = z.strictObject({ startMs: z.number(), endMs: z.number(), highest: z.number() });

/** A run of windows of one fault; `highest` is the highest measure among them. */
type FoundRun = Readonly<z.infer<typeof run>>;

/** The runs as they are kept between two windows of a pass. */
const faultRunState = z.strictObject({ found: z.array(run), open: run.nullable() });
type FaultRunState = z.infer<typeof faultRunState>;

/** Collects runs of windows: a window has the fault, has it not and ends the run, or decides nothing (null). */
class FaultRun {
  readonly #found: FoundRun[];
  #open: FoundRun | null;

  constructor({ found, open }: FaultRunState = { found: [], open: null }) {
    this.#found = found;
    this.#open = open;
  }

  save(): FaultRunState {
    return { found: [...this.#found], open: this.#open };
  }

  add(hasFault: boolean | null, { startMs, endMs }: Range, measure = 0): void {
    if (hasFault === false) this.#close();
    if (hasFault !== true) return;
    if (this.#open === null) this.#open = { startMs, endMs, highest: measure };
    else this.#open = { ...this.#open, endMs, highest: Math.max(this.#open.highest, measure) };
  }

  /** The runs that lasted so long; nothing comes any more. */
  found(leastMs: number): FoundRun[] {
    this.#close();
    return this.#found.filter(({ startMs, endMs }) => endMs - startMs >= leastMs);
  }

  #close(): void {
    if (this.#open !== null) this.#found.push(this.#open);
    this.#open = null;
  }
}

/**
 * Faults between the channels, by windows. `silent_channel`: the mean power of one side is below `silentDbfs` wherever that of the
 * other is above `soundingDbfs`. `phase_inversion`: left and right, both above `soundingDbfs`, correlate by at most `mostCorrelated`
 * (ffmpeg's `aphasemeter` takes 170°, which is −0.985, for two seconds). Windows that are too quiet decide nothing.
 */
export const CHANNEL_FAULT_RULE = {
  windowMs: 100,
  soundingDbfs: -50,
  silentChannel: { silentDbfs: -80, leastMs: 2000 },
  phaseInversion: { mostCorrelated: -0.95, leastMs: 1000 },
} as const;

const FULL_SCALE = 32_768;
const WINDOW_SAMPLES = CHANNEL_FAULT_RULE.windowMs * SAMPLES_PER_MS;

const powerOf = (dbfs: number): number => 10 ** (dbfs / 10) * FULL_SCALE ** 2 * WINDOW_SAMPLES;
const SOUNDING = powerOf(CHANNEL_FAULT_RULE.soundingDbfs);
const SILENT = powerOf(CHANNEL_FAULT_RULE.silentChannel.silentDbfs);

const [LEFT, RIGHT] = [SIGNALS.indexOf('left'), SIGNALS.indexOf('right')];

/** Faults as they are kept between two windows of a pass, with the sums of what is not whole yet. */
export const channelFaultsState = z.strictObject({
  left: faultRunState,
  right: faultRunState,
  inverted: faultRunState,
  samples: z.number(),
  sums: z.tuple([z.number(), z.number(), z.number()]),
});
type ChannelFaultsState = z.infer<typeof channelFaultsState>;

/** Finds such faults in all signals of a sound (s16le at 16 kHz, interleaved) as its bytes arrive. */
export class ChannelFaults {
  readonly #range: Range;
  readonly #silent: { readonly left: FaultRun; readonly right: FaultRun };
  readonly #inverted: FaultRun;
  readonly #windows: SampleWindows;
  #left = 0;
  #right = 0;
  #product = 0;

  constructor(range: Range, from: ChannelFaultsState | null = null) {
    this.#range = range;
    this.#silent = { left: new FaultRun(from?.left), right: new FaultRun(from?.right) };
    this.#inverted = new FaultRun(from?.inverted);
    this.#windows = new SampleWindows(WINDOW_SAMPLES, from?.samples ?? 0);
    if (from !== null) [this.#left, this.#right, this.#product] = from.sums;
  }

  save(): ChannelFaultsState {
    return {
      left: this.#silent.left.save(),
      right: this.#silent.right.save(),
      inverted: this.#inverted.save(),
      samples: this.#windows.samples,
      sums: [this.#left, this.#right, this.#product],
    };
  }

  add(chunk: Buffer): void {
    this.#windows.add(
      chunk,
      (samples) => this.#measure(samples),
      () => this.#endWindow(),
    );
  }

  facts(): (SilentChannelFact | PhaseInversionFact)[] {
    const { silentChannel, phaseInversion } = CHANNEL_FAULT_RULE;
    const silent = (['left', 'right'] as const).flatMap((channel) =>
      this.#silent[channel].found(silentChannel.leastMs).map((span) => ({ channel, ...span })),
    );
    return [
      ...silent.map(
        ({ channel, startMs, endMs }, index): SilentChannelFact => ({
          kind: 'silent_channel',
          index,
          startMs,
          endMs,
          channel,
        }),
      ),
      ...this.#inverted.found(phaseInversion.leastMs).map(
        ({ startMs, endMs, highest }, index): PhaseInversionFact => ({
          kind: 'phase_inversion',
          index,
          startMs,
          endMs,
          correlationMilli: Math.round(highest * 1000),
        }),
      ),
    ];
  }

  get #atMs(): number {
    return this.#range.startMs + this.#windows.samples / SAMPLES_PER_MS;
  }

  #measure(samples: Int16Array): void {
    let [lefts, rights, products] = [0, 0, 0];
    for (let at = 0; at < samples.length; at += SIGNALS.length) {
      const left = samples[at + LEFT] ?? 0;
      const right = samples[at + RIGHT] ?? 0;
      lefts += left * left;
      rights += right * right;
      products += left * right;
    }
    this.#left += lefts;
    this.#right += rights;
    this.#product += products;
  }

  #endWindow(): void {
    const span = { startMs: this.#atMs - CHANNEL_FAULT_RULE.windowMs, endMs: this.#atMs };
    const [left, right, product] = [this.#left, this.#right, this.#product];
    this.#left = this.#right = this.#product = 0;
    const isSilent = (own: number, other: number) => (own >= SILENT ? false : other > SOUNDING ? true : null);
    this.#silent.left.add(isSilent(left, right), span);
    this.#silent.right.add(isSilent(right, left), span);
    const bothSound = left > SOUNDING && right > SOUNDING;
    const correlation = bothSound ? product / Math.sqrt(left * right) : 0;
    const isInverted = correlation <= CHANNEL_FAULT_RULE.phaseInversion.mostCorrelated;
    this.#inverted.add(bothSound ? isInverted : null, span, correlation);
  }
}
