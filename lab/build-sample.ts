import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { evaluationPack } from '../contract/evaluation.ts';
import { sampleGold } from '../fixtures/sample/gold.ts';
import { contentRefOf } from '../receipts/sources/sealed-record.ts';
import { goldOf } from './sample/gold.ts';
import { encodeMedia } from './sample/media.ts';
import { packOf } from './sample/pack.ts';
import { sealSample } from './sample/seal.ts';
import { buildSound } from './sample/sound.ts';

const target = process.argv[2];
if (target === undefined) throw new Error('usage: node --import tsx lab/build-sample.ts OUTDIR');

const work = await mkdtemp(path.join(tmpdir(), 'build-sample-'));
try {
  const mediaPath = 'media/sample.mp4';
  const folder = path.join(target, 'source');
  await mkdir(path.join(folder, 'media'), { recursive: true });
  const sound = await buildSound(work);
  await encodeMedia(sound, work, path.join(folder, mediaPath));
  const media = contentRefOf(await readFile(path.join(folder, mediaPath)));
  const gold = sampleGold.parse(goldOf({ path: `source/${mediaPath}`, ...media }, sound.spoken));
  await writeFile(path.join(target, 'gold.json'), `${JSON.stringify(gold, null, 2)}\n`);
  await writeFile(path.join(target, 'pack.json'), `${JSON.stringify(evaluationPack.parse(packOf(gold)), null, 2)}\n`);
  await sealSample(folder, mediaPath, gold, work);
} finally {
  await rm(work, { recursive: true, force: true });
}
