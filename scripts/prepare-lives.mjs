// @ts-check
// Lives the data roots that tests copy, once for each state of the sources, into a cache outside the tree: a test that is about
// a review then waits for no decode.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bringUpToDate } from './build/replaced-folder.mjs';
import { programParts } from './build/stamp.mjs';
import { findExecutable } from './setup/tools.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The sources on which a lived data root depends. */
const parts = [...programParts, 'fixtures', 'test/host'];

/** The lives know their tools by path and state of the file, so other tools need other lives. */
function cacheFolder() {
  const tools = ['ffmpeg', 'ffprobe'].map((name) => {
    const path = process.env[`MEDIA_STUDY_${name.toUpperCase()}`] ?? findExecutable(name, process.env) ?? '';
    const found = statSync(path, { throwIfNoEntry: false });
    return `${path} ${found?.size} ${found?.mtimeMs}`;
  });
  const name = createHash('sha256')
    .update([root, ...tools].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'local-media-study-service', 'test-lives', name);
}

/** Brings the lived data roots up to date, and gives their folder. */
export async function prepareLives() {
  const folder = cacheFolder();
  mkdirSync(dirname(folder), { recursive: true });
  await bringUpToDate({ root, folder, parts }, async (fresh) => {
    mkdirSync(fresh);
    const { status } = spawnSync(process.execPath, [join(root, 'build-tests', 'test', 'host', 'live.js'), fresh], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) throw new Error('the data roots for the tests could not be lived; see above');
  });
  return folder;
}
