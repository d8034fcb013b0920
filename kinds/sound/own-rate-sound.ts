import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { ClippingFact, DropoutFact } from '../../contract/evidence/evidence.ts';
import { AU_INT16, type AuForm, AuReader, unknownForm } from './au-sound.ts';
import { Clipping, clippingState } from './clipping.ts';
import { Dropouts, dropoutsState } from './dropouts.ts';

// A sound has left and right, or these and a center, or a center alone.
const MOST_CHANNELS = 3;

/** The measurements at the rate of the track, as they are kept between two windows of a pass. */
export const ownRateState = z.strictObject({
  clipping: clippingState,
  dropouts: dropoutsState,
  rate: z.number().nullable(),
  samples: z.number(),
});
type OwnRateState = z.infer<typeof ownRateState>;

/** Measures up to three channels of a sound at its own rate, which comes as an AU file in pieces of any size. */
export class OwnRateSound {
  readonly #range: Range;
  readonly #fromMs: number;
  readonly #clipping: Clipping;
  readonly #dropouts: Dropouts;
  readonly #reader = new AuReader(
    AU_INT16,
    (form) => this.#begin(form),
    (samples) => this.#measure(samples),
  );
  #rate: number | null;
  #samples: number;

  /** `fromMs`: where the sound begins that comes now, which is behind the start where what came before it was kept. */
  constructor(range: Range, from: OwnRateState | null = null, fromMs: number = range.startMs) {
    this.#range = range;
    this.#fromMs = fromMs;
    this.#clipping = new Clipping(range, from?.clipping);
    this.#dropouts = new Dropouts(range, from?.dropouts);
    this.#rate = from?.rate ?? null;
    this.#samples = from?.samples ?? 0;
  }

  save(): OwnRateState {
    return {
      clipping: this.#clipping.save(),
      dropouts: this.#dropouts.save(),
      rate: this.#rate,
      samples: this.#samples,
    };
  }

  /** Throws `DetectionFailure` on another form. */
  write(chunk: Buffer): void {
    this.#reader.write(chunk);
  }

  facts(): (ClippingFact | DropoutFact)[] {
    return [...this.#clipping.facts(), ...this.#dropouts.facts()];
  }

  #measure(samples: Int16Array): void {
    this.#clipping.add(samples);
    this.#dropouts.add(samples);
    this.#samples += samples.length / this.#clipping.channels;
  }

  /** Sound that follows what was kept goes on at its place: a gap before it, or another form, ends what is open. */
  #begin(form: AuForm): void {
    const { rate, channels } = form;
    if (channels > MOST_CHANNELS) throw unknownForm();
    const samples = Math.round(((this.#fromMs - this.#range.startMs) * rate) / 1000);
    const isContinued = rate === this.#rate && channels === this.#clipping.channels && samples === this.#samples;
    this.#clipping.begin(form, samples, isContinued);
    this.#dropouts.begin(form, samples, isContinued);
    this.#rate = rate;
    this.#samples = samples;
  }
}
