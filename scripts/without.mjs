// @ts-check
// `npm run without -- NAME` builds the program without a feature, and runs the quick tests of the rest. `all` does it for each
// feature in turn. Nothing of the checkout changes: it works in a copy, which it removes at its end.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The lists of features: of the program, and of its page. */
const lists = ['features/features.ts', 'features/page.ts', 'features/page.css'];

/** The names of all features: those of their folders. */
export const featureNames = readdirSync(join(root, 'features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/**
 * A list without a feature: neither its import nor what that names.
 *
 * @param {string} text the source of the list
 * @param {string} name the folder of the feature
 */
export function listWithout(text, name) {
  const styles = new RegExp(`^@import "\\./${name}/[^"]+";\\n`, 'gm');
  if (styles.test(text)) return text.replaceAll(styles, '');
  const imported = new RegExp(`^import \\{ (\\w+) \\} from '\\./${name}/[^']+';\\n`, 'm');
  const named = imported.exec(text)?.[1];
  if (named === undefined) return text;
  return text.replace(imported, '').replace(new RegExp(`(?<=[[,(]\\s*)${named}(?:,\\s*|(?=[\\])\\s]))`), '');
}

/**
 * Copies the files of the checkout, those that git does not know yet included.
 *
 * @param {string} target
 */
function copyCheckout(target) {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    cpSync(join(root, file), join(target, file), { verbatimSymlinks: true });
  }
  for (const place of ['.', 'test']) {
    const packages = join(root, place, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(target, place, 'node_modules'));
  }
}

/**
 * Removes a feature from a copy: its folder, its tests, and its line in each list.
 *
 * @param {string} copy
 * @param {string} name
 */
function removeFeature(copy, name) {
  rmSync(join(copy, 'features', name), { recursive: true });
  // Tests of several features at once stand in `together`.
  for (const tests of [name, 'together']) rmSync(join(copy, 'test/features', tests), { recursive: true, force: true });
  for (const list of lists.map((file) => join(copy, file)).filter((file) => existsSync(file))) {
    writeFileSync(list, listWithout(readFileSync(list, 'utf8'), name));
  }
}

/** @param {string} line */
const report = (line) => void process.stderr.write(`without: ${line}\n`);

/**
 * Runs the checks of a program without a feature; true if all of them passed.
 *
 * @param {string} name
 */
function passesWithout(name) {
  const copy = mkdtempSync(join(tmpdir(), `media-study-without-${name}-`));
  try {
    copyCheckout(copy);
    removeFeature(copy, name);
    for (const [command, ...args] of [
      ['npm', 'run', '--silent', 'types'],
      ['node', 'scripts/test.mjs'],
    ]) {
      report(`${name}: ${[command, ...args].join(' ')}`);
      const { status } = spawnSync(String(command), args, { cwd: copy, stdio: ['ignore', 'inherit', 'inherit'] });
      if (status !== 0) {
        report(`${name}: FAILED; its folder must be all that names it`);
        return false;
      }
    }
    report(`${name}: passed`);
    return true;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function main() {
  const [asked = '', ...rest] = process.argv.slice(2);
  const names = asked === 'all' ? featureNames : [asked, ...rest];
  const unknown = names.find((name) => !featureNames.includes(name));
  if (unknown !== undefined) {
    report(`there is no feature ${unknown === '' ? 'named' : unknown}; name one of ${featureNames.join(', ')}, or all`);
    process.exitCode = 2;
    return;
  }
  process.exitCode = names.map(passesWithout).includes(false) ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
