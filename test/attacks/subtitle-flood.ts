import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { encodeDetections } from '../../receipts/evidence/media-operation.ts';
import { evidenceShape } from '../../receipts/stages/detect.ts';
import { reopenJson } from '../../receipts/stored-records.ts';
import { openDetectionBench, subtitles } from '../executors/evidence/detection-for-tests.ts';
import { ffmpeg } from '../executors/evidence/media-for-tests.ts';
import { threadTimeMs } from '../thread-time.ts';

const trackCount = 30;
const stallBoundMs = 50;
const memoryBoundBytes = 400e6;

const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 23).replace('.', ',');

/**
 * The longest time for which this process kept its event loop to itself, in milliseconds, while `work` lasts. A turn counts
 * with the processor time that it took, because on a busy machine the process may only have waited for its own turn.
 */
async function longestStall(work: () => Promise<void>): Promise<number> {
  let [before, used] = [performance.now(), threadTimeMs()];
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, Math.min(performance.now() - before, threadTimeMs() - used));
    [before, used] = [performance.now(), threadTimeMs()];
  }, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return longest;
}

/** Reads, records and reopens a file of thirty text tracks with so many cues each, over ranges of every density. */
export async function subtitleFlood(t: ExecutionContext, cuesOfTrack: number): Promise<void> {
  const bench = await openDetectionBench();
  t.teardown(() => bench.close());
  const spacingMs = 7;
  const endMs = cuesOfTrack * spacingMs;
  const lines = Array.from({ length: cuesOfTrack }, (_, at) => {
    const startMs = at * spacingMs;
    return `${at + 1}\n${clock(startMs)} --> ${clock(startMs + spacingMs)}\nThis is line ${at}\n\n`;
  });
  await writeFile(path.join(bench.folder, 'flood.srt'), lines.join(''));
  const maps = Array.from({ length: trackCount }, () => ['-map', '1']).flat();
  const picture = ['-f', 'lavfi', '-i', `color=black:s=64x64:r=1:d=${Math.ceil(endMs / 1000)}`];
  await ffmpeg(bench.folder, ...picture, '-i', 'flood.srt', '-map', '0', ...maps, '-c:s', 'copy', 'flood.mkv');
  const file = path.join(bench.folder, 'flood.mkv');
  const tracks = Array.from({ length: trackCount }, (_, at) => ({ index: at + 1, codec: 'subrip', language: null }));
  const record = async (from: number, to: number): Promise<number> => {
    let available = 0;
    for (const detection of await subtitles(bench, file, [from, to], tracks)) {
      const { objects } = encodeDetections([detection], null);
      await setImmediate();
      for (const stored of objects) {
        reopenJson(evidenceShape, stored);
        available += 1;
        await setImmediate();
      }
    }
    return available;
  };
  // The first time everything is compiled, which no file can bring about again.
  await record(0, 1000);
  const stalls: number[] = [];
  // The work itself causes the same delay every time; a garbage collection or a compilation comes once.
  while (stalls.length < 3 && Math.min(...stalls) >= stallBoundMs) {
    const found: number[] = [];
    const stall = await longestStall(async () => {
      for (const [from, to] of [
        [0, endMs],
        [endMs - 10_000, endMs],
        [endMs - 1000, endMs],
      ] as const) {
        found.push(await record(from, to));
      }
    });
    stalls.push(stall);
    // All tracks are over the bound; then so many as all together may have; then every track.
    t.deepEqual(found, [0, 2 * 5, 2 * trackCount]);
  }
  t.true(Math.min(...stalls) < stallBoundMs, `the event loop stood still for ${stalls.map(Math.round).join(', ')} ms`);
  t.true(process.memoryUsage().rss < memoryBoundBytes);
}
