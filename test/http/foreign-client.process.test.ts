import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { RunningHost } from './running-host.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const from = (path: string): string => join(repository, path);

const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2023', 'DOM', 'DOM.AsyncIterable'],
  module: 'NodeNext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
};

test('a client that a foreign generator makes of the description type-checks, and studies a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'foreign-client-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await symlink(from('node_modules'), join(folder, 'node_modules'));
  await copyFile(from('fixtures/foreign-client/study.ts'), join(folder, 'study.ts'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['study.ts'] }));

  const generator = ['--import', from('fixtures/foreign-client/typescript-5.mjs'), 'bin/cli.js'];
  // A field with a default may be left out of a request.
  const options = ['-o', join(folder, 'wire.d.ts'), '--default-non-nullable', 'false'];
  await run(process.execPath, [...generator, from('docs/openapi.json'), ...options], {
    cwd: from('node_modules/openapi-typescript'),
  });
  await run(process.execPath, [from('node_modules/typescript/bin/tsc'), '-p', folder]).catch(({ stdout }) => {
    t.fail(stdout);
  });

  const host = new RunningHost({ flags: ['--port', '0', '--data-root', join(folder, 'data')] });
  t.teardown(() => host.kill());
  const { listening, authorizationToken } = await host.announced();
  const media = from('fixtures/golden-store/releases/clip.mp4');
  const client = ['--import', import.meta.resolve('tsx'), join(folder, 'study.ts')];
  const { stdout } = await run(process.execPath, [...client, String(listening), String(authorizationToken), media]);
  const { outcome, kinds, missing } = JSON.parse(stdout);
  t.is(outcome, 'proceed_to_publish_review');
  t.deepEqual(kinds[0].slice(0, 2), ['speech_activity', 'available']);
  t.is(missing, 'unknown_runtime');
});
