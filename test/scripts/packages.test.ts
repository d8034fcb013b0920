import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { z } from 'zod';
import { advice, tools } from '../../scripts/setup/tools.mjs';

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

const jsonOf = async (name: string): Promise<unknown> => JSON.parse(await readFile(`${repository}/${name}`, 'utf8'));

test('nothing that an installation of the package brings fetches from another host', async (t) => {
  const { dependencies, peerDependencies, peerDependenciesMeta, scripts, bin } = manifest.parse(
    await jsonOf('package.json'),
  );
  const { packages } = locked.parse(await jsonOf('package-lock.json'));
  const hooks = ['preinstall', 'install', 'postinstall'].filter((name) => name in scripts);
  t.deepEqual(hooks, []);
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

test('the advice names the command of the platform', (t) => {
  const [ffmpeg, , ytdlp] = tools;
  if (ffmpeg === undefined || ytdlp === undefined) throw new Error('the tools are listed');
  const on = (platform: string, manager = '') => ({ platform, exists: (path: string) => path === manager });
  const rest = ', or set MEDIA_STUDY_FFMPEG to its absolute path';
  t.is(advice(ffmpeg, on('darwin')), `run 'brew install ffmpeg'${rest}`);
  t.is(advice(ffmpeg, on('win32')), `run 'winget install ffmpeg'${rest}`);
  t.is(advice(ffmpeg, on('linux', '/usr/bin/apt-get')), `run 'sudo apt-get install ffmpeg'${rest}`);
  t.is(advice(ffmpeg, on('linux', '/usr/bin/dnf')), `run 'sudo dnf install ffmpeg-free'${rest}`);
  t.is(advice(ffmpeg, on('linux', '/usr/bin/pacman')), `run 'sudo pacman -S ffmpeg'${rest}`);
  t.is(advice(ffmpeg, on('linux')), `install ffmpeg${rest}`);
  t.is(
    advice(ytdlp, on('linux', '/usr/bin/dnf')),
    `run 'sudo dnf install yt-dlp', or set MEDIA_STUDY_YTDLP to its absolute path`,
  );
});
