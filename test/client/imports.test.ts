import { fileURLToPath } from 'node:url';
import test from 'ava';
import { build } from 'esbuild';

test('the client runs in pages: nothing of the host comes along with it, and Node is asked only for a path and for what takes long', async (t) => {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    entryPoints: ['client/study-host.ts'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    external: ['node:*'],
  });
  const files = Object.keys(metafile.inputs);
  t.true(files.length > 5);
  t.deepEqual(
    files.filter((file) => !file.startsWith('client/') && !file.startsWith('node_modules/eventsource-parser/')),
    [],
  );
  const asked = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  t.deepEqual(
    asked.map(({ path, kind }) => [path, kind]),
    [
      ['node:http', 'dynamic-import'],
      ['node:stream', 'dynamic-import'],
      ['node:fs', 'dynamic-import'],
      ['node:path', 'dynamic-import'],
    ],
  );
});
