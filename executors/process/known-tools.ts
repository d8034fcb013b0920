import { open, stat } from 'node:fs/promises';
import { z } from 'zod';
import { toolIdentity } from '../../contract/base/tool.ts';
import type { Launcher, ProcessLimits } from './process.ts';

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
 * The files that a tool's version comes from, or null where that is not known, and the tool must be asked each time. A
 * native executable and a zip archive hold their version themselves. A Python script takes it from `pythonPackage`: then
 * the files are the script, the package, and every folder in which Python looks for packages.
 */
export async function versionFiles(
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
export const statesOf = (files: readonly string[]): Promise<KnownTool['files']> =>
  Promise.all(files.map(async (file) => ({ path: file, state: await stateOf(file) })));

/** Whether every file is in the state in which the tool was found. */
export async function isUnchanged({ files }: KnownTool): Promise<boolean> {
  const states = await statesOf(files.map((file) => file.path));
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
