import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { access, chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Files beside ffmpeg while it works: text, bytes, a file of the tree, or the output of another recipe. */
export type MediaInput = string | Uint8Array | { readonly copyOf: string } | MediaRecipe;

/** One file that ffmpeg makes: its arguments without the output, in which the inputs go by their names. */
export interface MediaRecipe {
  readonly words: readonly string[];
  readonly extension: string;
  readonly inputs?: Readonly<Record<string, MediaInput>>;
}

/** Several files that one run of ffmpeg makes: its arguments name each of them. */
export type FolderRecipe = Omit<MediaRecipe, 'extension'>;

/**
 * The path of the file that a recipe makes. It is made once for all runs of tests, is read-only, and may not be changed: a
 * test that damages media takes a copy (`placeMedia`). A file that is there already costs no process.
 */
export const madeMedia = async ({ words, extension, inputs }: MediaRecipe): Promise<string> =>
  join(await madeFolder({ words: [...words, `media.${extension}`], ...(inputs && { inputs }) }), `media.${extension}`);

/** The path of the read-only folder with the files that a recipe makes. */
export function madeFolder(recipe: FolderRecipe): Promise<string> {
  const identity = identityOfFfmpeg(process.env.PATH ?? '');
  const key = JSON.stringify([identity, recipe], textOfBytes);
  const known = made.get(key) ?? make(identity, recipe);
  made.set(key, known);
  return known;
}

/** Copies media into a folder, under the names that a test gives them; the copies may be changed. */
export async function placeMedia(folder: string, media: Readonly<Record<string, MediaRecipe>>): Promise<void> {
  await Promise.all(
    Object.entries(media).map(async ([name, recipe]) => {
      await copyFile(await madeMedia(recipe), join(folder, name), constants.COPYFILE_FICLONE);
      await chmod(join(folder, name), 0o644);
    }),
  );
}

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'local-media-study-service', 'test-media');

/** Files that this process has found or made already, by recipe. */
const made = new Map<string, Promise<string>>();

/** Bytes as their digest, and a file of the tree without its path: two working trees share what they make. */
const withoutPaths = (key: string, value: unknown) => (key === 'copyOf' ? '' : textOfBytes(key, value));

const textOfBytes = (_key: string, value: unknown) =>
  value instanceof Uint8Array ? createHash('sha256').update(value).digest('hex') : value;

async function make(ffmpeg: ReturnType<typeof identityOfFfmpeg>, recipe: FolderRecipe): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify([ffmpeg, recipe], withoutPaths));
  for (const bytes of await Promise.all(filesOf(recipe).map((file) => readFile(file)))) digest.update(bytes);
  const folder = join(cache, digest.digest('hex').slice(0, 32));
  if (await isThere(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'making-'));
  try {
    const inputs = Object.entries(recipe.inputs ?? {});
    for (const [name, input] of inputs) await place(join(work, name), input);
    await run(ffmpeg.path, ['-y', '-v', 'error', '-nostdin', ...recipe.words], { cwd: work });
    for (const [name] of inputs) await rm(join(work, name));
    for (const name of await readdir(work)) await chmod(join(work, name), 0o444);
    await renamed(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

/** The files of the tree from which a recipe makes media, also through others. */
const filesOf = ({ inputs = {} }: FolderRecipe): readonly string[] =>
  Object.values(inputs).flatMap((input) => {
    if (typeof input === 'string' || input instanceof Uint8Array) return [];
    return 'copyOf' in input ? [input.copyOf] : filesOf(input);
  });

async function place(path: string, input: MediaInput): Promise<void> {
  if (typeof input === 'string' || input instanceof Uint8Array) await writeFile(path, input);
  else await copyFile('copyOf' in input ? input.copyOf : await madeMedia(input), path, constants.COPYFILE_FICLONE);
}

/** Another process may have made the same in the meantime; then its folder stays. */
async function renamed(work: string, folder: string): Promise<void> {
  try {
    await rename(work, folder);
  } catch (error) {
    if (!(await isThere(folder))) throw error;
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** An update of ffmpeg changes its file; to ask for its version would cost a process. */
function identityOfFfmpeg(searchPath: string) {
  for (const folder of searchPath.split(delimiter)) {
    const path = join(folder, 'ffmpeg');
    try {
      accessSync(path, constants.X_OK);
      const { size, mtimeMs } = statSync(path);
      return { path, size, mtimeMs };
    } catch {
      // The next folder may have it.
    }
  }
  throw new Error('tests that make media need ffmpeg on PATH');
}
