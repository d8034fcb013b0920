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
} from '../../../executors/process/tools.ts';
import { failureOf, fake, launcherFor, temporaryFolder } from './launcher-for-tests.ts';

/** A tool that may come as a Python script with a package, and states its version as a date. */
const SCRIPT: ToolQuestion = {
  environmentVariable: 'MEDIA_STUDY_SCRIPT',
  versionArgs: ['--version'],
  parseVersion: (stdout) => /^(\d{4}\.\d{2}\.\d{2})\s*$/.exec(stdout)?.[1] ?? null,
  pythonPackage: 'a_script',
};

test('the real tools on PATH are found with version and digest', async (t) => {
  const { launcher } = await launcherFor(t);
  const { ffmpeg, ffprobe } = await resolveTools(launcher, process.env);
  for (const { identity, path: file } of [ffmpeg, ffprobe]) {
    t.true(toolIdentity.safeParse(identity).success);
    t.true(path.isAbsolute(file));
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
  const nowhere = await resolveTool(launcher, { PATH: await temporaryFolder(t) }, 'a-script', SCRIPT);
  t.deepEqual(nowhere, { missing: 'a-script is not on PATH' });
});

test('a tool that crashes or states no version is missing, with the reason', async (t) => {
  const { launcher } = await launcherFor(t);
  const crashing = await resolveTool(launcher, { MEDIA_STUDY_SCRIPT: fake('crashes') }, 'a-script', SCRIPT);
  t.true('missing' in crashing && crashing.missing.startsWith('a-script does not answer (tool_signal: crashes'));
  const mute = await resolveTool(launcher, { MEDIA_STUDY_SCRIPT: fake('prints-nonsense') }, 'a-script', SCRIPT);
  t.deepEqual(mute, { missing: 'a-script states no version' });
});

test('a host cannot do without ffmpeg', async (t) => {
  const { launcher } = await launcherFor(t);
  const broken = { ...process.env, MEDIA_STUDY_FFMPEG: '/nowhere/ffmpeg' };
  t.is((await failureOf(t, resolveTools(launcher, broken))).reason, 'tool_missing');
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

/** A script beside the package that it takes its version from, as the installation of a Python program has them. */
async function scriptIn(folder: string, interpreter = '/usr/bin/python3'): Promise<string> {
  await mkdir(path.join(folder, 'a_script'));
  await writeFile(path.join(folder, 'a_script', '__init__.py'), 'from .version import __version__\n');
  await setVersion(folder, '2001.01.01');
  const script = path.join(folder, 'a-script');
  await writeFile(script, `#!${interpreter}\nimport a_script\nprint(a_script.__version__)\n`);
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
  await rename(fresh, path.join(folder, 'a_script', 'version.py'));
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
  const ask = await asker(t, SCRIPT, await scriptIn(await temporaryFolder(t)));
  const first = await ask();
  t.is(first.version, '2001.01.01');
  t.deepEqual(await ask(), { ...first, runs: 0 });
});

test('a new version of a package is noticed although the script that imports it is unchanged', async (t) => {
  const folder = await temporaryFolder(t);
  const ask = await asker(t, SCRIPT, await scriptIn(folder));
  const first = await ask();
  await setVersion(folder, '2002.02.02');
  const second = await ask();
  t.is(second.version, '2002.02.02');
  t.is(second.digest, first.digest);
});

test('a script whose version may be anywhere is run each time', async (t) => {
  const folder = await temporaryFolder(t);
  const script = path.join(folder, 'a-script');
  await writeFile(script, '#!/bin/sh\necho 2003.03.03\n');
  await chmod(script, 0o755);
  for (const file of [script, await scriptIn(await temporaryFolder(t), '/usr/bin/env python3')]) {
    const ask = await asker(t, SCRIPT, file);
    for (const _ of ['first', 'second']) t.is((await ask()).runs, 1);
  }
});

test('a tool that failed is run again', async (t) => {
  const ask = await asker(t, SCRIPT, fake('prints-nonsense'));
  for (const _ of ['first', 'second']) await t.throwsAsync(() => ask(), { message: 'tool states no version' });
});
