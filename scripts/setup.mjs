// Brings a fresh checkout to the point where it can start: packages, media tools. Uses nothing but Node itself, because
// it runs before anything is installed. Everything it says goes to stderr; stdout belongs to the host.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const say = (line) => process.stderr.write(`setup: ${line}\n`);

function stop(line) {
  say(line);
  process.exit(1);
}

/** Runs a command with both outputs on stderr; true when it ended with 0. */
function run(command, args, environment = {}) {
  say(`${command} ${args.join(' ')}`);
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, ...environment },
    shell: process.platform === 'win32',
  });
  return status === 0;
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) stop(`Node 20.19 or newer is needed, this is ${process.version}`);
}

/** What the installed packages depend on: the lock file, and the Node that native addons were chosen for. */
function wantedStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const platform = `${process.platform} ${process.arch} ${process.versions.modules}`;
  return createHash('sha256').update(lock).update(platform).digest('hex');
}

function installPackages() {
  const stampFile = join(modules, '.setup-stamp');
  const wanted = wantedStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  // The postinstall of onnxruntime-node fetches GPU libraries from a host of its own; the CPU ones are in the package.
  const skip = { ONNXRUNTIME_NODE_INSTALL: 'skip' };
  if (!run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], skip)) {
    stop('npm ci failed; see above');
  }
  pruneForeignBinaries();
  writeFileSync(stampFile, wanted);
}

/** Removes what only other platforms can load: most of the installed size. */
function pruneForeignBinaries() {
  const onnx = join(modules, 'onnxruntime-node', 'bin', 'napi-v6');
  for (const platform of list(onnx)) {
    if (platform !== process.platform) remove(join(onnx, platform));
    else for (const arch of list(join(onnx, platform))) if (arch !== process.arch) remove(join(onnx, platform, arch));
  }
  const sockets = join(modules, 'uWebSockets.js');
  const own = `_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  for (const folder of [sockets, join(sockets, 'binaries'), join(sockets, 'dist')]) {
    for (const file of list(folder)) if (file.endsWith('.node') && !file.endsWith(own)) remove(join(folder, file));
  }
}

const list = (folder) => (existsSync(folder) ? readdirSync(folder) : []);
const remove = (path) => rmSync(path, { recursive: true, force: true });

function isRunnable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A tool is there when its variable names an executable, or when PATH holds it. */
function hasTool({ name, variable }) {
  const named = process.env[variable];
  if (named !== undefined && named !== '') return isRunnable(named);
  const names = process.platform === 'win32' ? [`${name}.exe`, name] : [name];
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => names.some((file) => isRunnable(join(folder, file))));
}

const tools = [
  { name: 'ffmpeg', variable: 'MEDIA_STUDY_FFMPEG', debian: 'ffmpeg', required: true },
  { name: 'ffprobe', variable: 'MEDIA_STUDY_FFPROBE', debian: 'ffmpeg', required: true },
  { name: 'yt-dlp', variable: 'MEDIA_STUDY_YTDLP', debian: 'yt-dlp', required: false },
];

function installTools() {
  const missing = () => tools.filter((tool) => !hasTool(tool));
  if (missing().length === 0) return;
  if (isRunnable('/usr/bin/apt-get') && process.getuid?.() === 0) {
    const packages = [...new Set(missing().map((tool) => tool.debian))];
    const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
    const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
    run('apt-get', [...options, 'update'], quiet);
    run('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...packages], quiet);
  }
  const still = missing();
  for (const tool of still) say(`${tool.name} is missing; ${advice(tool)}`);
  if (still.some((tool) => tool.required)) stop('ffmpeg and ffprobe are needed');
  if (still.length > 0) say('video-host ingest stays switched off without yt-dlp; everything else works');
}

function advice({ variable, debian }) {
  const command =
    process.platform === 'darwin'
      ? `brew install ${debian}`
      : process.platform === 'win32'
        ? `winget install ${debian}`
        : existsSync('/usr/bin/apt-get')
          ? `sudo apt-get install ${debian}`
          : existsSync('/usr/bin/dnf')
            ? `sudo dnf install ${debian}`
            : `install the package ${debian}`;
  return `run '${command}' or set ${variable}`;
}

requireNode();
installPackages();
installTools();
