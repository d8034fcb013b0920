import type { z } from 'zod';
import { type BlackFact, blackFact } from '../contract/evidence/evidence.ts';
import { spread, stretches } from './found.ts';
import { type MeteredKind, milliOf, statedNumber } from './kind.ts';
import type { Meter } from './meter.ts';
import { PictureRuns, pictureRunsState, shortRunAt } from './pictures/picture-runs.ts';
import { brightnessAt, SMALL_BYTES, type SmallPicture } from './pictures/small-picture.ts';

/**
 * Black as ffmpeg's `blackdetect` has it: how dark a pixel is, of full scale, and the share of such pixels. Shorter runs are
 * steps of a fade or of a strobe.
 */
const RULE = { pixelThreshold: 0.1, pictureShare: 0.98, leastMs: 200 } as const;

const PIXELS = SMALL_BYTES / 3;

// The part above the threshold is at most white: a lighter picture has too many such pixels.
const LIGHTEST_BLACK = 255 * (1 - RULE.pictureShare * (1 - RULE.pixelThreshold));

/** The share of black pixels of a black picture; 0 for any other. */
function blackShare({ rgb, light }: SmallPicture): number {
  if (light > LIGHTEST_BLACK) return 0;
  let share = 1;
  for (let at = 0, lighter = 0; at < SMALL_BYTES && share >= RULE.pictureShare; at += 3) {
    if (brightnessAt(rgb, at) <= RULE.pixelThreshold * 255) continue;
    lighter += 1;
    share = (PIXELS - lighter) / PIXELS;
  }
  return share < RULE.pictureShare ? 0 : share;
}

/** Pictures that are black for a while. */
export const blackFrames: MeteredKind<'black_frames', BlackFact, z.infer<typeof pictureRunsState>> = {
  name: 'black_frames',
  title: 'black pictures',
  track: 'video',
  facts: { black: { schema: blackFact, words: ['black pictures'], tone: 'dark' } },
  order: 'successive',
  lane: { place: 90, about: 'pictures_and_sound', backdrop: null },
  summary: { words: ['Black picture: ', ...spread, '.'] },
  terminal: { onlyIfFound: true },
  row: { usual: false, name: () => 'black' },
  found: stretches,
  contradiction: (evidence) => {
    const { facts, input } = evidence;
    const short = shortRunAt(facts, input.range, statedNumber(evidence, 'leastMs') ?? 0);
    if (short !== -1) return `facts[${short}].endMs`;
    const least = milliOf(statedNumber(evidence, 'pictureShare')) ?? 0;
    const light = facts.findIndex(({ blackMilli }) => blackMilli < least);
    return light === -1 ? null : `facts[${light}].blackMilli`;
  },
  parameters: RULE,
  state: pictureRunsState,
  meter: ({ range }, from): Meter<BlackFact, z.infer<typeof pictureRunsState>> => {
    const runs = new PictureRuns(RULE.leastMs, from);
    return {
      picture: (picture) => {
        runs.next(picture.atMs);
        const share = blackShare(picture);
        if (share === 0) runs.stop(picture.atMs);
        else runs.go(picture.atMs, Math.min(share, runs.measure ?? 1));
      },
      save: () => runs.save(),
      end: () => runs.end(),
      facts: () =>
        runs.within(range).map(({ startMs, endMs, measure }, index) => ({
          kind: 'black',
          index,
          startMs,
          endMs,
          blackMilli: Math.round(measure * 1000),
        })),
    };
  },
};
