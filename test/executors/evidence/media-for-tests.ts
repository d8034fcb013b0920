import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs the real ffmpeg in a folder, to make a file that a test then probes. */
export async function ffmpeg(folder: string, ...args: readonly string[]): Promise<void> {
  await run('ffmpeg', ['-y', '-v', 'error', '-nostdin', ...args], { cwd: folder });
}

/** Runs any tool of the system in a folder and gives its stdout, whatever its exit code. */
export async function outputOf(folder: string, tool: string, ...args: readonly string[]): Promise<string> {
  try {
    return (await run(tool, args, { cwd: folder })).stdout;
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
  }
}
