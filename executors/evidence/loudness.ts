import type { Range } from '../../contract/base/grammar.ts';
import type { LoudnessFact } from '../../contract/evidence/evidence.ts';
import type { TruePeakFact } from '../../contract/evidence/sound-fault.ts';
import { ChangingSound, DetectionFailure } from '../detector/detection-failure.ts';
import { LOUDNESS_RULE, TRUE_PEAK_RULE } from './detection-parameters.ts';
import { type FrameMetadata, numberIn } from './frame-metadata.ts';

// The filter works at 48 kHz, on frames of a tenth of a second.
export const TICKS_PER_MS = 48;
const FRAME_MS = 100;

/** What a pass says of loudness in the end, whatever it was measured by. */
export interface LoudnessMeter {
  add(frame: FrameMetadata): void;
  /** The highest true peak, where it is too high. */
  overPeak(range: Range): TruePeakFact[];
  /** Null stands for what could not be measured: nothing above the absolute gate, or less than a block was measured. */
  fact(range: Range): LoudnessFact;
}

/** The fact on a true peak (of full scale) that was measured at a time; none where it is not too high. */
export function truePeakFacts({ value, atMs }: { value: number; atMs: number }, { endMs }: Range): TruePeakFact[] {
  const truePeakCentiDbtp = centi(20 * Math.log10(value));
  if (!(truePeakCentiDbtp > TRUE_PEAK_RULE.mostDbtp * 100)) return [];
  return [{ kind: 'true_peak', index: 0, startMs: atMs, endMs: Math.min(endMs, atMs + FRAME_MS), truePeakCentiDbtp }];
}

/**
 * Keeps the last word of ffmpeg's `ebur128`, whose values hold for everything measured so far. ffmpeg begins anew when the
 * sound changes its sample rate or channels on the way, and everything that it measured before is lost: that is refused.
 */
export class Loudness implements LoudnessMeter {
  #last: FrameMetadata | null = null;
  #peak = { value: 0, atTick: 0 };

  add(frame: FrameMetadata): void {
    if (this.#last !== null && frame.number <= this.#last.number) {
      throw new ChangingSound();
    }
    this.#last = frame;
    const value = numberIn(frame, 'lavfi.r128.true_peak') ?? 0;
    if (value > this.#peak.value) this.#peak = { value, atTick: frame.pts };
  }

  overPeak({ startMs, endMs }: Range): TruePeakFact[] {
    const atMs = startMs + Math.floor(this.#peak.atTick / TICKS_PER_MS);
    return truePeakFacts({ value: this.#peak.value, atMs }, { startMs, endMs });
  }

  fact({ startMs, endMs }: Range): LoudnessFact {
    const last = this.#last;
    const at = { kind: 'loudness', startMs, endMs } as const;
    if (last === null) return { ...at, integratedCentiLufs: null, rangeCentiLu: null, truePeakCentiDbtp: null };
    const value = (key: string): number => {
      const number = numberIn(last, `lavfi.r128.${key}`);
      if (number === null) throw new DetectionFailure(`ffmpeg measured no ${key}`);
      return number;
    };
    // Without one block of three seconds the bounds of the range stand at zero, where no programme can lie.
    const ranged = value('LRA.low') < 0 || value('LRA.high') < 0;
    const peak = value('true_peak');
    if (peak < 0) throw new DetectionFailure('ffmpeg measured a negative peak');
    return {
      ...at,
      integratedCentiLufs: value('I') <= LOUDNESS_RULE.absoluteGateLufs ? null : centi(value('I')),
      rangeCentiLu: ranged ? centi(value('LRA')) : null,
      truePeakCentiDbtp: peak === 0 ? null : centi(20 * Math.log10(peak)),
    };
  }
}

// The sum turns a negative zero into the one zero of canonical JSON.
export const centi = (value: number): number => Math.round(value * 100) + 0;
