import { bandLevels } from '../../executors/detector/boundary-model.ts';
import { NoiseSuppressor } from '../../executors/detector/noise-suppressor.ts';
import type { SpeechModel } from '../../executors/detector/silero-vad.ts';
import { BLOCK_SAMPLES, FRAME_SAMPLES, louder, modelGain } from '../../kinds/sound/sound-signals.ts';
import { BAND_RULE, STEP_SAMPLES } from '../../kinds/sound/speech-rule.ts';
import { rate } from '../utterances/samples.ts';
import type { Clip } from './mixture.ts';
import type { SpeechSpan } from './speech.ts';

const { bands } = BAND_RULE;
const fullScale = 32_767;
const stepMs = (STEP_SAMPLES / rate) * 1000;

/** Of one step: the levels of its bands, the estimate of the speech model, and the share of the step that is speech. */
const COLUMNS = bands + 2;

/** A row of `COLUMNS` for each step of a clip, computed as the detector computes them (`executors/detector/sound-stream.ts`). */
export async function rowsOf(model: SpeechModel, { samples, spans }: Clip): Promise<Float32Array> {
  const steps = Math.ceil(samples.length / STEP_SAMPLES);
  const rows = new Float32Array(steps * COLUMNS);
  let step = 0;
  for await (const { levels, estimate } of blocksOf(model, in16Bits(samples))) {
    for (let at = 0; at < estimate.length && step < steps; at += 1, step += 1) {
      const row = rows.subarray(step * COLUMNS, (step + 1) * COLUMNS);
      row.set(levels.subarray(at * bands, (at + 1) * bands));
      row[bands] = estimate[at] ?? 0;
      row[bands + 1] = speechShare(spans, step * stepMs);
    }
  }
  return rows;
}

/** Levels and probabilities of the speech model, block after block; the last one ends with silence. */
async function* blocksOf(model: SpeechModel, samples: Float32Array) {
  const suppressor = new NoiseSuppressor();
  const signal = model.follow();
  const before: Float32Array[] = [];
  for (let from = 0; from < samples.length; from += BLOCK_SAMPLES) {
    const block = new Float32Array(BLOCK_SAMPLES);
    block.set(samples.subarray(from, from + BLOCK_SAMPLES));
    const suppressed = suppressor.next(block);
    const given = louder(suppressed.samples, modelGain(block, ...before));
    const estimate = new Float32Array(suppressed.spectra.length);
    const [probabilities] = await model.next([{ signal, block: given }]);
    for (const [frame, probability] of probabilities?.entries() ?? [])
      estimate.fill(probability, (frame * FRAME_SAMPLES) / STEP_SAMPLES, ((frame + 1) * FRAME_SAMPLES) / STEP_SAMPLES);
    yield { levels: bandLevels(suppressed.spectra), estimate };
    before[0] = block;
  }
}

/** As a file holds it: in steps of 16 bits, cut off at full scale. */
const in16Bits = (samples: Float32Array): Float32Array =>
  samples.map(
    (sample) => Math.max(-fullScale - 1, Math.min(fullScale, Math.round(sample * fullScale))) / (fullScale + 1),
  );

/** How much of the step around a moment is speech; the spectrum of a step is the one of the 32 ms around that moment. */
function speechShare(spans: readonly SpeechSpan[], ms: number): number {
  const shares = spans.map(
    ({ startMs, endMs }) => (Math.min(ms + stepMs / 2, endMs) - Math.max(ms - stepMs / 2, startMs)) / stepMs,
  );
  return Math.max(0, ...shares);
}
