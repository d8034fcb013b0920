import { createHash } from 'node:crypto';
import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { toolIdentity } from '../../../contract/base/tool.ts';
import { FFMPEG, FFPROBE, resolveTool, resolveTools, YTDLP } from '../../../executors/process/tools.ts';
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

test('a variable that names no executable is not replaced by what PATH holds', async (t) => {
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
