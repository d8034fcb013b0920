import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import { type WaveformFact, waveformFact } from '../contract/evidence/evidence-object.ts';
import { wholeStretch } from './found.ts';
import { type MeteredKind, statedNumber } from './kind.ts';
import type { KeepObject, Meter, MeteredPart } from './meter.ts';
import { packedBytes } from './pictures/small-picture.ts';
import {
  BYTES_PER_SAMPLE,
  CHANNELS,
  SAMPLE_RATE,
  SAMPLES_PER_MS,
  SampleWindows,
  SIGNALS,
} from './sound/sound-signals.ts';

/** The content of a window: the lowest and the highest sample of all channels, zero among them. */
const RULE = { windowMs: 20, sampleRate: SAMPLE_RATE, format: 'audiowaveform 1, 16 bits' } as const;

const WINDOW_SAMPLES = RULE.windowMs * SAMPLES_PER_MS;
const HEADER_BYTES = 20;
const WINDOW_BYTES = 2 * BYTES_PER_SAMPLE;

/** A waveform as it is kept between two windows of a pass: its whole drawing windows, and what lies behind them. */
const waveformState = z.strictObject({
  drawn: packedBytes,
  samples: z.number(),
  lowest: z.number(),
  highest: z.number(),
});
type WaveformState = z.infer<typeof waveformState>;

/**
 * Measures a waveform for drawing from all signals of a sound (s16le at 16 kHz, interleaved) as its bytes arrive; holds four
 * bytes for each window.
 *
 * The object has the format of BBC audiowaveform, version 1, which peaks.js and others read. It begins with five little-endian
 * integers of 32 bits: version 1, flags 0 for 16 bits, sample rate, samples a window, windows. Two of 16 bits follow for each
 * window, the lowest sample and the highest.
 */
class WaveformMeter implements Meter<WaveformFact, WaveformState> {
  readonly #range: Range;
  readonly #keep: KeepObject;
  readonly #bytes: Buffer;
  readonly #windows: SampleWindows;
  #lowest = 0;
  #highest = 0;
  #fact: WaveformFact | null = null;

  constructor({ range, keep }: Pick<MeteredPart, 'range' | 'keep'>, from: WaveformState | null) {
    this.#range = range;
    this.#keep = keep;
    const windows = Math.ceil((range.endMs - range.startMs) / RULE.windowMs);
    this.#bytes = Buffer.alloc(HEADER_BYTES + windows * WINDOW_BYTES);
    this.#windows = new SampleWindows(WINDOW_SAMPLES, from?.samples ?? 0);
    if (from === null) return;
    this.#bytes.set(from.drawn, HEADER_BYTES);
    this.#lowest = from.lowest;
    this.#highest = from.highest;
  }

  save(): WaveformState {
    const whole = Math.floor(this.#windows.samples / WINDOW_SAMPLES);
    const drawn = this.#bytes.subarray(HEADER_BYTES, HEADER_BYTES + whole * WINDOW_BYTES);
    return { drawn, samples: this.#windows.samples, lowest: this.#lowest, highest: this.#highest };
  }

  /** Takes no more samples than the range has. */
  signals(chunk: Buffer): void {
    this.#windows.add(
      chunk,
      (samples) => this.#measure(samples),
      () => this.#close(),
    );
  }

  /** Keeps the object; there is none if no sample came. A last window may be shorter. */
  async end(): Promise<void> {
    if (this.#windows.samples === 0) return;
    if (this.#windows.samples % WINDOW_SAMPLES !== 0) this.#close();
    const windows = Math.ceil(this.#windows.samples / WINDOW_SAMPLES);
    const header = [1, 0, SAMPLE_RATE, WINDOW_SAMPLES, windows];
    for (const [place, value] of header.entries()) this.#bytes.writeUInt32LE(value, place * 4);
    const bytes = this.#bytes.subarray(0, HEADER_BYTES + windows * WINDOW_BYTES);
    const contentId = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    await this.#keep({ contentId, bytes });
    const { startMs } = this.#range;
    const endMs = Math.min(this.#range.endMs, startMs + Math.ceil(this.#windows.samples / SAMPLES_PER_MS));
    const { windowMs } = RULE;
    this.#fact = { kind: 'waveform', startMs, endMs, windowMs, windows, contentId, bytes: bytes.length };
  }

  facts(): WaveformFact[] {
    return this.#fact === null ? [] : [this.#fact];
  }

  #measure(samples: Int16Array): void {
    let [lowest, highest] = [this.#lowest, this.#highest];
    for (const channel of CHANNELS) {
      for (let at: number = channel; at < samples.length; at += SIGNALS.length) {
        const sample = samples[at] ?? 0;
        if (sample < lowest) lowest = sample;
        else if (sample > highest) highest = sample;
      }
    }
    this.#lowest = lowest;
    this.#highest = highest;
  }

  #close(): void {
    const window = Math.ceil(this.#windows.samples / WINDOW_SAMPLES) - 1;
    this.#bytes.writeInt16LE(this.#lowest, HEADER_BYTES + window * WINDOW_BYTES);
    this.#bytes.writeInt16LE(this.#highest, HEADER_BYTES + window * WINDOW_BYTES + BYTES_PER_SAMPLE);
    this.#lowest = 0;
    this.#highest = 0;
  }
}

/** The sound of a range for drawing. */
export const waveform: MeteredKind<'waveform', WaveformFact, WaveformState> = {
  name: 'waveform',
  title: 'waveform',
  track: 'audio',
  facts: {
    waveform: {
      schema: waveformFact,
      words: ['waveform, the lowest and highest sample of every ', { value: 'windowMs' }, ' ms'],
      tone: 'seen',
    },
  },
  order: 'whole',
  lane: { place: 10, about: 'pictures_and_sound', backdrop: 'sound' },
  summary: null,
  terminal: { words: () => 'Waveform: available' },
  row: { usual: false, name: () => 'waveform' },
  found: (facts) =>
    wholeStretch(
      facts,
      facts.map(({ windowMs }) => `lowest and highest sample of every ${windowMs} ms`),
      'none',
    ),
  contradiction: (evidence) => {
    const ofRule = statedNumber(evidence, 'windowMs');
    for (const [at, { startMs, endMs, windowMs, windows, bytes }] of evidence.facts.entries()) {
      if (ofRule !== null && windowMs !== ofRule) return `facts[${at}].windowMs`;
      if (windows !== Math.ceil((endMs - startMs) / windowMs)) return `facts[${at}].windows`;
      if (bytes !== HEADER_BYTES + windows * WINDOW_BYTES) return `facts[${at}].bytes`;
    }
    return null;
  },
  parameters: { ...RULE, channels: 'all of left, right and centre' },
  state: waveformState,
  meter: (part, from) => new WaveformMeter(part, from),
};
