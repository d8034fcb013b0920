import { readFile, rm } from 'node:fs/promises';
import test from 'ava';
import type { PlaybackMimeType } from '../../../contract/playback/private-playback.ts';
import { ffmpeg } from '../../executors/evidence/media-for-tests.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import type { HostContract } from '../host/contract.ts';
import { humWav } from '../host/media.ts';
import { runtimeOf } from '../host/study-steps.ts';
import { askGrant, askMedia, type Granted, grantOf, objectPath, pageFields, rewrite, uploaded } from './steps.ts';

const sound = ['-f', 'lavfi', '-i', 'sine=440:r=48000:d=1'];
const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x120:r=25:d=1'];
const cover = ['-f', 'lavfi', '-i', 'color=red:s=64x64:d=0.04'];
const attached = ['-map', '0:a', '-map', '1:v', '-disposition:v', 'attached_pic', '-c:v', 'mjpeg'];

/** The sources of grants: what a browser is told of them, and what becomes of damaged ones. */
export function sources(contract: HostContract): void {
  test.serial(contract.title('the container and its tracks name the type, and cover art is no picture'), async (t) => {
    const folder = await scratchFolder(t);
    const rows: [file: string, mimeType: PlaybackMimeType, args: readonly string[]][] = [
      ['film.mp4', 'video/mp4', [...sound, ...picture, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac']],
      ['sound.m4a', 'audio/mp4', [...sound, '-c:a', 'aac']],
      ['표지 있는 노래.mp3', 'audio/mpeg', [...sound, ...cover, ...attached]],
      ['covered.flac', 'audio/flac', [...sound, ...cover, ...attached]],
      ['sound.ogg', 'audio/ogg', [...sound, '-c:a', 'libvorbis']],
      [
        'film.webm',
        'video/webm',
        [...sound, ...picture, '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libvorbis'],
      ],
    ];
    for (const [file, mimeType, args] of rows) {
      await ffmpeg(folder, ...args, file);
      const bytes = await readFile(`${folder}/${file}`);
      const { mimeType: told, mediaPath } = await grantOf(t, contract, await uploaded(t, contract, bytes, file));
      t.is(told, mimeType, file);
      const answer = await askMedia(contract, mediaPath);
      t.is(answer.headers['content-type'], mimeType);
      t.true(answer.body.equals(bytes));
    }
  });

  test.serial(contract.title('a container that no browser type is known for is studied but not played'), async (t) => {
    const folder = await scratchFolder(t);
    await ffmpeg(folder, ...sound, '-c:a', 'aac', '-f', 'mpegts', 'sound.ts');
    const granted = await uploaded(t, contract, await readFile(`${folder}/sound.ts`), 'sound.ts');
    contract.refused(t, await askGrant(contract, granted), 'private_playback_mime_unsupported', pageFields);
  });

  test.serial(contract.title('damaged media is neither granted nor played until it is whole again'), async (t) => {
    const bytes = humWav(62);
    const granted = await uploaded(t, contract, bytes, 'hum.wav');
    const { mediaPath } = await grantOf(t, contract, granted);
    const path = objectPath(contract, granted.request.source.contentId);
    await rewrite(path, Buffer.from(bytes).fill(1, 100, 101));
    await isRefused();
    await rm(path);
    await isRefused();
    await rewrite(path, bytes);
    t.true((await askMedia(contract, mediaPath)).body.equals(bytes));
    await grantOf(t, contract, granted);

    async function isRefused(): Promise<void> {
      // Before the range, which is wrong too.
      const played = await askMedia(contract, mediaPath, { Range: 'bytes=9-8' });
      contract.refused(t, played, 'source_revalidation_failed', pageFields);
      contract.refused(t, await askGrant(contract, granted), 'source_revalidation_failed', pageFields);
    }
  });

  test.serial(contract.title('media whose records are damaged is neither granted nor played'), async (t) => {
    const granted = await uploaded(t, contract, humWav(63), 'hum.wav');
    const { mediaPath } = await grantOf(t, contract, granted);
    const { sourceSession } = (await runtimeOf(t, contract, granted.runtimeId)).runStartReceipt?.record ?? {};
    const records = [sourceSession?.sourceReceipt, sourceSession?.mediaProbe, sourceSession?.preflight];
    for (const record of records) {
      const path = objectPath(contract, record?.contentId ?? '');
      const bytes = await readFile(path);
      await rewrite(path, Buffer.concat([bytes, Buffer.from(' ')]));
      contract.refused(t, await askMedia(contract, mediaPath), 'source_revalidation_failed', pageFields);
      contract.refused(t, await askGrant(contract, granted), 'source_revalidation_failed', pageFields);
      await rewrite(path, bytes);
      t.is((await askMedia(contract, mediaPath)).status, 200);
    }
  });

  test.serial(contract.title('a grant needs the start receipt, whole'), async (t) => {
    const granted = await uploaded(t, contract, humWav(64), 'hum.wav');
    const { runStartReceipt } = await runtimeOf(t, contract, granted.runtimeId);
    const path = objectPath(contract, runStartReceipt?.contentId ?? '');
    const bytes = await readFile(path);
    await rewrite(path, bytes.subarray(1));
    contract.refused(t, await askGrant(contract, granted), 'stored_content_inconsistent', pageFields);
    await rm(path);
    contract.refused(t, await askGrant(contract, granted), 'private_playback_source_unavailable', pageFields);
    await rewrite(path, bytes);
    await grantOf(t, contract, granted);
  });

  test.serial(contract.title('a restart ends every grant, and grants anew'), async (t) => {
    const granted: Granted = await uploaded(t, contract, humWav(65), 'hum.wav');
    const { mediaPath } = await grantOf(t, contract, granted);
    t.is((await askMedia(contract, mediaPath)).status, 200);
    t.like(await contract.stop(), { code: 0 });
    await contract.start();
    contract.refused(t, await askMedia(contract, mediaPath), 'private_playback_grant_unavailable', pageFields);
    const anew = await grantOf(t, contract, granted);
    t.is((await askMedia(contract, anew.mediaPath)).status, 200);
  });
}
