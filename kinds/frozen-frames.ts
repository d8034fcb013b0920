import { z } from 'zod';
import { type FrozenFact, frozenFact } from '../contract/evidence/evidence.ts';
import { spread, stretches } from './found.ts';
import { type MeteredKind, milliOf, statedNumber } from './kind.ts';
import { PictureRuns, pictureRunsState, shortRunAt } from './pictures/picture-runs.ts';
import {
  blockDifference,
  difference,
  keptPicture,
  restoredPicture,
  type SmallPicture,
} from './pictures/small-picture.ts';

/** Frozen as ffmpeg's `freezedetect` has it: the mean distance from the first picture, of full scale (−60 dB). */
const RULE = { mostChange: 0.001, leastMs: 2000 } as const;

/** Blocks differ at most as much as their pixels, and most pictures move: these need no look at every pixel. */
function changeOf(first: SmallPicture, picture: SmallPicture): number {
  const least = blockDifference(first, picture) / 255;
  return least > RULE.mostChange ? least : difference(first, picture) / 255;
}

const state = z.strictObject({ runs: pictureRunsState, first: keptPicture.nullable() });

/** Pictures that do not change for a while. Holds one picture. */
export const frozenFrames: MeteredKind<'frozen_frames', FrozenFact, z.infer<typeof state>> = {
  name: 'frozen_frames',
  title: 'frozen pictures',
  track: 'video',
  facts: { frozen: { schema: frozenFact, words: ['frozen pictures'], tone: 'still' } },
  order: 'successive',
  lane: { place: 100, about: 'pictures_and_sound', backdrop: null },
  summary: { words: ['Frozen picture: ', ...spread, '.'] },
  terminal: { onlyIfFound: true },
  row: { usual: false, name: () => 'frozen' },
  found: stretches,
  contradiction: (evidence) => {
    const { facts, input } = evidence;
    const short = shortRunAt(facts, input.range, statedNumber(evidence, 'leastMs') ?? 0);
    if (short !== -1) return `facts[${short}].endMs`;
    const most = milliOf(statedNumber(evidence, 'mostChange'));
    const moving = facts.findIndex(({ changeMilli }) => most !== null && changeMilli > most);
    return moving === -1 ? null : `facts[${moving}].changeMilli`;
  },
  parameters: RULE,
  state,
  meter: ({ range }, from) => {
    const runs = new PictureRuns(RULE.leastMs, from?.runs);
    let first = from?.first == null ? null : restoredPicture(from.first);
    return {
      picture: (picture) => {
        const { atMs } = picture;
        runs.next(atMs);
        const change = first === null ? 1 : changeOf(first, picture);
        if (change <= RULE.mostChange) {
          runs.go(atMs, Math.max(change, runs.measure ?? 0));
          return;
        }
        runs.stop(atMs);
        first = picture;
        runs.go(atMs, 0);
      },
      save: () => ({ runs: runs.save(), first: first === null ? null : { atMs: first.atMs, rgb: first.rgb } }),
      end: () => runs.end(),
      facts: () =>
        runs.within(range).map(({ startMs, endMs, measure }, index) => ({
          kind: 'frozen',
          index,
          startMs,
          endMs,
          changeMilli: Math.round(measure * 1000),
        })),
    };
  },
};
