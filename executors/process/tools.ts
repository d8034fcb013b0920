import { constants } from 'node:fs';
import { access, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type ToolIdentity, toolIdentity } from '../../contract/base/artifact.ts';
import { hashFile, openRegular } from '../../storage/objects/regular-file.ts';
import { type Launcher, MEMORY_BYTES, ProcessFailure, type ProcessLimits } from './process.ts';

/** The absolute folders of a PATH text; relative and empty entries would mean the working folder and are left out. */
export function absoluteFolders(pathText: string): string[] {
  return pathText.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** True if `file` is a regular file that this user may execute. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** The first executable called `name` in the folders of `pathText`, as an absolute path, or null. */
export async function findExecutable(name: string, pathText: string): Promise<string | null> {
  for (const folder of absoluteFolders(pathText)) {
    const file = path.join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return null;
}

/** A tool as an earlier start found it, with the state of every file that its version and digest come from. */
export const knownTool = z.strictObject({
  path: z.string(),
  files: z.array(z.strictObject({ path: z.string(), state: z.string() })),
  identity: toolIdentity,
});
export type KnownTool = z.infer<typeof knownTool>;

/** Zip archives end with this record, 22 bytes long where it holds no comment (APPNOTE 4.3.16). */
const zipEnd = Buffer.from('PK\x05\x06', 'latin1');
const zipEndBytes = 22;
const headBytes = 256;

// Python looks for packages in the folder of the script first. `find_spec` finds a package without running it.
const printPlaces = `
import importlib.util, json, os, sys
script, package = sys.argv[1:]
sys.path[0] = os.path.dirname(os.path.realpath(script))
first = importlib.util.find_spec(package).origin
print(json.dumps(sys.path + [first, os.path.join(os.path.dirname(first), 'version.py')]))
`;

/**
 * The files that a tool's version comes from; null if they are unknown, and the tool must be run each time. A native executable
 * and a zip archive hold their version themselves. A Python script takes it from `pythonPackage`: then the files are the script,
 * the package, and every folder in which Python looks for packages.
 */
async function versionFiles(
  launcher: Launcher,
  file: string,
  { pythonPackage, limits }: { readonly pythonPackage: string | undefined; readonly limits: ProcessLimits },
): Promise<readonly string[] | null> {
  try {
    const { head, isArchive } = await outline(file);
    if (!head.startsWith('#!') || isArchive) return [file];
    const [, python] = /^#! ?(\/\S*\/python[\d.]*)\n/.exec(head) ?? [];
    if (python === undefined || pythonPackage === undefined) return null;
    const { signal } = new AbortController();
    const args = ['-c', printPlaces, file, pythonPackage];
    const { stdout } = await launcher.run({ tool: python, args, limits, signal });
    return [file, python, ...z.array(z.string()).parse(JSON.parse(stdout.toString('utf8')))];
  } catch {
    return null;
  }
}

/** The state of each file: device, inode, size, mtime and ctime (ns), or that there is none. */
export const fileStatesOf = (files: readonly string[]): Promise<KnownTool['files']> =>
  Promise.all(files.map(async (file) => ({ path: file, state: await stateOf(file) })));

/** True if every file is in the state in which the tool was found. */
async function isUnchanged({ files }: KnownTool): Promise<boolean> {
  const states = await fileStatesOf(files.map((file) => file.path));
  return states.every(({ state }, index) => state === files[index]?.state);
}

/** Follows links: a link that leads elsewhere is another state. */
async function stateOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  if (found === null) return 'none';
  const { dev, ino, size, mtimeNs, ctimeNs } = found;
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

async function outline(file: string): Promise<{ head: string; isArchive: boolean }> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const head = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const end = await handle.read(Buffer.alloc(zipEndBytes), 0, zipEndBytes, Math.max(0, size - zipEndBytes));
    return {
      head: head.buffer.toString('latin1', 0, head.bytesRead),
      isArchive: end.buffer.subarray(0, zipEnd.length).equals(zipEnd),
    };
  } finally {
    await handle.close();
  }
}

/** An external tool that is ready: its path and its exact identity. */
export interface ResolvedTool {
  readonly path: string;
  readonly identity: ToolIdentity;
}

/** `missing` says in one sentence, without a path, why there is no such tool. */
type ToolResolution = { readonly tool: ResolvedTool } | { readonly missing: string };

