import type { ReadPicture } from '../../contract/screentext.ts';
import { differs, isNoise } from '../../executors/screentext/grey-picture.ts';
import type { SampledPicture } from '../../executors/screentext/sampled-pictures.ts';
import type { OpenReader } from '../../executors/screentext/tesseract.ts';
import { clearMilliOf, isClutter, keptTexts } from '../../rules/screentext.ts';

/**
 * Behind clutter no picture is read for so long, unless it is a keyframe, and behind so many such pictures none of the window: each
 * would take the engine seconds, for nothing.
 */
export const CLUTTER_REST = { restMs: 10_000, most: 2 } as const;

/**
 * Reads the pictures of one window that are not those before them, and neither noise nor shortly behind clutter. `keyframesMs` are
 * the moments of keyframes. Rejects as the reader does.
 */
export async function readWindow(
  reader: Pick<OpenReader, 'read'>,
  pictures: readonly SampledPicture[],
  keyframesMs: ReadonlySet<number>,
): Promise<ReadPicture[]> {
  const found: ReadPicture[] = [];
  let before: SampledPicture | null = null;
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  let cluttered = 0;
  for (const picture of pictures) {
    const last = found.at(-1);
    if (before !== null && last !== undefined && !differs(before, picture)) {
      found[found.length - 1] = { ...last, untilMs: picture.atMs };
      continue;
    }
    before = picture;
    const at = { atMs: picture.atMs, untilMs: picture.atMs };
    const rests = picture.atMs < restsUntilMs && !keyframesMs.has(picture.atMs);
    if (rests || cluttered === CLUTTER_REST.most || isNoise(picture)) {
      found.push({ ...at, clearMilli: 0, texts: [] });
      continue;
    }
    const texts = await reader.read(picture.pgm);
    if (isClutter(texts)) {
      restsUntilMs = picture.atMs + CLUTTER_REST.restMs;
      cluttered += 1;
    }
    found.push({ ...at, clearMilli: clearMilliOf(texts), texts: keptTexts(texts).slice(0, 1024) });
  }
  return found;
}
