import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withoutDownloader } from '../without-downloader.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** How a command ended, and what it printed. */
export interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Runs a built program as a shell would, with no terminal; `environment` is added to that of the test. */
export const runBuilt = (script: string, args: readonly string[], environment: Environment = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: repository, env: { ...process.env, ...withoutDownloader, ...environment } };
    const child = execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) =>
      resolve({ exit: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });

/** Runs the built `media-study`. */
export const runCommand = (args: readonly string[], environment?: Environment): Promise<Ended> =>
  runBuilt('build/media-study.js', args, environment);

/** Starts a built program whose outputs are read while it runs. */
export const startBuilt = (
  script: string,
  args: readonly string[],
  environment: Environment = {},
): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [script, ...args], {
    cwd: repository,
    env: { ...process.env, ...withoutDownloader, ...environment },
  });
