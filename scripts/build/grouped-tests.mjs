// @ts-check
// Test files that can share a process. A process of its own takes a third of a second to load AVA and what a file imports,
// which is more than most of these tests take.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What other files of the same process would notice, or what stands for work that wants a processor of its own. */
const shared =
  /^(node:(child_process|cluster|dgram|http|https|net|worker_threads)|execa|esbuild|playwright-core|uWebSockets\.js)$/;
/** Hooks would be those of all files, and tests that are declared after an `await` would come too late. */
const ofOneFile =
  /^test\.(before|after)|\btest\.(before|after)(Each)?(\.always)?\(|^process\.|^(export )?(const|let) [^\n]*= [^\n>]*\bawait\b(?![^\n]*=>)|^await\b/m;
/** Tests of one group begin together; more files would wait for one processor. */
const atMost = 16;

/**
 * Divides the test files that can share a process into groups, by their floor; any other file is in none. Writes for each
 * group the test file that imports its files.
 *
 * @param {{ root: string, folder: string, files: readonly string[] }} tests with paths from the root
 * @returns {Promise<{ name: string, files: string[] }[]>}
 */
export async function groupTests({ root, folder, files }) {
  const fitting = await sharing(root, files);
  const floors = [...new Set(fitting.map(floorOf))];
  const groups = floors.flatMap((floor) => {
    const ofFloor = fitting.filter((file) => floorOf(file) === floor);
    const count = Math.ceil(ofFloor.length / atMost);
    return Array.from({ length: count }, (_, at) => ({
      name: count === 1 ? floor : `${floor}-${at + 1}`,
      files: ofFloor.filter((_, index) => index % count === at),
    }));
  });
  mkdirSync(folder, { recursive: true });
  for (const group of groups) {
    const lines = group.files.map((file) => `import ${JSON.stringify(join(root, file))};`);
    writeFileSync(join(folder, `${group.name}.test.ts`), `${lines.join('\n')}\n`);
  }
  writeFileSync(join(folder, 'groups.json'), JSON.stringify(groups));
  return groups;
}

/** @param {string} file */
const floorOf = (file) => file.split('/')[1] ?? '';

/**
 * @param {string} root
 * @param {readonly string[]} files
 */
async function sharing(root, files) {
  const { build: bundle } = await import('esbuild');
  const { metafile } = await bundle({
    ...{ absWorkingDir: root, entryPoints: [...files], outdir: root, bundle: true, splitting: true, format: 'esm' },
    ...{ platform: 'node', packages: 'external', write: false, metafile: true, logLevel: 'warning' },
  });
  /** @type {(file: string, seen?: Set<string>) => Set<string>} */
  const loadedBy = (file, seen = new Set()) => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const { path, external } of metafile.inputs[file]?.imports ?? []) {
      if (external) seen.add(path);
      else loadedBy(path, seen);
    }
    return seen;
  };
  /** @type {Map<string, boolean>} */
  const known = new Map();
  /** @param {string} path */
  const isAlone = (path) => {
    const alone = known.get(path) ?? (shared.test(path) || (/\.(mjs|tsx?)$/.test(path) && ofOneFile.test(text(path))));
    known.set(path, alone);
    return alone;
  };
  /** @param {string} path */
  const text = (path) => (path in metafile.inputs ? readFileSync(join(root, path), 'utf8') : '');
  return files.filter((file) => ![...loadedBy(file)].some(isAlone));
}
