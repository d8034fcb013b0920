import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs the real ffmpeg in a folder, to make a file that a test then probes. */
export async function ffmpeg(folder: string, ...args: readonly string[]): Promise<void> {
  await run('ffmpeg', ['-y', '-v', 'error', '-nostdin', ...args], { cwd: folder });
}

/** Makes many files of one, each by the words before its name, in one run: to start ffmpeg takes longer than most of them. */
export const convert = (
  folder: string,
  from: string,
  files: readonly (readonly [name: string, words: readonly string[], ...rest: readonly unknown[]])[],
): Promise<void> => ffmpeg(folder, '-i', from, ...files.flatMap(([name, words]) => [...words, name]));

/** Runs any tool of the system in a folder and gives its stdout, whatever its exit code. */
export async function outputOf(folder: string, tool: string, ...args: readonly string[]): Promise<string> {
  try {
    return (await run(tool, args, { cwd: folder })).stdout;
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
  }
}

/** Makes `base.mp4` in a folder: four seconds of H.264 320x180 at 25 frames a second, and mono AAC. */
export async function makeBase(folder: string): Promise<string> {
  const picture = ['-f', 'lavfi', '-i', 'testsrc=s=320x180:r=25:d=4'];
  const sound = ['-f', 'lavfi', '-i', 'sine=440:d=4'];
  await ffmpeg(folder, ...picture, ...sound, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', 'base.mp4');
  return path.join(folder, 'base.mp4');
}
