// @ts-check
// Makes the files of a release from the commit that is checked out, into `release/`: the package, a bill of materials and digests.
// The package is made twice, in two new checkouts, and must be the same bytes: who doubts a published package can make it again.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const archive = `${name}-${version}.tgz`;
const materials = `${name}-${version}.cdx.json`;

/** @param {string} line */
const say = (line) => void process.stderr.write(`release: ${line}\n`);

/**
 * @param {string} cwd
 * @param {string} command
 * @param {readonly string[]} args
 */
const outputOf = (cwd, command, args) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 });

/** @param {string | Buffer} content */
const digestOf = (content) => createHash('sha256').update(content).digest('hex');

/** The reasons that this commit cannot be released for, in sentences. */
function reasonsAgainst() {
  const changed = outputOf(root, 'git', ['status', '--porcelain']);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  /** @param {string} file */
  const describedIn = (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).info.version;
  const described = describedIn('docs/openapi.json');
  const keptWire = describedIn('fixtures/released-wire/openapi.json');
  const stores = `fixtures/golden-store/releases/${version}`;
  return [
    ...(changed === '' ? [] : ['files differ from the commit; commit them or take them back']),
    ...(changelog.includes(`\n## [${version}]`) ? [] : [`CHANGELOG.md has no section [${version}]; name it so`]),
    ...(described === version ? [] : [`docs/openapi.json describes ${described}; run npm run docs`]),
    ...(keptWire === version
      ? []
      : [`the kept wire is that of ${keptWire}; run node --import tsx scripts/release-wire.ts`]),
    ...(existsSync(join(root, stores))
      ? []
      : [`${stores} is missing; run node --import tsx lab/cut-stores.ts ${stores}`]),
  ];
}

/**
 * Packs a new checkout of the commit; returns the path of the package.
 *
 * @param {string} folder
 */
function packed(folder) {
  outputOf(root, 'git', ['clone', '--quiet', root, folder]);
  outputOf(folder, 'npm', ['ci', '--ignore-scripts']);
  for (const script of ['build', 'build-types']) outputOf(folder, process.execPath, [`scripts/${script}.mjs`]);
  outputOf(folder, 'npm', ['pack', '--ignore-scripts']);
  return join(folder, archive);
}

function release() {
  const reasons = reasonsAgainst();
  for (const reason of reasons) say(reason);
  if (reasons.length > 0) return 1;
  const scratch = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    const [first, second] = ['first', 'second'].map((each) => {
      say(`packing ${version} in the ${each} of two new checkouts`);
      return readFileSync(packed(join(scratch, each)));
    });
    if (first === undefined || second === undefined || !first.equals(second)) {
      say('two packages of one commit differ; compare their files, and find what the build takes from the machine');
      return 1;
    }
    const target = join(root, 'release');
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target);
    copyFileSync(join(scratch, 'first', archive), join(target, archive));
    // Without the workspace of the tests: everything that is installed with the package or bundled into it, and what bundles it.
    const bill = outputOf(join(scratch, 'first'), 'npm', ['sbom', '--sbom-format', 'cyclonedx', '--workspaces=false']);
    writeFileSync(join(target, materials), bill);
    const digests = [archive, materials].map((file) => `${digestOf(readFileSync(join(target, file)))}  ${file}\n`);
    writeFileSync(join(target, 'SHA256SUMS'), digests.join(''));
    process.stdout.write(digests.join(''));
    say(`release/ has the package, its bill of materials and their digests; go on with docs/guides/releasing.md`);
    return 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

process.exitCode = release();
