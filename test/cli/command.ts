import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

let link = '';

/** The built `media-study` as an installed package has it: a link without the extension, which printed commands begin with. */
function installed(): string {
  if (link !== '') return link;
  const folder = mkdtempSync(join(tmpdir(), 'installed-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  link = join(folder, 'media-study');
  symlinkSync(join(repository, 'build', 'media-study.js'), link);
  return link;
}

/** Runs the built `media-study`. */
export const runCommand = (args: readonly string[], environment?: Environment): Promise<Ended> =>
  runBuilt(installed(), args, environment);

/** The same on a data root; printed commands appear in the outputs without the `--data-root` of the call. */
export async function runOn(root: string, args: readonly string[]): Promise<Ended> {
  const { exit, stdout, stderr } = await runCommand([...args, '--data-root', root]);
  const plain = (text: string) => text.replaceAll(` --data-root ${root}`, '');
  return { exit, stdout: plain(stdout), stderr: plain(stderr) };
}

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

/** True if a process of this id is there, ended or not. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
