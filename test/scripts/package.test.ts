import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const names = z.record(z.string(), z.string());
const manifest = z.looseObject({
  dependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })),
  scripts: names,
  bin: names,
});
const locked = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({ hasInstallScript: z.boolean().optional(), dependencies: names.optional() }),
  ),
});
const packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string(), size: z.number() })) })]);

const jsonOf = async (name: string): Promise<unknown> => JSON.parse(await readFile(`${repository}/${name}`, 'utf8'));

test('the package holds the built program, what it reads beside itself, and nothing else', async (t) => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: repository });
  const [{ files }] = packed.parse(JSON.parse(stdout));
  const paths = files.map(({ path }) => path);
  for (const path of [
    ...[
      'build/media-study.js',
      'build/detector-process.js',
      'build/tesseract-process.js',
      'build/client/study-host.js',
      'build/client/host-error.js',
    ],
    ...[
      'build/speech-model/weights/silero_vad_16k_op15.onnx',
      'build/speech-model/LICENSE',
      'build/boundary-model.onnx',
    ],
    ...['build/language-table/ngrams.txt.br', 'build/language-table/identity.json'],
    ...['build/THIRD-PARTY-LICENCES.txt', 'docs/openapi.json', 'fixtures/sample/source/media/sample.mp4', 'LICENSE'],
  ]) {
    t.true(paths.includes(path), path);
  }
  const places =
    /^(build|build-types|fixtures\/sample)\/|^(LICENSE|README\.md|package\.json|docs\/(openapi|charts\/[a-z-]+\.drawing)\.json)$/;
  t.deepEqual(
    paths.filter((path) => !places.test(path) || path.endsWith('.map')),
    [],
  );
  // Types are made when the package is packed. The table of the language identifier is among the rest: an installation brought
  // 9 MB of its package along before.
  const bytes = files.reduce((sum, { path, size }) => sum + (path.startsWith('build-types/') ? 0 : size), 0);
  t.true(bytes < 10_500_000, `${bytes} bytes`);
});

test('nothing that an installation of the package brings fetches from another host', async (t) => {
  const { dependencies, peerDependencies, peerDependenciesMeta, scripts, bin } = manifest.parse(
    await jsonOf('package.json'),
  );
  const { packages } = locked.parse(await jsonOf('package-lock.json'));
  t.deepEqual(
    ['preinstall', 'install', 'postinstall'].filter((name) => name in scripts),
    [],
  );
  const reached = new Set<string>();
  const reach = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const other of Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {})) reach(other);
  };
  for (const name of Object.keys(dependencies)) reach(name);
  // Each looks for its prebuilt binary, which is in its package.
  t.deepEqual([...reached].filter((name) => packages[`node_modules/${name}`]?.hasInstallScript === true).sort(), [
    'classic-level',
  ]);
  const peers = ['@tesseract.js-data/eng', '@tesseract.js-data/kor', 'onnxruntime-node', 'tesseract.js'];
  t.deepEqual(Object.keys(peerDependencies), peers);
  for (const peer of peers) {
    t.false(reached.has(peer), peer);
    t.true(peerDependenciesMeta[peer]?.optional, peer);
  }
  t.deepEqual(bin, { 'media-study': 'build/media-study.js' });
});

test('a package that the program loads at run time is a dependency of it', async (t) => {
  const { external } = await import('../../scripts/build.mjs');
  const { dependencies, peerDependencies } = manifest.parse(await jsonOf('package.json'));
  // The types of the client name those of zod; the data of languages are read as files.
  const others = ['zod', '@tesseract.js-data/eng', '@tesseract.js-data/kor'];
  t.deepEqual([...external, ...others].sort(), Object.keys({ ...dependencies, ...peerDependencies }).sort());
});
