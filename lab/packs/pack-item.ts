import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PackItem } from '../../contract/evaluation.ts';

type Labels = PackItem['labels'];

const unlabeled: Labels = { speech: null, cuts: null, subtitles: null, captions: null };

/** The item of a whole file below the folder of a pack. */
export async function itemOf(
  folder: string,
  file: string,
  durationMs: number,
  labels: Partial<Labels>,
): Promise<PackItem> {
  const bytes = await readFile(file);
  const contentId = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return {
    itemId: path.basename(file, path.extname(file)),
    media: { path: path.relative(folder, file), contentId, bytes: bytes.length },
    range: { startMs: 0, endMs: durationMs },
    labels: { ...unlabeled, ...labels },
  };
}
