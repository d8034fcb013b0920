import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SAMPLES_PER_MS = 8;
const AUDIBLE = 0.05 * 32_768;

async function decoded(...args: readonly string[]): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const;
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-nostdin', ...args, '-'], options);
  return stdout;
}

/** How light each frame of a film is, 16-235, in order of presentation. */
export async function frameShades(file: string): Promise<readonly number[]> {
  const picture = ['-map', '0:v:0', '-vf', 'scale=16:16', '-pix_fmt', 'yuv420p', '-fps_mode', 'passthrough'];
  const bytes = await decoded('-i', file, ...picture, '-f', 'rawvideo');
  const frameBytes = (16 * 16 * 3) / 2;
  return Array.from({ length: bytes.length / frameBytes }, (_, at) => bytes[at * frameBytes + 8 * 16 + 8] ?? 0);
}

/** When the first track of sound is first heard, in milliseconds, or null when it never is. */
export async function firstSoundMs(file: string): Promise<number | null> {
  const bytes = await decoded(
    '-i',
    file,
    '-map',
    '0:a:0',
    '-ac',
    '1',
    '-ar',
    String(SAMPLES_PER_MS * 1000),
    '-f',
    's16le',
  );
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    if (Math.abs(bytes.readInt16LE(at)) > AUDIBLE) return at / 2 / SAMPLES_PER_MS;
  }
  return null;
}

/** The stated duration of a file and the kinds of its tracks. */
export async function tracksOf(file: string): Promise<{ durationMs: number; tracks: readonly string[] }> {
  const words = ['-v', 'error', '-show_entries', 'format=duration:stream=codec_type', '-of', 'json', file];
  const { stdout } = await run('ffprobe', words);
  const { format, streams }: { format: { duration: string }; streams: { codec_type: string }[] } = JSON.parse(stdout);
  return { durationMs: Number(format.duration) * 1000, tracks: streams.map(({ codec_type }) => codec_type) };
}
