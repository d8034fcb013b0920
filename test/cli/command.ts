import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutDownloader } from '../without-downloader.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

// As an installed package has it: a link without the extension, so that printed commands begin with `media-study`.
const folder = mkdtempSync(join(tmpdir(), 'installed-'));
const program = join(folder, 'media-study');
symlinkSync(join(repository, 'build', 'media-study.js'), program);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

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
    const child = execFile(process.execPath, [program, ...args], { cwd: repository, env }, (error, stdout, stderr) =>
      resolve({ exit: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });

/** The same with printed commands as they are without `--data-root`: they carry the one of the call. */
export async function runOn(root: string, args: readonly string[]): Promise<Ended> {
  const { exit, stdout, stderr } = await runCommand([...args, '--data-root', root]);
  const plain = (text: string) => text.replaceAll(` --data-root ${root}`, '');
  return { exit, stdout: plain(stdout), stderr: plain(stderr) };
}
