import { chmod, copyFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Environment } from '../../executors/process/tools.ts';
import { fileDigestOf, findExecutable, isExecutable } from '../../executors/process/tools.ts';
import { absolutePath } from '../../options/flags.ts';
import { type Catalogue, type CatalogueEngine, catalogueOf, licenseText, type PublishedFile } from './catalogue.ts';
import { EngineRefusal } from './engine-refusal.ts';
import { badName, engineFolder, engineName, type Installation } from './installation.ts';
import { copyPublished, fetchPublished, unpackArchive } from './published-files.ts';

/** What a person asked to add. */
export interface AddRequest {
  /** A name of the catalogue, or the path of a model file. */
  readonly name: string;
  /** A file, or a folder with files under their published names; null for a download. */
  readonly from: string | null;
  /** An executable of this machine in the place of the published one. */
  readonly program: string | null;
  /** A server with the same files in the place of their origins. */
  readonly origin: string | null;
}

/** Where the program of an engine comes from. */
type ProgramSource =
  | { readonly kind: 'here'; readonly path: string }
  | { readonly kind: 'copy'; readonly path: string }
  | { readonly kind: 'archive'; readonly archive: PublishedFile; readonly from: string | null };

/** What an installation takes, before anything is fetched or written. */
export interface AddPlan {
  readonly name: string;
  /** Null for a model of the user, which stays where it is. */
  readonly published: CatalogueEngine | null;
  /** The file of the model; null if it is fetched. */
  readonly model: string | null;
  readonly program: ProgramSource;
  /** The files that are fetched, with their addresses. */
  readonly fetched: readonly { readonly url: string; readonly file: PublishedFile }[];
}

/** Called with a file that is fetched, and its bytes that are here. */
type FetchProgress = (file: PublishedFile, bytes: number) => void;

export type InstalledFiles = Pick<Installation, 'program' | 'archive' | 'model'>;

const kindAt = async (path: string): Promise<'file' | 'folder' | null> => {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? 'file' : found?.isDirectory() ? 'folder' : null;
};

const addressOf = ({ origin, file }: PublishedFile, mirror: string | null): string =>
  `${(mirror ?? origin).replace(/\/$/, '')}/${file}`;

/** The platform, as the catalogue names it. */
const platform = `${process.platform}-${process.arch}`;

async function programSource(
  { program, from }: Pick<AddRequest, 'program' | 'from'>,
  { programs }: Catalogue,
  environment: Environment,
): Promise<ProgramSource> {
  if (program !== null) {
    const path = absolutePath(program);
    if (await isExecutable(path)) return { kind: 'here', path };
    throw new EngineRefusal('program_missing', `--program ${path} is no executable file`);
  }
  const archive = Object.hasOwn(programs, platform) ? programs[platform] : undefined;
  if (from === null && archive !== undefined) return { kind: 'archive', archive, from: null };
  if (from !== null && (await kindAt(from)) === 'folder') {
    if (archive !== undefined && (await kindAt(join(from, archive.file))) === 'file')
      return { kind: 'archive', archive, from: join(from, archive.file) };
    const beside = join(from, 'whisper-cli');
    if ((await kindAt(beside)) === 'file' && (await isExecutable(beside))) return { kind: 'copy', path: beside };
  }
  const onPath = await findExecutable('whisper-cli', environment.PATH ?? '');
  if (onPath !== null) return { kind: 'here', path: onPath };
  const beside = archive === undefined ? 'whisper-cli' : `${archive.file} or whisper-cli`;
  const isFolder = from !== null && (await kindAt(from)) === 'folder';
  const elsewhere = !isFolder ? '' : `, and no ${beside} in the folder of --from`;
  throw new EngineRefusal('program_missing', `there is no whisper-cli on PATH${elsewhere}`);
}

