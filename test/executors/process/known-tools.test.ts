import { appendFile, chmod, copyFile, mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { KnownTool } from '../../../executors/process/known-tools.ts';
import type { Launcher } from '../../../executors/process/process.ts';
import { FFPROBE, resolveTool, type ToolMemory, type ToolQuestion, YTDLP } from '../../../executors/process/tools.ts';
import { fake, launcherFor, temporaryFolder } from './launcher-for-tests.ts';

/** Resolves one tool again and again with one memory, and says how many processes each time took. */
async function asker(t: ExecutionContext, question: ToolQuestion, file: string) {
  const { launcher } = await launcherFor(t);
  let runs = 0;
  const counting: Launcher = {
    run: (request) => {
      runs += 1;
      return launcher.run(request);
    },
    start: (request) => launcher.start(request),
    close: () => launcher.close(),
  };
  const kept = new Map<string, KnownTool>();
  const memory: ToolMemory = { known: (name) => kept.get(name), note: (tool) => void kept.set(tool.path, tool) };
  return async (name = 'tool') => {
    runs = 0;
    const resolution = await resolveTool(counting, { [question.environmentVariable]: file }, name, question, memory);
    if (!('tool' in resolution)) throw new Error(resolution.missing);
    return { runs, ...resolution.tool.identity };
  };
}

async function ffprobeIn(t: ExecutionContext): Promise<string> {
  const { launcher } = await launcherFor(t);
  const found = await resolveTool(launcher, process.env, 'ffprobe', FFPROBE);
  if (!('tool' in found)) throw new Error(found.missing);
  const file = path.join(await temporaryFolder(t), 'ffprobe');
  await copyFile(found.tool.path, file);
  return file;
}

/** A script beside the package that it takes its version from, as an installation of yt-dlp has them. */
async function scriptIn(folder: string, interpreter = '/usr/bin/python3'): Promise<string> {
  await mkdir(path.join(folder, 'yt_dlp'));
  await writeFile(path.join(folder, 'yt_dlp', '__init__.py'), 'from .version import __version__\n');
  await setVersion(folder, '2001.01.01');
  const script = path.join(folder, 'yt-dlp');
  await writeFile(script, `#!${interpreter}\nimport yt_dlp\nprint(yt_dlp.__version__)\n`);
  await chmod(script, 0o755);
  return script;
}

/**
 * Replaces the file, as an installer does. The file is as old as its version says: Python takes what it compiled
 * before for the same source while its size and the second of its last change are the same.
 */
async function setVersion(folder: string, version: string): Promise<void> {
  const fresh = path.join(folder, 'fresh.py');
  await writeFile(fresh, `__version__ = '${version}'\n`);
  const released = new Date(version.replaceAll('.', '-'));
  await utimes(fresh, released, released);
  await rename(fresh, path.join(folder, 'yt_dlp', 'version.py'));
}

test('a tool whose executable file is unchanged is not asked again', async (t) => {
  const ask = await asker(t, FFPROBE, await ffprobeIn(t));
  const first = await ask();
  t.is(first.runs, 1);
  t.deepEqual(await ask(), { ...first, runs: 0 });
});

test('a tool whose executable file was changed is asked and hashed again', async (t) => {
  const file = await ffprobeIn(t);
  const ask = await asker(t, FFPROBE, file);
  const first = await ask();
  await appendFile(file, 'x');
  const second = await ask();
  t.is(second.runs, 1);
  t.not(second.digest, first.digest);
});

test('what was found under one name says nothing of the same file under another', async (t) => {
  const ask = await asker(t, FFPROBE, await ffprobeIn(t));
  await ask('one');
  const other = await ask('other');
  t.is(other.runs, 1);
  t.is(other.name, 'other');
});

test('a Python script is not asked again while its package is unchanged', async (t) => {
  const ask = await asker(t, YTDLP, await scriptIn(await temporaryFolder(t)));
  const first = await ask();
  t.is(first.version, '2001.01.01');
  t.deepEqual(await ask(), { ...first, runs: 0 });
});

test('a new version of a package is noticed although the script that imports it is unchanged', async (t) => {
  const folder = await temporaryFolder(t);
  const ask = await asker(t, YTDLP, await scriptIn(folder));
  const first = await ask();
  await setVersion(folder, '2002.02.02');
  const second = await ask();
  t.is(second.version, '2002.02.02');
  t.is(second.digest, first.digest);
});

test('a script whose version may lie anywhere is asked each time', async (t) => {
  const folder = await temporaryFolder(t);
  const script = path.join(folder, 'yt-dlp');
  await writeFile(script, '#!/bin/sh\necho 2003.03.03\n');
  await chmod(script, 0o755);
  for (const file of [script, await scriptIn(await temporaryFolder(t), '/usr/bin/env python3')]) {
    const ask = await asker(t, YTDLP, file);
    for (const _ of ['first', 'second']) t.is((await ask()).runs, 1);
  }
});

test('a tool that failed is asked again', async (t) => {
  const ask = await asker(t, YTDLP, fake('prints-nonsense'));
  for (const _ of ['first', 'second']) await t.throwsAsync(() => ask(), { message: 'tool states no version' });
});
