// @ts-check
// Writes the types of the client into `build-types/`, for the package: the declarations of `client/` and of the schemas of
// `contract/` that they name.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'build-types');

rmSync(folder, { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.client.json'], {
  cwd: root,
  stdio: ['ignore', 2, 2],
});
if (status !== 0) process.exit(1);
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const path = join(folder, name);
  // The compiler leaves the endings of sources, which are not in the package.
  const text = readFileSync(path, 'utf8').replaceAll(/((?:from |import\()(['"])\.[^'"]*)\.ts\2/g, '$1.js$2');
  writeFileSync(path, text);
}
