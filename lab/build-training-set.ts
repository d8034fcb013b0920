import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadSpeechModel } from '../executors/detector/silero-vad.ts';
import { Backgrounds } from './boundary-model/backgrounds.ts';
import { Chance } from './boundary-model/chance.ts';
import { rowsOf } from './boundary-model/features.ts';
import { drawnClip } from './boundary-model/mixture.ts';
import { syntheticVoices } from './boundary-model/synthetic-voices.ts';
import { spokenVoices, trainingVoices } from './boundary-model/voices.ts';

// Builds a set of clips to train the boundary model on (lab/docs/speech-model.md). Packages are downloaded below WORK, once.

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'without-tuning': { type: 'boolean', default: false } },
});
const [work, count, seed] = [positionals[0], Number(positionals[1]), Number(positionals[2])];
if (work === undefined || !Number.isInteger(count) || !Number.isInteger(seed))
  throw new Error('usage: node --import tsx lab/build-training-set.ts WORK COUNT SEED [--without-tuning]');

await mkdir(work, { recursive: true });
const chance = new Chance(seed);
const recorded = await spokenVoices(work, trainingVoices(!values['without-tuning']));
const voices = [...recorded, ...(await syntheticVoices(work))];
const backgrounds = await Backgrounds.open(work, chance);
const model = await loadSpeechModel();
const target = path.join(work, `set-${seed}.f32`);
const file = await open(`${target}.part`, 'w');
for (let at = 0; at < count; at += 1) {
  const rows = await rowsOf(model, drawnClip(chance, { voices, backgrounds }));
  await file.appendFile(Buffer.from(rows.buffer));
  if (at % 50 === 0) console.log(`${at} clips`);
}
await file.close();
await rename(`${target}.part`, target);
console.log(`${count} clips in ${target}`);
