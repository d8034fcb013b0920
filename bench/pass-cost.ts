import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { promisify } from 'node:util';
import { systemClock } from '../actors/supervision/system-clock.ts';
import { openDetector } from '../executors/detector/detector.ts';
import { type DetectDeps, detectRange } from '../executors/evidence/detect.ts';
import { openLauncher } from '../executors/process/launcher.ts';
import { resolveTools } from '../executors/process/tools.ts';
import { childrenCpuMs } from './process-figures.ts';
import { withScratch } from './scratch.ts';

// The CPU time of a decode pass over the first seconds of a file, by process, beside decoding alone:
//
//   node --import tsx bench/pass-cost.ts FILE SECONDS TRACK [TRACK]
//
// A track is `sound=INDEX` or `pictures=INDEX`. This process does the part of the host. The time of the detector includes its
// start, so take a long file.

const [file = '', seconds = '', ...named] = process.argv.slice(2);
const endMs = Number(seconds) * 1000;
const indexOf = (name: string): number | null => {
  const track = named.find((each) => each.startsWith(`${name}=`));
  return track === undefined ? null : Number(track.slice(name.length + 1));
};
const [audioTrackIndex, videoTrackIndex] = [indexOf('sound'), indexOf('pictures')];
if (!(endMs > 0) || (audioTrackIndex === null && videoTrackIndex === null)) {
  process.stderr.write('usage: node --import tsx bench/pass-cost.ts FILE SECONDS sound=INDEX pictures=INDEX\n');
  process.exit(2);
}

await withScratch(async (folder) => {
  const bare = await decode();
  const launcher = await openLauncher({ workRoot: await mkdtemp(`${folder}/work-`), newId: randomUUID });
  const tools = await resolveTools(launcher, process.env);
  const detector = openDetector({ launcher, clock: systemClock, idleMs: endMs });
  const [before, own] = [childrenCpuMs(), process.cpuUsage()];
  await pass({ launcher, ...tools, detector });
  const { user, system } = process.cpuUsage(own);
  const decoded = childrenCpuMs() - before;
  await detector.close();
  const detected = childrenCpuMs() - before - decoded;
  await launcher.close();
  const host = (user + system) / 1000;
  const all = { bare, ffmpeg: decoded, detector: detected, host, all: decoded + detected + host };
  for (const [name, ms] of Object.entries(all)) {
    const perHour = (ms / endMs) * 3600;
    process.stdout.write(`${name.padEnd(8)} ${(ms / 1000).toFixed(2)} s, ${perHour.toFixed(1)} s an hour of media\n`);
  }
});

/** Decodes the same tracks alone. */
async function decode(): Promise<number> {
  const before = childrenCpuMs();
  const maps = [audioTrackIndex, videoTrackIndex].flatMap((index) => (index === null ? [] : ['-map', `0:${index}`]));
  const input = ['-nostdin', '-v', 'error', '-t', seconds, '-i', file];
  await promisify(execFile)('ffmpeg', [...input, ...maps, '-fps_mode', 'passthrough', '-f', 'null', '-']);
  return childrenCpuMs() - before;
}

function pass(deps: DetectDeps): Promise<unknown> {
  const tracks = { audioTrackIndex, videoTrackIndex };
  const sourceContentId = `sha256:${'0'.repeat(64)}`;
  const { signal } = new AbortController();
  return detectRange(deps, {
    path: file,
    sourceContentId,
    range: { startMs: 0, endMs },
    ...tracks,
    signal,
    keep: async () => undefined,
  });
}
