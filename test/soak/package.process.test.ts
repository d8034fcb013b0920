import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import manifest from '../../package.json' with { type: 'json' };

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

const client = `import { StudyHost } from 'local-media-study-service';
import { HostError } from 'local-media-study-service/errors';

const host: StudyHost = StudyHost.connect(process.argv[2] ?? '');
const [source] = await host.sources();
if (source === undefined) throw new Error('no source');
const study = host.study(source, { targetLanguage: 'en', range: { startMs: 0, endMs: 10_000 } });
const { runtimeId, lifecycle } = await study.ended();
const found: number = (await host.overview(runtimeId)).findings.length;
const code = await host.status('runtime:none').then(() => null, (error) => (error instanceof HostError ? error.code : null));
console.log(JSON.stringify({ lifecycle, found: found > 0, code }));
`;
const settings = {
  compilerOptions: {
    module: 'NodeNext',
    target: 'ES2022',
    strict: true,
    outDir: 'out',
    types: ['node'],
    typeRoots: [join(repository, 'node_modules/@types')],
  },
  files: ['use.ts'],
};

test('the package is installed from the registry alone into an empty folder, runs a host, and types a client', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: repository });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  const version = manifest.version;
  const archive = `./local-media-study-service-${version}.tgz`;
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', archive, 'onnxruntime-node@1.30.0'];
  await run('npm', install, { cwd: folder });
  const root = ['--data-root', join(folder, 'root')];
  const doctor = await run('npx', ['media-study', 'doctor', ...root], { cwd: folder });
  t.regex(doctor.stdout, /^ok +speech +silero-vad /m);
  await writeFile(join(folder, 'use.ts'), client);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  await run(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: folder });
  const program = join(folder, 'node_modules/local-media-study-service/build/media-study.js');
  const host = spawn(process.execPath, [program, 'serve', '--port', '0', ...root], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = await once(createInterface({ input: host.stdout }), 'line');
    const { stdout } = await run(process.execPath, ['out/use.js', line], { cwd: folder });
    t.deepEqual(JSON.parse(stdout), { lifecycle: 'terminal', found: true, code: 'unknown_runtime' });
  } finally {
    const ended = once(host, 'close');
    host.kill();
    await ended;
  }
});
