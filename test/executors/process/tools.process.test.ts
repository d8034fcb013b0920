import { createHash } from 'node:crypto';
import { appendFile, chmod, copyFile, mkdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { toolIdentity } from '../../../contract/base/artifact.ts';
import type { Launcher } from '../../../executors/process/process.ts';
import {
  FFMPEG,
  FFPROBE,
  type KnownTool,
  resolveTool,
  resolveTools,
  type ToolMemory,
  type ToolQuestion,
  YTDLP,
} from '../../../executors/process/tools.ts';
import { failureOf, fake, launcherFor, temporaryFolder } from './launcher-for-tests.ts';

test('the real tools on PATH are found with version and digest', async (t) => {
  const { launcher } = await launcherFor(t);
  const { ffmpeg, ffprobe, ytdlp } = await resolveTools(launcher, process.env);
  for (const tool of [ffmpeg, ffprobe, ytdlp]) {
    t.true(toolIdentity.safeParse(tool?.identity).success);
    t.true(path.isAbsolute(tool?.path ?? ''));
  }
  t.is(ffmpeg.identity.name, 'ffmpeg');
  t.is(ffprobe.identity.name, 'ffprobe');
  const digest = createHash('sha256')
    .update(await readFile(ffprobe.path))
    .digest('hex');
  t.is(ffprobe.identity.digest, `sha256:${digest}`);
});

test('a variable names the tool, and the digest is that of the file behind the link', async (t) => {
  const { launcher } = await launcherFor(t);
  const onPath = await resolveTool(launcher, process.env, 'ffprobe', FFPROBE);
  if (!('tool' in onPath)) throw new Error(onPath.missing);
  const link = path.join(await temporaryFolder(t), 'linked');
  await symlink(onPath.tool.path, link);
  const named = await resolveTool(launcher, { MEDIA_STUDY_FFPROBE: link }, 'ffprobe', FFPROBE);
  t.deepEqual(named, { tool: { ...onPath.tool, path: link } });
});

test('a variable that names no executable is not replaced by one on PATH', async (t) => {
  const { launcher } = await launcherFor(t);
  for (const named of ['', 'ffmpeg', '/nowhere/ffmpeg', '/tmp']) {
    const environment = { PATH: process.env.PATH, MEDIA_STUDY_FFMPEG: named };
    t.deepEqual(await resolveTool(launcher, environment, 'ffmpeg', FFMPEG), {
      missing: 'MEDIA_STUDY_FFMPEG names no executable file',
    });
  }
});

test('a tool that is nowhere on PATH is missing', async (t) => {
  const { launcher } = await launcherFor(t);
  const nowhere = await resolveTool(launcher, { PATH: await temporaryFolder(t) }, 'yt-dlp', YTDLP);
  t.deepEqual(nowhere, { missing: 'yt-dlp is not on PATH' });
});

test('a tool that crashes or states no version is missing, with the reason', async (t) => {
  const { launcher } = await launcherFor(t);
  const crashing = await resolveTool(launcher, { MEDIA_STUDY_YTDLP: fake('crashes') }, 'yt-dlp', YTDLP);
  t.true('missing' in crashing && crashing.missing.startsWith('yt-dlp does not answer (tool_signal: crashes'));
  const mute = await resolveTool(launcher, { MEDIA_STUDY_YTDLP: fake('prints-nonsense') }, 'yt-dlp', YTDLP);
  t.deepEqual(mute, { missing: 'yt-dlp states no version' });
});

test('the host cannot do without ffmpeg, but can without yt-dlp', async (t) => {
  const { launcher } = await launcherFor(t);
  const broken = { ...process.env, MEDIA_STUDY_FFMPEG: '/nowhere/ffmpeg' };
  t.is((await failureOf(t, resolveTools(launcher, broken))).reason, 'tool_missing');
  const { ytdlp } = await resolveTools(launcher, { ...process.env, MEDIA_STUDY_YTDLP: '/nowhere/yt-dlp' });
  t.is(ytdlp, null);
});

/** Resolves one tool repeatedly with one memory; returns the number of processes for each time. */
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

test('a tool whose executable file was changed is run and hashed again', async (t) => {
  const file = await ffprobeIn(t);
  const ask = await asker(t, FFPROBE, file);
  const first = await ask();
  await appendFile(file, 'x');
  const second = await ask();
  t.is(second.runs, 1);
  t.not(second.digest, first.digest);
});

test('findings under one name are not used for the same file under another', async (t) => {
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

test('a script whose version may be anywhere is run each time', async (t) => {
  const folder = await temporaryFolder(t);
  const script = path.join(folder, 'yt-dlp');
  await writeFile(script, '#!/bin/sh\necho 2003.03.03\n');
  await chmod(script, 0o755);
  for (const file of [script, await scriptIn(await temporaryFolder(t), '/usr/bin/env python3')]) {
    const ask = await asker(t, YTDLP, file);
    for (const _ of ['first', 'second']) t.is((await ask()).runs, 1);
  }
});

test('a tool that failed is run again', async (t) => {
  const ask = await asker(t, YTDLP, fake('prints-nonsense'));
  for (const _ of ['first', 'second']) await t.throwsAsync(() => ask(), { message: 'tool states no version' });
});