export interface ToolQuestion {
  /** Names the executable by absolute path; when set, nothing else is looked for. */
  readonly environmentVariable: string;
  readonly versionArgs: readonly string[];
  /** Finds the version (1-160 characters) in what the tool printed, or null. */
  parseVersion(stdout: string): string | null;
  /** The package that holds the version of a tool that may come as a Python script. */
  readonly pythonPackage?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

// A tool that comes as a single file may unpack its libraries before it says a word.
const VERSION_LIMITS: ProcessLimits = {
  wallMs: 20_000,
  cpuSeconds: 20,
  fileSizeBytes: 128 * 1024 * 1024,
  stdoutBytes: 256 * 1024,
  stderrBytes: 256 * 1024,
  memoryBytes: MEMORY_BYTES.version,
};

const firstGroup = (pattern: RegExp) => (stdout: string) => pattern.exec(stdout)?.[1] ?? null;

export const FFMPEG: ToolQuestion = {
  environmentVariable: 'MEDIA_STUDY_FFMPEG',
  versionArgs: ['-version'],
  parseVersion: firstGroup(/^ffmpeg version (\S{1,160})/),
};

export const FFPROBE: ToolQuestion = {
  environmentVariable: 'MEDIA_STUDY_FFPROBE',
  versionArgs: ['-version'],
  parseVersion: firstGroup(/^ffprobe version (\S{1,160})/),
};

/** The findings of earlier starts, and the place for those of this one. */
export interface ToolMemory {
  known(path: string): KnownTool | undefined;
  note(tool: KnownTool): void;
}

/** A memory that makes every tool run. */
export const forgetful: ToolMemory = { known: () => undefined, note: () => undefined };

/**
 * Finds a tool by its environment variable or on PATH, asks its version and hashes its executable file. A tool that the
 * memory holds, and none of whose files changed since, is neither asked nor hashed.
 */
export async function resolveTool(
  launcher: Launcher,
  environment: Environment,
  name: string,
  question: ToolQuestion,
  memory: ToolMemory = forgetful,
): Promise<ToolResolution> {
  const { environmentVariable } = question;
  const named = environment[environmentVariable];
  const file = named === undefined ? await findExecutable(name, environment.PATH ?? '') : await namedFile(named);
  if (file === null) {
    return {
      missing: named === undefined ? `${name} is not on PATH` : `${environmentVariable} names no executable file`,
    };
  }
  const known = memory.known(file);
  if (known?.identity.name === name && (await isUnchanged(known))) {
    memory.note(known);
    return { tool: { path: file, identity: known.identity } };
  }
  return askedTool(launcher, file, name, question, memory);
}

async function askedTool(
  launcher: Launcher,
  file: string,
  name: string,
  { versionArgs, parseVersion, pythonPackage }: ToolQuestion,
  memory: ToolMemory,
): Promise<ToolResolution> {
  try {
    const limits = VERSION_LIMITS;
    const files = await versionFiles(launcher, file, { pythonPackage, limits });
    const before = files === null ? null : await fileStatesOf(files);
    const { signal } = new AbortController();
    const { stdout } = await launcher.run({ tool: file, args: versionArgs, limits, signal });
    const version = parseVersion(stdout.toString('utf8'));
    if (version === null) return { missing: `${name} states no version` };
    const identity = { name, version, digest: await fileDigestOf(file) };
    // A tool that changed during the run may have answered as neither the old nor the new.
    const known = before === null ? null : { path: file, files: before, identity };
    if (known !== null && (await isUnchanged(known))) memory.note(known);
    return { tool: { path: file, identity } };
  } catch (error) {
    if (error instanceof ProcessFailure) return { missing: `${name} does not answer (${error.message})` };
    throw error;
  }
}

/** The media tools of a host. */
export interface MediaTools {
  readonly ffmpeg: ResolvedTool;
  readonly ffprobe: ResolvedTool;
}

/** The media tools of this machine. Rejects with `tool_missing` without them. */
export async function resolveTools(
  launcher: Launcher,
  environment: Environment,
  memory?: ToolMemory,
): Promise<MediaTools> {
  const [ffmpeg, ffprobe] = await Promise.all([
    resolveTool(launcher, environment, 'ffmpeg', FFMPEG, memory),
    resolveTool(launcher, environment, 'ffprobe', FFPROBE, memory),
  ]);
  return { ffmpeg: required(ffmpeg), ffprobe: required(ffprobe) };
}

function required(resolution: ToolResolution): ResolvedTool {
  if ('tool' in resolution) return resolution.tool;
  throw new ProcessFailure('tool_missing', resolution.missing);
}

async function namedFile(file: string): Promise<string | null> {
  return path.isAbsolute(file) && (await isExecutable(file)) ? file : null;
}

/** The most bytes of an executable or a model. The largest models of speech that recognizers publish have less than 7 GB. */
export const largestToolBytes = 16 * 1024 ** 3;

/**
 * The SHA-256 of a file, through links. Anything but a regular file is refused without waiting, and a file of more than
 * `largestToolBytes` before it is read. Rejects with a reason in words, and with the error of the file system.
 */
export async function fileDigestOf(file: string): Promise<string> {
  const opened = await openRegular(await realpath(file), 'follow');
  if (opened === 'missing' || opened === 'irregular') throw new Error(`${file} is not a regular file`);
  try {
    if (opened.bytes > largestToolBytes) {
      throw new Error(`${file} has ${opened.bytes} bytes, and at most ${largestToolBytes} are read`);
    }
    return await hashFile(opened);
  } finally {
    opened.close();
  }
}

/**
 * Parses JSON that a tool printed. Its texts are names and labels: an escape of half a surrogate pair, which cannot be
 * stored, becomes U+FFFD. Throws `SyntaxError`.
 */
export const parseToolJson = (text: string): unknown =>
  JSON.parse(text, (_name, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value));
