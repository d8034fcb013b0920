import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sampleGold } from '../fixtures/sample/gold.ts';
import { contentIdOfBytes } from '../receipts/canonical-json.ts';
import { goldOf } from './sample/gold.ts';
import { encodeMedia } from './sample/media.ts';
import { buildSound } from './sample/sound.ts';

const target = process.argv[2];
if (target === undefined) throw new Error('usage: node --import tsx scripts/build-sample.ts OUTDIR');

const work = await mkdtemp(path.join(tmpdir(), 'build-sample-'));
try {
  const mediaPath = 'source/media/sample.mp4';
  await mkdir(path.join(target, 'source/media'), { recursive: true });
  const sound = await buildSound(work);
  await encodeMedia(sound, work, path.join(target, mediaPath));
  const bytes = await readFile(path.join(target, mediaPath));
  const gold = goldOf({ path: mediaPath, contentId: contentIdOfBytes(bytes), bytes: bytes.length }, sound.spoken);
  await writeFile(path.join(target, 'gold.json'), `${JSON.stringify(sampleGold.parse(gold), null, 2)}\n`);
} finally {
  await rm(work, { recursive: true, force: true });
}
