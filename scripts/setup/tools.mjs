// @ts-check
// Which media tools are there, and how to get the others.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * @typedef {object} Tool
 * @property {string} name the executable
 * @property {string} [variable] names the executable by absolute path; when set, nothing else is looked for
 * @property {readonly [string, ...string[]]} packages what most systems call the packages that bring it
 * @property {boolean} required whether the host starts without it
 * @property {true} [forTests] whether only tests use it
 */

/** @type {readonly Tool[]} */
export const tools = [
  { name: 'ffmpeg', variable: 'MEDIA_STUDY_FFMPEG', packages: ['ffmpeg'], required: true },
  { name: 'ffprobe', variable: 'MEDIA_STUDY_FFPROBE', packages: ['ffmpeg'], required: true },
  { name: 'yt-dlp', variable: 'MEDIA_STUDY_YTDLP', packages: ['yt-dlp'], required: false },
  ...forTests([
    { name: 'chromium', variable: 'MEDIA_STUDY_TEST_CHROMIUM', packages: ['chromium'] },
    { name: 'redis-server', variable: 'MEDIA_STUDY_TEST_REDIS', packages: ['redis-server'] },
    {
      name: 'pocketsphinx_continuous',
      variable: 'MEDIA_STUDY_POCKETSPHINX',
      packages: ['pocketsphinx', 'pocketsphinx-en-us'],
    },
    // The blocks of the guides.
    { name: 'curl', packages: ['curl'] },
    { name: 'jq', packages: ['jq'] },
    { name: 'xxd', packages: ['xxd'] },
    { name: 'apertium', packages: ['apertium-es-pt'] },
  ]),
];

/**
 * @param {readonly Omit<Tool, 'required'>[]} some
 * @returns {Tool[]}
 */
function forTests(some) {
  return some.map((tool) => ({ ...tool, required: false, forTests: true }));
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** @typedef {Readonly<Record<string, string | undefined>>} Environment */

/**
 * The first executable of that name in the absolute folders of PATH, or undefined.
 *
 * @param {string} name
 * @param {Environment} environment
 */
export function findExecutable(name, environment) {
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/**
 * By the rules of the host itself: a variable that is set decides alone.
 *
 * @param {Tool} tool
 * @param {Environment} environment
 * @returns {'present' | 'misnamed' | 'absent'} `misnamed`: the variable names no executable file
 */
export function stateOf({ name, variable }, environment) {
  const named = variable === undefined ? undefined : environment[variable];
  if (named !== undefined) return isAbsolute(named) && isExecutable(named) ? 'present' : 'misnamed';
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return findExecutable(file, environment) === undefined ? 'absent' : 'present';
}

/** Package managers of Linux by their executable; Fedora calls its own ffmpeg differently. */
const managers = [
  { path: '/usr/bin/apt-get', install: (/** @type {string} */ names) => `sudo apt-get install ${names}` },
  {
    path: '/usr/bin/dnf',
    install: (/** @type {string} */ names) => `sudo dnf install ${names === 'ffmpeg' ? 'ffmpeg-free' : names}`,
  },
  { path: '/usr/bin/pacman', install: (/** @type {string} */ names) => `sudo pacman -S ${names}` },
];

/**
 * The command with which a person gets a tool.
 *
 * @param {Tool} tool
 * @param {{ platform: string, exists: (path: string) => boolean }} [machine]
 */
export function advice({ packages, variable }, machine = { platform: process.platform, exists: existsSync }) {
  const install = installCommand(packages.join(' '), machine);
  return variable === undefined ? install : `${install}, or set ${variable} to its absolute path`;
}

/**
 * @param {string} names
 * @param {{ platform: string, exists: (path: string) => boolean }} machine
 */
function installCommand(names, { platform, exists }) {
  if (platform === 'darwin') return `run 'brew install ${names}'`;
  if (platform === 'win32') return `run 'winget install ${names}'`;
  const manager = managers.find(({ path }) => exists(path));
  return manager === undefined ? `install ${names}` : `run '${manager.install(names)}'`;
}
