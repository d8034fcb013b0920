// @ts-check
// `npm run without -- NAME` shows that the program is whole without a feature. `all` does it for each feature in turn, and `core`
// once without any feature. It works in a copy, from which it removes the folder of the feature, its tests, and its line in each
// list. Then the copy
// - checks its types,
// - writes its own reference pages and description of the wire (`npm run docs`), because those of the checkout have all features,
// - drops the paths of the feature from the wire of the last release, with which a test compares,
// - runs `npm test` without the linter: all pure and all host tests, and the smoke of the built program, which studies the sample,
// - starts the built host. It must answer 404 at each path that only the feature has, and 200 at its health.
// It leaves out tests of real processes, the lab, and tests in `test/features/together`. Nothing of the checkout changes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
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
  for (const place of ['.', 'test'])
    linkPackages(join(root, place, 'node_modules'), join(target, place, 'node_modules'));
}

/**
 * Links each package. The folder is the copy's own, because tools keep caches in it, of the sources too.
 *
 * @param {string} packages
 * @param {string} target
 */
function linkPackages(packages, target) {
  if (!existsSync(packages)) return;
  mkdirSync(target);
  for (const entry of readdirSync(packages, { withFileTypes: true })) {
    if (entry.name === '.cache') continue;
    const place = join(packages, entry.name);
    // A workspace is a link to a folder beside it: in the copy, to the copy of that folder.
    symlinkSync(entry.isSymbolicLink() ? readlinkSync(place) : place, join(target, entry.name));
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

/** @param {string} file @returns {{ paths: Record<string, object> }} */
const readWire = (file) => JSON.parse(readFileSync(file, 'utf8'));

/**
 * The paths that only the feature has, by the descriptions of the checkout and of the copy.
 *
 * @param {string} copy
 */
function absentPaths(copy) {
  const { paths: left } = readWire(join(copy, 'docs/openapi.json'));
  return Object.entries(readWire(join(root, 'docs/openapi.json')).paths).filter(([path]) => !(path in left));
}

/**
 * Removes the paths of the feature from the wire of the last release: a test compares the rest.
 *
 * @param {string} copy
 */
function removeReleasedPaths(copy) {
  const file = join(copy, 'fixtures/released-wire/openapi.json');
  const released = readWire(file);
  for (const [path] of absentPaths(copy)) delete released.paths[path];
  writeFileSync(file, JSON.stringify(released));
}

/**
 * Runs a command in a copy; true if it ends with 0.
 *
 * @param {string} copy
 * @param {string} command
 * @param {...string} args
 */
function runs(copy, command, ...args) {
  report([command, ...args].join(' '));
  return spawnSync(command, args, { cwd: copy, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

/**
 * Starts the built host of a copy and reads its health, and the paths that are described only with the feature. Resolves with the
 * answers that are not as they have to be.
 *
 * @param {string} copy
 */
async function wrongAnswers(copy) {
  const absent = absentPaths(copy).flatMap(([path, methods]) => ('get' in methods ? [path] : []));
  const host = spawn(process.execPath, ['build/serve.js', '--port', '0', '--data-root', join(copy, 'data')], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(host, 'exit');
  try {
    const line = await new Promise((resolve, reject) => {
      createInterface({ input: host.stdout })
        .once('line', resolve)
        .once('close', () => reject(new Error('no line')));
    });
    const { listening, authorizationToken } = JSON.parse(line);
    const headers = { Authorization: `Bearer ${authorizationToken}` };
    const expected = [...absent.map((path) => ({ path, status: 404 })), { path: '/v1/health', status: 200 }];
    const answers = await Promise.all(
      expected.map(async ({ path, status }) => {
        const answer = await fetch(new URL(path.replaceAll(/\{\w+\}/g, 'none'), listening), { headers });
        const { error } = /** @type {{ error?: { code: string } }} */ (await answer.json());
        const code = error?.code ?? null;
        const isRight = answer.status === status && (status !== 404 || code === 'not_found');
        return isRight ? [] : [`${path} answers ${answer.status} ${code ?? ''}`];
      }),
    );
    report(`a host answers at its health, and 404 at ${absent.length} paths of the feature`);
    return answers.flat();
  } finally {
    host.kill('SIGTERM');
    await ended;
  }
}

/** The run without any feature. */
const core = 'core';

/**
 * Runs the checks of a program without a feature, or without any; true if all of them passed.
 *
 * @param {string} name
 */
async function passesWithout(name) {
  const copy = mkdtempSync(join(tmpdir(), `media-study-without-${name}-`));
  try {
    copyCheckout(copy);
    for (const feature of name === core ? featureNames : [name]) removeFeature(copy, feature);
    report(`${name}: in ${copy}`);
    if (!runs(copy, 'npm', 'run', '--silent', 'types') || !runs(copy, 'npm', 'run', '--silent', 'docs')) {
      report(`${name}: FAILED; its folder must be all that names it`);
      return false;
    }
    removeReleasedPaths(copy);
    if (!runs(copy, 'node', 'scripts/test.mjs')) {
      report(`${name}: FAILED; no test of the rest may need it`);
      return false;
    }
    const wrong = await wrongAnswers(copy);
    for (const line of wrong) report(`${name}: FAILED; ${line}`);
    if (wrong.length === 0) report(`${name}: passed`);
    return wrong.length === 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function main() {
  const [asked = '', ...rest] = process.argv.slice(2);
  const names = asked === 'all' ? featureNames : [asked, ...rest];
  const unknown = names.find((name) => name !== core && !featureNames.includes(name));
  if (unknown !== undefined) {
    report(
      `there is no feature ${unknown === '' ? 'named' : unknown}; name one of ${featureNames.join(', ')}, or core, or all`,
    );
    process.exitCode = 2;
    return;
  }
  process.exitCode = 0;
  for (const name of names) if (!(await passesWithout(name))) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
