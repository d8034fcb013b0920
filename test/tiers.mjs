// @ts-check
// Keeps each test file to its tier, which is its name: what a pure test or the host of a host test must not do throws.
import childProcess, { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';
import { basename } from 'node:path';
import workers from 'node:worker_threads';

/** @typedef {'pure' | 'host' | 'process'} Tier */

/** The launcher's prefix of a media tool, and the media tools. */
const mediaProcess = /^(unshare|setpriv|prlimit|ffmpeg|ffprobe)$/;

const writes = ['appendFile', 'copyFile', 'link', 'mkdir', 'mkdtemp', 'rename', 'rm', 'symlink', 'writeFile'];

/**
 * The tier of a test file, by its name.
 *
 * @param {string} path
 * @returns {Tier}
 */
export const tierOf = (path) =>
  path.endsWith('.process.test.ts') ? 'process' : path.endsWith('.host.test.ts') ? 'host' : 'pure';

/**
 * From here on this process does only what its tier may.
 *
 * @param {string} path the test file
 */
export function keepToTier(path) {
  const tier = tierOf(path);
  if (tier === 'process') return;
  /** @param {string} what @param {Tier} other */
  const refuse = (what, other) => {
    throw new Error(
      `${path} is a ${tier} test and ${what}: move the test to a file named *.${other}.test.ts, or do without`,
    );
  };
  // Every way to start a process that does not wait for it ends here.
  const children = /** @type {{ spawn(options: { file: string }): unknown }} */ (
    /** @type {unknown} */ (ChildProcess.prototype)
  );
  const start = children.spawn;
  children.spawn = function spawn(options) {
    if (tier !== 'host' || !mediaProcess.test(basename(options.file))) refuse(`starts ${options.file}`, 'process');
    return start.call(this, options);
  };
  const refused = (/** @type {string} */ what, /** @type {Tier} */ other) => () => refuse(what, other);
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    Object.assign(childProcess, { [name]: refused('starts a process', 'process') });
  }
  Object.assign(workers, { Worker: refused('starts a thread', 'process') });
  Server.prototype.listen = refused('listens', 'process');
  Socket.prototype.connect = refused('opens a socket', 'process');
  if (tier === 'pure') {
    for (const name of writes) {
      Object.assign(fs, { [`${name}Sync`]: refused(`writes files (${name}Sync)`, 'host') });
      Object.assign(fs.promises, {
        [name]: async () => refuse(`writes files (${name})`, 'host'),
      });
    }
  }
  syncBuiltinESMExports();
}
