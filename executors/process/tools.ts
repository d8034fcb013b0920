import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ToolIdentity } from '../../contract/base/tool.ts';
import { findExecutable, isExecutable } from './executable-search.ts';
import { isUnchanged, type KnownTool, statesOf, versionFiles } from './known-tools.ts';
import { MEMORY_BYTES } from './memory-limits.ts';
import { type Launcher, ProcessFailure, type ProcessLimits } from './process.ts';

/** An external tool that stands ready: where it is and exactly which one it is. */
export interface ResolvedTool {
  readonly path: string;
  readonly identity: ToolIdentity;
}

/** `missing` says in one sentence, without a path, why there is no such tool. */
export type ToolResolution = { readonly tool: ResolvedTool } | { readonly missing: string };

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

export const YTDLP: ToolQuestion = {
  environmentVariable: 'MEDIA_STUDY_YTDLP',
  versionArgs: ['--ignore-config', '--version'],
  parseVersion: firstGroup(/^(\d{4}\.\d{2}\.\d{2}\S{0,100})\s*$/),
  pythonPackage: 'yt_dlp',
};

/** What earlier starts found, and where this one notes what it found. */
export interface ToolMemory {
  known(path: string): KnownTool | undefined;
  note(tool: KnownTool): void;
}

/** Every tool is asked. */
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
    const before = files === null ? null : await statesOf(files);
    const { signal } = new AbortController();
    const { stdout } = await launcher.run({ tool: file, args: versionArgs, limits, signal });
    const version = parseVersion(stdout.toString('utf8'));
    if (version === null) return { missing: `${name} states no version` };
    const identity = { name, version, digest: await digestOf(file) };
    // What changed while it was asked may have answered as neither the old nor the new.
    const known = before === null ? null : { path: file, files: before, identity };
    if (known !== null && (await isUnchanged(known))) memory.note(known);
    return { tool: { path: file, identity } };
  } catch (error) {
    if (error instanceof ProcessFailure) return { missing: `${name} does not answer (${error.message})` };
    throw error;
  }
}

/** The three tools of the host. Rejects with `tool_missing` without ffmpeg and ffprobe; yt-dlp may be absent. */
export async function resolveTools(
  launcher: Launcher,
  environment: Environment,
  memory?: ToolMemory,
): Promise<{ readonly ffmpeg: ResolvedTool; readonly ffprobe: ResolvedTool; readonly ytdlp: ResolvedTool | null }> {
  const [ffmpeg, ffprobe, ytdlp] = await Promise.all([
    resolveTool(launcher, environment, 'ffmpeg', FFMPEG, memory),
    resolveTool(launcher, environment, 'ffprobe', FFPROBE, memory),
    resolveTool(launcher, environment, 'yt-dlp', YTDLP, memory),
  ]);
  return { ffmpeg: required(ffmpeg), ffprobe: required(ffprobe), ytdlp: 'tool' in ytdlp ? ytdlp.tool : null };
}

function required(resolution: ToolResolution): ResolvedTool {
  if ('tool' in resolution) return resolution.tool;
  throw new ProcessFailure('tool_missing', resolution.missing);
}

async function namedFile(file: string): Promise<string | null> {
  return path.isAbsolute(file) && (await isExecutable(file)) ? file : null;
}

/** The SHA-256 of a file, through links. */
export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(await realpath(file)), hash);
  return `sha256:${hash.digest('hex')}`;
}
