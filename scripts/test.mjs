// @ts-check
// `npm test`: the tests that people run after each change. At its end it says what it left out, and how to run that.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ava = join('node_modules', 'ava', 'entrypoints', 'cli.mjs');
const { status } = spawnSync(process.execPath, [ava, '--config', 'ava.quick.config.mjs', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});

const left = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.process.test.ts') && !/^(smoke|soak)\//.test(file),
);
process.stdout.write(`
Not run: ${left.length} files of tests with real processes (test/**/*.process.test.ts): media tools, kills, browsers, Redis;
and the tests of the lab (test/lab).
  npm run test:all       runs every test
  npx ava FILE           runs one file
  npm run node-versions  runs the newer releases of Node
`);
process.exitCode = status ?? 1;
