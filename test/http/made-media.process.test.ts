import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { PlaybackMimeType } from '../../contract/playback.ts';
import { ffmpeg } from '../executors/evidence/media-for-tests.ts';
import { TestHost } from '../host/test-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { concluded } from './audits/steps.ts';
import { ingest } from './host/ingest-steps.ts';
import { followed, startStudy, studyRequest } from './host/study-steps.ts';
import { askGrant, askMedia, grantOf, pageFields, uploaded } from './playback/steps.ts';

// Answers of a host about media that only ffmpeg makes for a test.

const sound = ['-f', 'lavfi', '-i', 'sine=440:r=48000:d=1'];
const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x120:r=25:d=1'];
const cover = ['-f', 'lavfi', '-i', 'color=red:s=64x64:d=0.04'];
const attached = ['-map', '0:a', '-map', '1:v', '-disposition:v', 'attached_pic', '-c:v', 'mjpeg'];
const webm = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libvorbis'];

const rows: readonly (readonly [file: string, mimeType: PlaybackMimeType, args: readonly string[]])[] = [
  ['film.mp4', 'video/mp4', [...sound, ...picture, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac']],
  ['sound.m4a', 'audio/mp4', [...sound, '-c:a', 'aac']],
  ['표지 있는 노래.mp3', 'audio/mpeg', [...sound, ...cover, ...attached]],
  ['covered.flac', 'audio/flac', [...sound, ...cover, ...attached]],
  ['sound.ogg', 'audio/ogg', [...sound, '-c:a', 'libvorbis']],
  ['film.webm', 'video/webm', [...sound, ...picture, ...webm]],
];

test('the container and its tracks name the type, and cover art does not count as a picture', async (t) => {
  const folder = await scratchFolder(t);
  const host = await TestHost.open(t, { mediaTools: true });
  for (const [file, mimeType, args] of rows) {
    await ffmpeg(folder, ...args, file);
    const bytes = await readFile(join(folder, file));
    const { mimeType: served, mediaPath } = await grantOf(t, host, await uploaded(t, host, bytes, file));
    t.is(served, mimeType, file);
    const answer = await askMedia(host, mediaPath);
    t.is(answer.headers['content-type'], mimeType);
    t.true(answer.body.equals(bytes));
  }
});

test('a container that no browser type is known for is studied but not played', async (t) => {
  const folder = await scratchFolder(t);
  const host = await TestHost.open(t, { mediaTools: true });
  await ffmpeg(folder, ...sound, '-c:a', 'aac', '-f', 'mpegts', 'sound.ts');
  const granted = await uploaded(t, host, await readFile(join(folder, 'sound.ts')), 'sound.ts');
  host.refused(t, await askGrant(host, granted), 'private_playback_mime_unsupported', pageFields);
});

test('a study that could claim nothing has empty lists, and evidence with reasons', async (t) => {
  const folder = await scratchFolder(t);
  const host = await TestHost.open(t, { mediaTools: true });
  const silent = ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=25:d=1', '-c:v', 'libx264', '-preset', 'ultrafast'];
  await ffmpeg(folder, ...silent, 'silent.mp4');
  const media = await readFile(join(folder, 'silent.mp4'));
  const { source } = await ingest(t, host, media, { filename: 'silent.mp4' });
  if (source === null) throw new Error('not registered');
  const { runtimeId } = await startStudy(t, host, studyRequest(source));
  t.is((await followed(t, host, runtimeId)).last.lifecycle, 'terminal');
  const { audits, decisions, evidence } = await concluded(t, host, runtimeId);
  t.deepEqual([audits.audits, decisions.decisions], [[], []]);
  t.deepEqual(
    evidence.evidence.map(({ kind, state, reasonCode }) => [kind, state, reasonCode]),
    [
      ['speech_activity', 'unavailable', 'no_audio_track'],
      ['silence', 'unavailable', 'no_audio_track'],
      ['loudness', 'unavailable', 'no_audio_track'],
      ['shot_changes', 'available', null],
      ['subtitle_track', 'unavailable', 'no_text_subtitle_track'],
      ['text_language', 'unavailable', 'no_text_subtitle_track'],
    ],
  );
});

test('cuts of a film without an even rate are a file only at a rate that the request names', async (t) => {
  const folder = await scratchFolder(t);
  const host = await TestHost.open(t, { mediaTools: true });
  const uneven = ['-vf', "select='not(between(mod(n,10),3,6))'", '-fps_mode', 'vfr'];
  const film = [
    '-f',
    'lavfi',
    '-i',
    'testsrc=s=160x120:r=25:d=3',
    ...uneven,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
  ];
  await ffmpeg(folder, ...film, 'uneven.mkv');
  const media = await readFile(join(folder, 'uneven.mkv'));
  const { source } = await ingest(t, host, media, { filename: 'uneven.mkv' });
  if (source === null) throw new Error('not registered');
  const { runtimeId } = await startStudy(t, host, studyRequest(source));
  await followed(t, host, runtimeId);
  for (const name of ['cuts.edl', 'cuts.otio']) {
    const path = `/v1/runtimes/${runtimeId}/exports/${name}`;
    host.refused(t, await host.get(path), 'frame_rate_required');
    t.is((await host.get(`${path}?rate=25`)).status, 200, name);
  }
});
