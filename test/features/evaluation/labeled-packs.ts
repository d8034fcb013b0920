import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type EvaluationPack, evaluationPack, type PackItem } from '../../../contract/evaluation.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

/** The sample as a pack. */
export const samplePack: EvaluationPack = evaluationPack.parse(
  JSON.parse(await readFile(new URL('../../../fixtures/sample/pack.json', import.meta.url), 'utf8')),
);

function onlyItem({ items: [item] }: EvaluationPack): PackItem {
  if (item === undefined) throw new RangeError('the sample has one item');
  return item;
}

const whole = onlyItem(samplePack);

const none: PackItem['labels'] = { speech: null, cuts: null, subtitles: null, captions: null };

/** The first three seconds of the sample with a few labels. */
export const briefItem = (labels: Partial<PackItem['labels']>): PackItem => ({
  ...whole,
  itemId: 'brief',
  range: { startMs: 0, endMs: 3000 },
  labels: { ...none, ...labels },
});

export const packOfItems = (...items: readonly PackItem[]): EvaluationPack => ({ ...samplePack, items: [...items] });

export const writeManifest = (folder: string, manifest: unknown): Promise<void> =>
  writeFile(join(folder, 'pack.json'), JSON.stringify(manifest));

/** Writes a file of a pack. */
export async function writeMedia(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), bytes);
}

/** A folder of the test's own with a manifest and the media of the sample. */
export async function packFolder(t: ExecutionContext, manifest: unknown = samplePack): Promise<string> {
  const folder = await scratchFolder(t);
  await writeMedia(folder, whole.media.path, await readFile(sampleMedia));
  await writeManifest(folder, manifest);
  return folder;
}
