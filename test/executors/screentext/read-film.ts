import { readWindow } from '../../../actors/screentext/read-window.ts';
import type { ScreenTextFact } from '../../../contract/evidence/screen-text.ts';
import type { ReadPicture } from '../../../contract/screentext/read-pictures.ts';
import { sampledPictures } from '../../../executors/screentext/sampled-pictures.ts';
import { openScreenTextReader } from '../../../executors/screentext/tesseract.ts';
import { seenTexts } from '../../../receipts/screentext/seen-texts.ts';
import { judgedText } from '../../../receipts/screentext/text-gates.ts';
import { madeMedia } from '../../media/made-media.ts';
import { drawn, quickH264 } from '../../media/recipes.ts';
import { type DetectionBench, realClock } from '../evidence/detection-for-tests.ts';

/** A film by a graph of ffmpeg, as an encoder of our time would leave it. */
export function filmOf(graph: string, seconds: number): Promise<string> {
  const encoded = ['-t', String(seconds), '-r', '10', ...quickH264, '-crf', '23'];
  return madeMedia({ words: [...drawn(graph), '-pix_fmt', 'yuv420p', ...encoded], extension: 'mkv' });
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
