// @ts-check
// Brings a fresh checkout to the point where it can start: packages, media tools. Uses nothing but Node itself, because
// it runs before anything is installed. Everything it says goes to stderr; stdout belongs to the host.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pruneForeignBinaries, stampOf } from './setup/packages.mjs';
import { advice, findExecutable, stateOf, tools } from './setup/tools.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
/** @type {readonly NodeJS.Signals[]} */
const endings = ['SIGINT', 'SIGTERM'];

/** @param {string} line */
const say = (line) => void process.stderr.write(`setup: ${line}\n`);

/**
 * @param {string} line
 * @returns {never}
 */
function stop(line) {
  say(line);
  process.exit(1);
}

/**
 * Runs a command with both outputs on stderr; true when it ended with 0. Who ends the set-up ends the command, too: two
 * installations at once would spoil each other.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} environment
 */
async function run(command, args, environment) {
  say(`${command} ${args.join(' ')}`);
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, ...environment },
    shell: process.platform === 'win32',
  });
  const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  for (const signal of endings) process.on(signal, pass);
  const [status, signal] = await once(child, 'exit').catch((error) => [say(error.message), null]);
  for (const ending of endings) process.off(ending, pass);
  if (endings.includes(signal)) stop(`ended by ${signal}`);
  return status === 0;
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    stop(`Node 20.19 or newer is needed, this is ${process.version}; install Node 24`);
}

// A browser is large, and only tests need one and a few others; packages that lint and test are the workspace `test`.
const isForTests = process.argv.includes('--tests');
const wanted = tools.filter(({ forTests }) => forTests !== true || isForTests);

async function installPackages() {
  const stampFile = join(modules, '.setup-stamp');
  const stamp = stampOf(join(root, 'package-lock.json'));
  const whole = `${stamp} with tests`;
  const installed = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  if (installed === whole || (installed === stamp && !isForTests)) return;
  say('npm packages are missing or have another version; npm installs them, which takes up to a minute');
  // The postinstall of onnxruntime-node fetches GPU libraries from a host of its own; the CPU ones are in the package.
  const skip = { ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const part = isForTests ? [] : ['--workspaces=false'];
  const words = ['ci', ...part, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!(await run('npm', words, skip))) stop('npm ci failed; see above');
  pruneForeignBinaries(modules);
  writeFileSync(stampFile, isForTests ? whole : stamp);
}

/** @param {boolean} required */
const absentPackages = (required) => [
  ...new Set(
    wanted
      .filter((tool) => tool.required === required && stateOf(tool, process.env) === 'absent')
      .flatMap(({ packages }) => packages),
  ),
];

/** Debian's package manager, if this user may use it. */
const aptGet = () => (process.getuid?.() === 0 ? findExecutable('apt-get', process.env) : undefined);

/**
 * @param {string} apt
 * @param {readonly string[]} packages
 */
async function aptInstall(apt, packages) {
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  await run(apt, [...options, 'update'], quiet);
  await run(apt, [...options, 'install', '-y', '--no-install-recommends', ...packages], quiet);
}

async function installTools() {
  // Optional packages are installed separately and tried only once, so that their failure does not affect the rest.
  const tried = join(modules, isForTests ? '.setup-test-tools' : '.setup-optional-tools');
  const required = absentPackages(true);
  const optional = existsSync(tried) ? [] : absentPackages(false);
  const apt = required.length + optional.length > 0 ? aptGet() : undefined;
  if (apt !== undefined && required.length > 0) await aptInstall(apt, required);
  if (apt !== undefined && optional.length > 0) {
    await aptInstall(apt, optional);
    writeFileSync(tried, '');
  }
  for (const tool of wanted) reportTool(tool);
  if (tools.some((tool) => tool.required && stateOf(tool, process.env) !== 'present')) {
    stop('the host cannot start without ffmpeg and ffprobe');
  }
}

/** @param {import('./setup/tools.mjs').Tool} tool */
function reportTool(tool) {
  const state = stateOf(tool, process.env);
  if (state === 'misnamed') say(`${tool.variable} does not name an executable file by its absolute path`);
  if (state === 'absent') say(`${tool.name} is missing: ${advice(tool)}`);
  if (state === 'present' || tool.required) return;
  say(tool.forTests ? `tests that need ${tool.name} are skipped` : `the host starts without ${tool.name}`);
}

requireNode();
await installPackages();
await installTools();
