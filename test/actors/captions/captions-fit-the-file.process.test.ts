import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { spokenLanguage } from '../../../client/studies.ts';
import { type MediaRecipe, madeMedia } from '../../media/made-media.ts';
import { drawn } from '../../media/recipes.ts';
import { approveCaptions, newRoot, openClientHost } from '../client-host.ts';

const run = promisify(execFile);

const grouped = ['--caption-executor', 'grouped-subtitles', '--allow-embedded-subtitle-captions'];
const cues = (words: string): string =>
  `1\n00:00:01,000 --> 00:00:02,000\n${words} one\n\n2\n00:00:03,000 --> 00:00:04,500\n${words} two\n`;
const late = ['-itsoffset', '0.064'];
const tracks = ['-i', 'ko.srt', '-i', 'en.srt'];
const tags = ['-c:s', 'srt', '-metadata:s:s:0', 'language=kor', '-metadata:s:s:1', 'language=eng'];
const inputs = { 'ko.srt': cues('안녕하세요'), 'en.srt': cues('Good morning') };

const film = (words: readonly string[]): MediaRecipe => ({ words: [...words, ...tags], extension: 'mkv', inputs });
const sound = drawn('sine=d=6:r=16000');
const picture = drawn('color=black:s=64x64:r=5:d=6');
const films: Readonly<Record<string, MediaRecipe>> = {
  'whose sound, and all of it, starts at 64 ms': film([
    ...late,
    ...sound,
    ...tracks,
    ...['-map', '0', '-map', '1', '-map', '2', '-c:a', 'flac'],
  ]),
  'whose sound starts 64 ms after its pictures': film([
    ...late,
    ...sound,
    ...picture,
    ...tracks,
    ...['-map', '1', '-map', '0', '-map', '2', '-map', '3', '-c:v', 'mpeg4', '-c:a', 'flac'],
  ]),
  'whose pictures and lines start 64 ms later, as those of AAC at 16 kHz do': film([
    ...sound,
    ...picture,
    ...tracks,
    ...['-map', '1', '-map', '0', '-map', '2', '-map', '3', '-c:v', 'mpeg4', '-c:a', 'aac'],
  ]),
};

/** Presentation times of the packets of a stream, in ms. */
async function packetTimes(file: string, stream: string): Promise<readonly number[]> {
  const show = ['-select_streams', stream, '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'];
  const { stdout } = await run('ffprobe', ['-v', 'error', ...show, file]);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [Math.round(1000 * Number.parseFloat(line))]));
}

/** How far behind the first sound the lines of a file come. */
async function behindSound(file: string): Promise<readonly number[]> {
  const [[first = 0], lines] = await Promise.all([packetTimes(file, 'a:0'), packetTimes(file, 's:0')]);
  return lines.map((ms) => ms - first);
}

for (const [which, recipe] of Object.entries(films)) {
  test(`captions fit an MKV ${which}`, async (t) => {
    const path = await madeMedia(recipe);
    const root = await newRoot(t);
    const { client } = await openClientHost(t, root, { flags: grouped });
    const rights = { label: 'Late', rightsHolder: 'Me', ownershipAttested: true } as const;
    const source = await client.ingestFile(path, rights);
    const request = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('ko') };
    const { runtimeId } = await client.study(source, { ...request, outputDepth: 'captions' }).ended();
    await approveCaptions(client, runtimeId);
    await client.captions.produce(runtimeId);
    await client.captions.checked(runtimeId);
    const written = join(dirname(root), 'film.ko.srt');
    await writeFile(written, await client.export(runtimeId, 'captions.srt', { side: 'source' }));
    // Put beside the media as ffmpeg does it, with the media as it is.
    const muxed = join(dirname(root), 'muxed.mkv');
    const maps = ['-map', '0:a', '-map', '1', '-c', 'copy'];
    await run('ffmpeg', ['-v', 'error', '-i', path, '-i', written, ...maps, muxed]);
    t.deepEqual(await behindSound(muxed), await behindSound(path));
  });
}
