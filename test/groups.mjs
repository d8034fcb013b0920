// @ts-check
// Groups of pure test files, one for each folder of `test/`: `npm test` runs a group in one process. To start a process costs
// more than most of these files do.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tierOf } from './tiers.mjs';

const here = import.meta.dirname;

/** The folders of `test/`, and of each the files that make a group. */
function groups() {
  const floors = readdirSync(here).filter((name) => !/\.|^lab$/.test(name));
  return floors
    .map((floor) => ({
      floor,
      files: readdirSync(join(here, floor), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.test.ts') && tierOf(name) === 'pure')
        .map((name) => join('test', floor, name))
        .filter(declaresAtOnce),
    }))
    .filter(({ files }) => files.length > 0);
}

/**
 * True if a file declares its tests without an `await` before. AVA starts soon after the first declared test and then takes no
 * more, so other files run alone.
 *
 * @param {string} file
 */
const declaresAtOnce = (file) =>
  !readFileSync(join(here, '..', file), 'utf8')
    .split('\n')
    .some((line) => /^\S.*\bawait\b/.test(line) && !/\basync\b/.test(line));

/** The test files that run in a group. */
export const groupedTests = () => groups().flatMap(({ files }) => files);

/**
 * Writes a test file for each group into a folder of the built tests: the guard of the tier, then the bundles of the group.
 *
 * @param {string} folder
 */
export function writeGroups(folder) {
  mkdirSync(folder);
  const guard = "import { keepToTier } from '../../test/tiers.mjs';\nkeepToTier('A file of this group');\n";
  writeFileSync(join(folder, 'guard.js'), guard);
  for (const { floor, files } of groups()) {
    const imports = ['./guard.js', ...files.map((file) => `../${file.replace(/ts$/, 'js')}`)];
    writeFileSync(join(folder, `${floor}.test.js`), imports.map((file) => `import '${file}';\n`).join(''));
  }
}
