
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { version } from '../../contract/base/program-version.ts';
import { formatKey } from '../../storage/ledger/keys.ts';
import { dataRootAt } from '../../storage/objects/data-root-layout.ts';
import { markerName } from '../../storage/objects/data-root-marker.ts';
import { storeFormat } from '../../storage/store-format.ts';
import { newDataRoot, openStore, store } from '../actors/reopening/stored-studies.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import { runBuilt } from './command.ts';
import { withRawRows } from '../storage/ledger/scratch.ts';

const study = storedStudy({ version: 1, windows: 1 });

/** A data root as version 9.1.0 of this program would leave it, with a format that this one does not open. */
async function newerRoot(t: ExecutionContext): Promise<string> {
  const root = await newDataRoot(t);
  const opened = await openStore(root);
  await store(opened, study);
  await opened.close();
  await withRawRows(dataRootAt(root).ledger, (rows) => rows.put(formatKey, Buffer.from('9')));
  const marker = join(root, markerName);
  const text = await readFile(marker, 'utf8');
  await writeFile(marker, text.replace(/^Format: .*$/m, 'Format: 9, since version 9.1.0'));
  return root;
}

/** Every file and folder below a root: its name, mode, times and bytes. */
async function digestOf(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['', ...(await readdir(root, { recursive: true })).sort()]) {
    const path = join(root, name);
    const { mode, mtimeMs, ctimeMs, size } = await lstat(path);
    hash.update(JSON.stringify([name, mode, mtimeMs, ctimeMs, size]));
    if (!(await lstat(path)).isDirectory()) hash.update(await readFile(path));
  }
  return hash.digest('hex');
}

const commands: Readonly<Record<string, (root: string) => readonly string[]>> = {
  'npm start': (root) => ['build/serve.js', '--port', '0', '--data-root', root],
  'npm run verify -- RUNTIME': (root) => ['build/verify.js', '--data-root', root, study.run.record.runtimeId],
  'npm run verify -- --store': (root) => ['build/verify.js', '--data-root', root, '--store'],
  'npm run verify -- --store --accept-loss': (root) => [
    'build/verify.js',
    ...['--data-root', root, '--store', '--accept-loss'],
  ],
};

for (const [name, commandOf] of Object.entries(commands)) {
  test(`${name} refuses a data root of a newer version in words for that, and touches nothing in it`, async (t) => {
    const root = await newerRoot(t);
    const before = await digestOf(root);
    const [script = '', ...args] = commandOf(root);
    const { exit, stdout, stderr } = await runBuilt(script, args);
    t.is(await digestOf(root), before);
    t.is(stdout, '');
    t.true(exit === 1 || exit === 2);
    t.is(
      stderr.trimEnd().split('\n').at(-1),
      `store_format_unsupported: ${root} has format 9, to which version 9.1.0 brought it; this program (version ${version}) opens formats 1 to ${storeFormat}; nothing was changed; start the version that last used the data root, or choose another --data-root`,
    );
  });
}
