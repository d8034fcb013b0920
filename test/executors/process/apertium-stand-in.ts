import { chmod, copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Environment } from '../../../executors/process/tools.ts';
import { fake, temporaryFolder } from './launcher-for-tests.ts';

/** An installation of a small double in the place of Apertium, with the pairs `es-pt` and `es-pt_BR`. */
export async function standInApertium(t: ExecutionContext, options = '') {
  const root = await temporaryFolder(t);
  const [bin, data, modes] = ['bin', 'share/apertium/apertium-es-pt', 'share/apertium/modes'].map((each) =>
    path.join(root, each),
  ) as [string, string, string];
  for (const folder of [bin, data, modes]) await mkdir(folder, { recursive: true });
  await symlink(process.execPath, path.join(bin, 'node'));
  for (const name of ['lt-proc', 'apertium']) {
    await copyFile(fake('lt-proc-stand-in'), path.join(bin, name));
    await chmod(path.join(bin, name), 0o755);
  }
  const analysis = path.join(data, 'es-pt.automorf.bin');
  const generation = path.join(data, 'es-pt.autogen.bin');
  await writeFile(analysis, 'analysis');
  await writeFile(generation, 'generation');
  for (const mode of ['es-pt', 'es-pt_BR']) {
    await writeFile(
      path.join(modes, `${mode}.mode`),
      `lt-proc ${options} '${analysis}' | lt-proc $1 $2 "${generation}"\n`,
    );
  }
  const environment: Environment = { PATH: `${bin}:/usr/bin:/bin` };
  return { root, bin, modes, generation, environment };
}

/** The ids of the processes whose command line names a file below this folder. */
export async function processesOf(folder: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const line = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
      // The shell has the whole pipe in its line, and the sandbox before it has the shell.
      return line.includes(folder) && !line.includes('mkfifo') ? [Number(id)] : [];
    }),
  );
  return found.flat();
}
