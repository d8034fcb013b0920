import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { dataRootAt, markerName, storeFormat } from '../../storage/objects/data-root.ts';
import { repository, runBuilt, runCommand } from '../cli/command.ts';
import { describedReleases } from '../crash/stored-releases.ts';
import { livedRoot } from '../host/lives.ts';
import { draft, openScratchLedger, scratchFolder } from '../storage/ledger/scratch.ts';

// The newest release, built of its commit, on data of this program: it opens its own format and refuses a newer one.

const [release = '', described] = describedReleases.at(-1) ?? [];

const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { cwd: repository, stdio: 'pipe', maxBuffer: 2 ** 30 });

/** The program of a release, built; null if the repository is here without its commit. */
async function builtRelease(t: ExecutionContext): Promise<string | null> {
  const folder = join(await scratchFolder(t), 'release');
  await mkdir(folder);
  try {
    // The commit that took the version away follows the last one of the release.
    const [next = ''] = git('log', '-1', '--format=%H', `-S"version": "${release}"`, '--', 'package.json')
      .toString()
      .split('\n');
    execFileSync('tar', ['-x', '-C', folder], { input: git('archive', `${next}^`) });
  } catch (error) {
    t.log(`skipped: the history of this repository has no ${release}: ${String(error).split('\n')[0]}`);
    return null;
  }
  t.is(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version, release);
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'pipe' });
  return join(folder, 'build', 'media-study.js');
}

/** Digests of all files of a folder, by their paths. */
async function filesOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile())
      digests[path.slice(folder.length)] = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
  }
  return digests;
}

test('an older version refuses a data root with newer events, says why, and changes nothing', async (t) => {
  t.timeout(600_000, 'the build of a release');
  const older = await builtRelease(t);
  if (older === null) {
    t.pass();
    return;
  }
  const root = livedRoot(t, 'studied');
  const layout = dataRootAt(root);
  const newest = Math.max(storeFormat, described?.format ?? 0) + 1;
  const ledger = await openScratchLedger(t, layout.ledger, { formats: { newest, steps: {} } });
  await ledger.commit([{ append: 'runtime:newer', events: [draft({}, 'runtime.newer_event')] }]);
  await ledger.close();
  t.regex(await readFile(join(root, markerName), 'utf8'), new RegExp(`^Format: ${newest},`, 'm'));
  const before = await filesOf(root);
  const refusal = `has format ${newest}, to which version [^ ]+ brought it; this program \\(version ${release}\\) opens formats 1 to ${described?.format}; nothing was changed`;
  for (const call of [
    ['serve', '--port', '0'],
    ['sources'],
    ['backup', join(await scratchFolder(t), 'backup')],
    ['doctor'],
  ]) {
    const { exit, stdout, stderr } = await runBuilt(older, [...call, '--data-root', root]);
    t.is(exit, 1, `${call[0]}: ${stdout}${stderr}`);
    t.regex(`${stdout}${stderr}`, new RegExp(`store_format_unsupported: .*${refusal}`), call[0]);
    t.deepEqual(await filesOf(root), before, call[0]);
  }
});

test('an older version reads a data root of its own format that a newer one has used', async (t) => {
  t.timeout(600_000, 'the build of a release');
  const older = await builtRelease(t);
  if (older === null || described === undefined || described.format !== storeFormat) {
    t.log(`${release} has another format than this program: the test before is about that`);
    t.pass();
    return;
  }
  const root = livedRoot(t, 'studied');
  t.is((await runCommand(['settings', 'set', 'port=0', '--data-root', root])).exit, 0);
  const newer = await runCommand(['sources', '--json', '--data-root', root]);
  t.is(newer.exit, 0, newer.stderr);
  const back = await runBuilt(older, ['sources', '--json', '--data-root', root]);
  t.is(back.exit, 0, back.stderr);
  t.is(back.stdout, newer.stdout);
});