/** A plan for an engine. Reads only. Rejects with `EngineRefusal` for an unknown name, and for a file or program that is not there. */
export async function planOf(request: AddRequest, environment: Environment): Promise<AddPlan> {
  const { name, from: given, origin } = request;
  const from = given === null ? null : absolutePath(given);
  if (from !== null && (await kindAt(from)) === null)
    throw new EngineRefusal('file_missing', `--from ${from} is no file and no folder`);
  const catalogue = await catalogueOf(environment);
  const published = catalogue.engines.find((each) => each.name === name) ?? null;
  if (published === null) {
    const path = absolutePath(name);
    if (extname(name) === '' && !name.includes('/')) {
      throw new EngineRefusal(
        'unknown_engine',
        `${name} is not in the catalogue (${catalogue.engines.map((each) => each.name).join(', ')}); a model of yours is named by its file, such as ./my-model.bin`,
      );
    }
    if ((await kindAt(path)) !== 'file') throw new EngineRefusal('file_missing', `${path} is no file`);
    const named = basename(path, extname(path));
    if (!engineName.test(named))
      throw new EngineRefusal('unknown_engine', badName(named), undefined, 'rename the file');
    if (catalogue.engines.some((each) => each.name === named))
      throw new EngineRefusal('name_taken', `${named} is a name of the catalogue; rename the file`);
    // A model of the user alone is no reason to reach a network.
    const program = await programSource({ program: request.program, from: from ?? path }, catalogue, environment);
    return { name: named, published: null, model: path, program, fetched: [] };
  }
  const { weights } = published;
  const program = await programSource({ program: request.program, from }, catalogue, environment);
  const fetched = [
    ...(program.kind === 'archive' && program.from === null ? [program.archive] : []),
    ...(from === null ? [weights] : []),
  ].map((file) => ({ file, url: addressOf(file, origin) }));
  if (from === null) return { name, published, model: null, program, fetched };
  const model = (await kindAt(from)) === 'folder' ? join(from, weights.file) : from;
  if ((await kindAt(model)) !== 'file') throw new EngineRefusal('file_missing', `${model} is no file`);
  return { name, published, model, program, fetched };
}

const fileRecord = async (path: string, origin: string, license: string | null): Promise<Installation['model']> => ({
  path,
  origin,
  license,
  bytes: (await stat(path)).size,
  sha256: (await fileDigestOf(path)).replace(/^sha256:/, ''),
});

/** The executable of an unpacked archive. */
async function executableIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.find((entry) => entry.name === 'whisper-cli' && entry.isFile());
  if (found === undefined) throw new EngineRefusal('archive_refused', 'the archive has no whisper-cli');
  const path = join(found.parentPath, found.name);
  await chmod(path, 0o700);
  return path;
}

/**
 * Brings the files of a plan into the folder of the engine, and checks each that is published. Rejects with `EngineRefusal`. What was
 * fetched whole or in part stays for the next attempt.
 */
export async function broughtFiles(
  engines: string,
  { name, published, model, program, fetched }: AddPlan,
  { origin, progress, signal }: { origin: string | null; progress: FetchProgress; signal: AbortSignal },
): Promise<InstalledFiles> {
  const folder = await engineFolder(engines, name);
  const urlOf = (file: PublishedFile) => fetched.find((each) => each.file === file)?.url ?? file.file;
  const bring = (file: PublishedFile, from: string | null): Promise<string> =>
    from !== null
      ? copyPublished(folder, file, from)
      : fetchPublished(folder, file, {
          ...(origin !== null && { origin }),
          signal,
          progress: (bytes) => progress(file, bytes),
        });
  let executable: string;
  let archive: Installation['archive'] = null;
  let programOrigin: string;
  if (program.kind === 'archive') {
    const file = await bring(program.archive, program.from);
    const unpacked = join(folder, 'program');
    await unpackArchive(file, unpacked);
    executable = await executableIn(unpacked);
    programOrigin = program.from ?? urlOf(program.archive);
    archive = await fileRecord(file, programOrigin, program.archive.license);
    await writeFile(join(unpacked, 'LICENSE.txt'), licenseText(program.archive), { mode: 0o600 });
  } else if (program.kind === 'copy') {
    executable = join(folder, 'whisper-cli');
    programOrigin = program.path;
    await copyFile(program.path, executable);
    await chmod(executable, 0o700);
  } else {
    executable = program.path;
    programOrigin = program.path;
  }
  const license = archive?.license ?? null;
  const packed = program.kind === 'archive' ? join(folder, program.archive.file) : null;
  if (published === null) {
    const path = model ?? '';
    if (packed !== null) await rm(packed);
    return {
      program: await fileRecord(executable, programOrigin, license),
      archive,
      model: await fileRecord(path, path, null),
    };
  }
  const weights = await bring(published.weights, model);
  await writeFile(join(folder, 'LICENSE.txt'), licenseText(published.weights), { mode: 0o600 });
  // Kept until here: after a stop in the weights, the next call fetches only what is missing.
  if (packed !== null) await rm(packed);
  return {
    program: await fileRecord(executable, programOrigin, license),
    archive,
    model: await fileRecord(weights, model ?? urlOf(published.weights), published.weights.license),
  };
}
