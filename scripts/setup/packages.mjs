// @ts-check
// What the installed packages depend on, and which of their files this machine can never load.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The platform for which native addons are chosen.
 *
 * @typedef {object} Target
 * @property {string} platform
 * @property {string} arch
 * @property {string} modules the number of Node's binary interface
 */

/** @type {Target} */
export const thisMachine = { platform: process.platform, arch: process.arch, modules: process.versions.modules };

/**
 * Stands for the lock file and the machine: packages that were installed under another stamp are installed again.
 *
 * @param {string} lockFile
 * @param {Target} [target]
 */
export function stampOf(lockFile, { platform, arch, modules } = thisMachine) {
  return createHash('sha256').update(readFileSync(lockFile)).update(`${platform} ${arch} ${modules}`).digest('hex');
}

/** @param {string} folder */
const list = (folder) => (existsSync(folder) ? readdirSync(folder) : []);

/** @param {string} path */
const remove = (path) => rmSync(path, { recursive: true, force: true });

/**
 * Removes what only other platforms can load: most of the installed size.
 *
 * @param {string} modules a `node_modules` folder
 * @param {Target} [target]
 */
export function pruneForeignBinaries(modules, target = thisMachine) {
  pruneRuntimes(join(modules, 'onnxruntime-node', 'bin', 'napi-v6'), target);
  pruneSockets(join(modules, 'uWebSockets.js'), target);
  for (const name of list(modules)) prunePrebuilds(join(modules, name, 'prebuilds'), target);
}

/**
 * `<platform>/<arch>/`
 *
 * @param {string} folder
 * @param {Target} target
 */
function pruneRuntimes(folder, { platform, arch }) {
  for (const name of list(folder)) {
    if (name !== platform) remove(join(folder, name));
    else for (const inner of list(join(folder, name))) if (inner !== arch) remove(join(folder, name, inner));
  }
}

/**
 * `uws_<platform>_<arch>_<modules>.node`: the official package has it beside its manifest. The re-pack has it in `binaries`,
 * and in `dist` for a fallback that the host never loads.
 *
 * @param {string} folder
 * @param {Target} target
 */
function pruneSockets(folder, { platform, arch, modules }) {
  const own = `uws_${platform}_${arch}_${modules}.node`;
  for (const place of [folder, join(folder, 'binaries')]) {
    for (const file of list(place)) if (file.endsWith('.node') && file !== own) remove(join(place, file));
  }
  for (const file of list(join(folder, 'dist'))) if (file.endsWith('.node')) remove(join(folder, 'dist', file));
}

/**
 * `<platform>-<arch>/`, where one folder may serve several architectures: `darwin-x64+arm64`.
 *
 * @param {string} folder
 * @param {Target} target
 */
function prunePrebuilds(folder, { platform, arch }) {
  for (const name of list(folder)) {
    const dash = name.indexOf('-');
    const serves =
      name.slice(0, dash) === platform &&
      name
        .slice(dash + 1)
        .split('+')
        .includes(arch);
    if (!serves) remove(join(folder, name));
  }
}
