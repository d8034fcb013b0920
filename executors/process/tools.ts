import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ToolIdentity } from '../../contract/base/tool.ts';
import { findExecutable, isExecutable } from './executable-search.ts';
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
};

/** Finds a tool by its environment variable or on PATH, asks its version and hashes its executable file. */
export async function resolveTool(
  launcher: Launcher,
  environment: Environment,
  name: string,
  question: ToolQuestion,
): Promise<ToolResolution> {
  const { environmentVariable, versionArgs, parseVersion } = question;
  const named = environment[environmentVariable];
  const file = named === undefined ? await findExecutable(name, environment.PATH ?? '') : await namedFile(named);
  if (file === null) {
    return {
      missing: named === undefined ? `${name} is not on PATH` : `${environmentVariable} names no executable file`,
    };
  }
  try {
    const { signal } = new AbortController();
    const { stdout } = await launcher.run({ tool: file, args: versionArgs, limits: VERSION_LIMITS, signal });
    const version = parseVersion(stdout.toString('utf8'));
    if (version === null) return { missing: `${name} states no version` };
    return { tool: { path: file, identity: { name, version, digest: await digestOf(file) } } };
  } catch (error) {
    if (error instanceof ProcessFailure) return { missing: `${name} does not answer (${error.message})` };
    throw error;
  }
}

/** The three tools of the host. Rejects with `tool_missing` without ffmpeg and ffprobe; yt-dlp may be absent. */
export async function resolveTools(
  launcher: Launcher,
  environment: Environment,
): Promise<{ readonly ffmpeg: ResolvedTool; readonly ffprobe: ResolvedTool; readonly ytdlp: ResolvedTool | null }> {
  const [ffmpeg, ffprobe, ytdlp] = await Promise.all([
    resolveTool(launcher, environment, 'ffmpeg', FFMPEG),
    resolveTool(launcher, environment, 'ffprobe', FFPROBE),
    resolveTool(launcher, environment, 'yt-dlp', YTDLP),
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

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(await realpath(file)), hash);
  return `sha256:${hash.digest('hex')}`;
}
