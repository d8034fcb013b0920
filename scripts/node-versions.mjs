// @ts-check
// Runs the newer releases of Node beside the one that runs this: a start, one study, the contract of the listeners, and commands
// under an environment that names a proxy.
// Their binaries come from the npm registry, once, into a folder for caches. What cannot be fetched is skipped, and said.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The newest release of each line when this was written. */
const versions = ['22.23.3', '24.21.0'];

const tests = [
  'test/cli/serve.process.test.ts',
  'test/cli/commands.process.test.ts',
  'test/cli/environment-proxy.process.test.ts',
  'test/http/listener/exchanges.process.test.ts',
  'test/http/listener/bodies.process.test.ts',
  'test/http/listener/idle.process.test.ts',
];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const packageName = `node-${process.platform}-${process.arch}`;

/** @param {string} line */
const say = (line) => void process.stderr.write(`node-versions: ${line}\n`);

/**
 * The binary of a release, downloaded if it is missing; undefined if the registry does not have it.
 *
 * @param {string} version
 */
function binaryOf(version) {
  const folder = join(caches, 'local-media-study-service', `node-${version}`);
  const binary = join(folder, 'node_modules', packageName, 'bin', 'node');
  if (existsSync(binary)) return binary;
  say(`fetching ${packageName}@${version} into ${folder}`);
  const words = ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts'];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  spawnSync('npm', [...words, ...quiet, `${packageName}@${version}`], { stdio: ['ignore', 2, 2] });
  return existsSync(binary) ? binary : undefined;
}

/** @param {string} version */
function run(version) {
  const binary = binaryOf(version);
  if (binary === undefined) {
    say(`SKIPPED Node ${version}: the npm registry did not give ${packageName}@${version}; see above`);
    return true;
  }
  say(`Node ${version}: ${tests.join(' ')}`);
  const { status } = spawnSync(binary, [join('node_modules', 'ava', 'entrypoints', 'cli.mjs'), ...tests], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  say(`Node ${version}: ${status === 0 ? 'passed' : 'FAILED'}`);
  return status === 0;
}

const passed = versions.map(run);
if (passed.includes(false)) process.exitCode = 1;
