import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { ffmpeg } from '../executors/evidence/media-for-tests.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { OneHost } from './one-host.ts';

const owner = { rightsHolder: 'Me', ownershipAttested: true } as const;

/** A warning as its code, with the reason or the codecs behind it. */
const said = (warning: object & { readonly code: string }): string =>
  [
    warning.code,
    ...('reason' in warning ? [warning.reason] : []),
    ...('codecs' in warning ? [warning.codecs] : []),
  ].join(' ');

test('before a study a person learns what the file lacks, what a browser may not play, and why no captions will come', async (t) => {
  const folder = await scratchFolder(t);
  const host = await OneHost.start();
  t.teardown(() => host.remove());
  const hum = ['-f', 'lavfi', '-i', 'sine=f=300:r=8000'];
  const film = ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=5'];
  await ffmpeg(folder, ...hum, '-t', '122', '-c:a', 'ac3', '-b:a', '32k', 'sound.mka');
  await ffmpeg(folder, ...film, '-t', '2', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', 'silent.mp4');
  await ffmpeg(folder, ...hum, '-t', '4', 'cut.wav');
  await truncate(join(folder, 'cut.wav'), 60_000);

  const warned = async (file: string, endMs: number, outputDepth: 'captions' | 'evidence'): Promise<string[]> => {
    const source = await host.client.ingestFile(join(folder, file), { ...owner, label: file });
    const { warnings } = await host.client.warnings(source, {
      range: { startMs: 0, endMs },
      requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
      targetLanguage: 'en',
      outputDepth,
    });
    return warnings.map(said);
  };
  t.deepEqual(await warned('sound.mka', 121_000, 'captions'), [
    'no_video_track',
    'captions_not_possible range_too_long',
    'captions_not_possible no_text_tracks',
    'codec_may_not_play ac3',
  ]);
  t.deepEqual(await warned('silent.mp4', 1000, 'evidence'), ['no_audio_track']);
  t.deepEqual(await warned('cut.wav', 1000, 'evidence'), ['no_video_track', 'media_incomplete']);
});
