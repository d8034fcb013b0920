import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { readWindow } from '../../../actors/screentext/read-window.ts';
import type { ScreenTextFact } from '../../../contract/evidence/screen-text.ts';
import type { ReadPicture } from '../../../contract/screentext/read-pictures.ts';
import { sampledPictures } from '../../../executors/screentext/sampled-pictures.ts';
import { openScreenTextReader } from '../../../executors/screentext/tesseract.ts';
import { seenTexts } from '../../../receipts/screentext/seen-texts.ts';
import { judgedText } from '../../../receipts/screentext/text-gates.ts';
import { type DetectionBench, realClock } from '../evidence/detection-for-tests.ts';

const run = promisify(execFile);

/** Makes a film by a graph of ffmpeg, as an encoder of our time would leave it. */
export async function filmOf(bench: DetectionBench, name: string, graph: string, seconds: number): Promise<string> {
  const file = path.join(bench.folder, `${name}.mkv`);
  const encoded = ['-t', String(seconds), '-r', '10', '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '23', file];
  await run(bench.ffmpeg.path, ['-v', 'error', '-y', '-f', 'lavfi', '-i', graph, '-pix_fmt', 'yuv420p', ...encoded]);
  return file;
}

/** Reads films by one process of the engine, each in one window. */
export async function openFilmReader(bench: DetectionBench, languages: readonly string[]) {
  const { signal } = new AbortController();
  const reader = await openScreenTextReader(
    { engine: 'tesseract', languages },
    { launcher: bench.launcher, clock: realClock },
  );
  const open = await reader.open(signal);
  return {
    read: async (file: string, seconds: number): Promise<{ pictures: ReadPicture[]; texts: ScreenTextFact[] }> => {
      const window = { startMs: 0, endMs: seconds * 1000 };
      const request = { path: file, videoTrackIndex: 0, window, keyframesMs: [], signal };
      const pictures = await readWindow(open, await sampledPictures(bench, request), new Set());
      return { pictures, texts: seenTexts(pictures).map((text) => judgedText({ ...text, language: null })) };
    },
    close: () => open.close(),
  };
}
