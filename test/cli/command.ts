import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withoutDownloader } from '../without-downloader.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** How a command ended, and what it printed. */
export interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `media-study` as a shell would, with no terminal; `environment` is added to that of the test. */
export const runCommand = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, ...withoutDownloader, ...environment };
    const child = execFile(
      process.execPath,
      ['build/media-study.js', ...args],
      { cwd: repository, env },
      (error, stdout, stderr) => resolve({ exit: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
