import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { speechModelFile } from '../executors/detector/detector-models.ts';
import { byBlocks } from './speech-model/by-blocks.ts';
import { publishedWeights } from './speech-model/published-weights.ts';

// Arranges the published speech weights for blocks, once: the detector loads the result. Put the printed digest into
// SPEECH_MODEL_SHA256. The weights, and with them the identity of the tool, stay as they are.

const model = byBlocks(await publishedWeights());
await writeFile(speechModelFile, model);
process.stdout.write(`${createHash('sha256').update(model).digest('hex')}\n`);
