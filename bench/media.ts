import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A playable MP4 of noise (MPEG-2 video, AAC sound), about `bytes` long: nothing in it compresses or repeats. */
export async function makeMedia(file: string, bytes: number): Promise<string> {
  await run('ffmpeg', [
    ...['-v', 'error', '-nostdin'],
    ...['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', '320x240', '-r', '25', '-i', '/dev/urandom'],
    ...['-f', 'lavfi', '-i', 'sine=440:r=48000'],
    ...['-c:v', 'mpeg2video', '-qscale:v', '2', '-g', '12', '-c:a', 'aac', '-fs', String(bytes), file],
  ]);
  return file;
}

/** The same streams in a file of other bytes. */
export async function retitled(from: string, to: string, title: string): Promise<string> {
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-i', from, '-c', 'copy', '-metadata', `title=${title}`, to]);
  return to;
}

/** The size of a file in megabytes (10^6 bytes). */
export const megabytesOf = async (file: string): Promise<number> => (await stat(file)).size / 1e6;
