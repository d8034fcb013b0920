import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StudyHost } from '../../client/study-host.ts';
import type { ExportName } from '../../contract/exports/export-name.ts';
import { WrongCall } from './call.ts';
import { saidOfCaptions } from './nothing-yet.ts';

/** What is written: a file for another program with its options, or the whole study with or without its media. */
export type AskedExport =
  | { readonly name: ExportName; readonly options: { readonly side?: string; readonly rate?: string } }
  | { readonly name: 'bundle'; readonly media: boolean };

/** A file that was written. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  readonly contentId: string;
}

/** The bytes of an export as they come. Throws what a client of the host throws. */
export async function exportedBytes(
  host: StudyHost,
  runtimeId: string,
  asked: AskedExport,
  signal: AbortSignal,
): Promise<Readable> {
  if (asked.name === 'bundle') return Readable.fromWeb(await host.bundle(runtimeId, { media: asked.media, signal }));
  const exported = host.export(runtimeId, asked.name, asked.options);
  const text = await (asked.name.startsWith('captions.') ? exported.catch(saidOfCaptions(host, runtimeId)) : exported);
  return Readable.from([Buffer.from(text, 'utf8')]);
}

/** The file that a path stands for, behind links. Throws `WrongCall` where something else is there, which a file would replace. */
async function targetOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) return path;
  if (found.isDirectory()) throw new WrongCall(`${path} is a folder: name a file in it`);
  if (!found.isFile())
    throw new WrongCall(`${path} is no regular file: name another, or leave --output out for stdout`);
  return realpath(path);
}

/**
 * Writes an export piece by piece. A file that did not become whole is removed, and one that was there before stays. Throws
 * `WrongCall` for a path that can be no file.
 */
export async function writeExport(
  host: StudyHost,
  runtimeId: string,
  asked: AskedExport,
  path: string,
  signal: AbortSignal,
): Promise<WrittenFile> {
  const target = await targetOf(path);
  // No other command, and no file of the person, has this name.
  const part = `${target}.${randomUUID()}.part`;
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _, pass) => {
      hash.update(chunk);
      bytes += chunk.length;
      pass(null, chunk);
    },
  });
  const body = await exportedBytes(host, runtimeId, asked, signal);
  try {
    await pipeline(body, counted, createWriteStream(part, { flush: true }), { signal });
    await rename(part, target);
  } catch (error) {
    // The person has named the file, and never heard of its part.
    if (error instanceof Error && 'path' in error && error.path === part) error.path = path;
    throw error;
  } finally {
    await rm(part, { force: true });
  }
  return { path, bytes, contentId: `sha256:${hash.digest('hex')}` };
}
