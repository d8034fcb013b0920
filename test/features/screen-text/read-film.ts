import type { ScreenTextFact } from '../../../contract/evidence/evidence.ts';
import type { ReadPicture } from '../../../contract/screentext.ts';
import { sampledPictures } from '../../../features/screen-text/engine/sampled-pictures.ts';
import { openScreenTextReader } from '../../../features/screen-text/engine/tesseract.ts';
import { readWindow } from '../../../features/screen-text/screen-texts.ts';
import { judgedText, seenTexts } from '../../../rules/screentext.ts';
import { type DetectionBench, realClock } from '../../executors/evidence/detection-for-tests.ts';
import { madeMedia } from '../../media/made-media.ts';
import { drawn, quickH264 } from '../../media/recipes.ts';

const size = 's=640x360:r=10';

/** Films without a letter, by graphs of ffmpeg: drawings, test pictures whose figures are painted over, patterns, noise and light. */
export const filmsWithoutText: Readonly<Record<string, string>> = {
  bars: `smptehdbars=${size}`,
  colors: `rgbtestsrc=${size}`,
  gradients: `gradients=${size}:n=6:seed=4`,
  fractal: `mandelbrot=${size}`,
  triangles: `sierpinski=${size}`,
  life: `life=${size}:mold=10:ratio=0.1:seed=7`,
  rule: `cellauto=${size}:rule=110:seed=7`,
  noise: `color=gray:${size},noise=alls=100:allf=t:all_seed=7`,
  blots: `color=gray:${size},noise=alls=60:allf=t:all_seed=7,gblur=3,eq=contrast=8`,
  grain: `gradients=${size}:n=3:seed=9,noise=alls=25:allf=t:all_seed=3`,
  waves: `nullsrc=${size},geq=lum='128+100*sin(X/9)*cos(Y/13+N/5)':cb=128:cr=128`,
  zones: `nullsrc=${size},geq=lum='128+127*sin((X*X+Y*Y)/900+N)':cb=128:cr=128`,
  checks: `nullsrc=${size},geq=lum='255*mod(floor((X+N)/16)+floor(Y/16),2)':cb=128:cr=128`,
  stripes: `nullsrc=${size},geq=lum='255*mod(floor((X+N)/12),2)':cb=128:cr=128`,
  bricks: `nullsrc=${size},geq=lum='if(lt(mod(Y,24),3)+lt(mod(X+12*mod(floor(Y/24),2)+N,48),3),210,90+40*sin(floor(X/48)*7+floor(Y/24)*13))':cb=128:cr=150`,
  leaves: `color=0x204020:${size},noise=alls=80:allf=t+u:all_seed=5,gblur=5,eq=contrast=5:saturation=2`,
  rings: `nullsrc=${size},geq=lum='128+127*sin(hypot(X-320,Y-180)/3-N)':cb=110:cr=140`,
  squares: `nullsrc=${size},geq=lum='if(lt(mod(X+3*N,80),40)*lt(mod(Y,60),30),230,30)':cb=100:cr=128`,
};

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
      return { pictures, texts: seenTexts(pictures).map((text) => judgedText({ ...text, language: null }, languages)) };
    },
    close: () => open.close(),
  };
}
