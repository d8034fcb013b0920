import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import { count, positive } from '../contract/base/grammar.ts';
import { editRateOf, timecodeFrame } from '../formats/frame-code.ts';
import type { TimedKind } from './kind.ts';
import { GRID_TOLERANCE_US, type PictureTimes, pictureRateOf } from './pictures/picture-times.ts';

/** A time code with `;` or `.` before its frames leaves out numbers (SMPTE ST 12-1). */
const DROPPING = /[;.]\d{2}$/;

/**
 * The time base of the pictures; times are in microseconds. `firstPictureUs` is the first picture of the film, and `lastPictureUs` the
 * last one that begins in the range. The latter is null if its time could not be read. The rate is a fraction, and null unless `pace`
 * is constant. `startTimecode` is the code of the first picture, null if the film states none that fits its rate. `pictures` is how
 * many times were read.
 */
export const timeBaseFact = z.strictObject({
  kind: z.literal('time_base.pictures'),
  index: count,
  startMs: count,
  endMs: count,
  firstPictureUs: z.number().int(),
  lastPictureUs: z.number().int().nullable(),
  pace: z.enum(['constant', 'variable', 'unknown']),
  rateNumerator: positive.nullable(),
  rateDenominator: positive.nullable(),
  startTimecode: z.string().max(11).nullable(),
  dropFrame: z.boolean().nullable(),
  reel: z.string().min(1).max(160).nullable(),
  pictures: count,
});
export type TimeBaseFact = z.infer<typeof timeBaseFact>;

type Rate = Pick<TimeBaseFact, 'rateNumerator' | 'rateDenominator'>;

/** The rate as people write it: 25, or 23.976. */
const shownRate = ({ rateNumerator, rateDenominator }: Rate): string | null =>
  rateNumerator === null || rateDenominator === null
    ? null
    : String(Number((rateNumerator / rateDenominator).toFixed(3)));

/** True if a code is one of the frames that this rate counts; a film whose rate is not known may have any. */
function isCodeAt(code: string, rate: Rate): boolean {
  if (rate.rateNumerator === null || rate.rateDenominator === null) return /^\d{2}:\d{2}:\d{2}[:;.]\d{2}$/.test(code);
  const edit = editRateOf({ numerator: rate.rateNumerator, denominator: rate.rateDenominator });
  return edit !== null && timecodeFrame(code, edit, DROPPING.test(code)) !== null;
}

function factOf(times: PictureTimes, { startMs, endMs }: Range): TimeBaseFact[] {
  if (times.firstUs === null) return [];
  const { pace, rate } = pictureRateOf(times);
  const fraction = { rateNumerator: rate?.numerator ?? null, rateDenominator: rate?.denominator ?? null };
  const code = times.timecode !== null && isCodeAt(times.timecode, fraction) ? times.timecode : null;
  const reel = times.reel?.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim() ?? '';
  return [
    {
      kind: 'time_base.pictures',
      index: 0,
      startMs,
      endMs,
      firstPictureUs: times.firstUs,
      lastPictureUs: times.lastUs,
      pace,
      ...fraction,
      startTimecode: code,
      dropFrame: code === null ? null : DROPPING.test(code),
      reel: reel === '' ? null : [...reel].slice(0, 80).join(''),
      pictures: times.runs.reduce((sum, run) => sum + run.length, 0),
    },
  ];
}

const paceWords: Readonly<Record<TimeBaseFact['pace'], string>> = {
  constant: 'constant',
  variable: 'a variable rate',
  unknown: 'a rate that is not known',
};

function saidOf(fact: TimeBaseFact): string {
  const rate = shownRate(fact);
  const pictures = rate === null ? paceWords[fact.pace] : `${rate} pictures a second`;
  return fact.startTimecode === null ? pictures : `${pictures}, from time code ${fact.startTimecode} on`;
}

/** First picture, rate, time code and reel of a film: what makes a frame of a time. */
export const timeBase: TimedKind<'time_base', TimeBaseFact> = {
  name: 'time_base',
  title: 'time base of the pictures',
  track: 'video',
  facts: {
    'time_base.pictures': {
      schema: timeBaseFact,
      words: [
        { value: 'pace', form: 'spaced', after: ' rate of pictures' },
        { value: 'startTimecode', before: ', from time code ', after: ' on' },
      ],
      tone: 'other',
    },
  },
  order: 'free',
  lane: { place: 125, about: 'pictures_and_sound', backdrop: null },
  summary: null,
  row: { usual: false, name: () => 'time base' },
  found: (facts) => ({
    text: facts.length === 0 ? 'not measured' : facts.map(saidOf).join('; '),
    measures: [],
    places: facts,
  }),
  contradiction: ({ facts, input: { range } }) => {
    if (facts.length > 1) return 'facts';
    const [fact] = facts;
    if (fact === undefined) return null;
    if (fact.startMs !== range.startMs || fact.endMs !== range.endMs) return 'facts[0]';
    if (fact.lastPictureUs !== null && fact.lastPictureUs < fact.firstPictureUs) return 'facts[0].lastPictureUs';
    const isRated = fact.rateNumerator !== null && fact.rateDenominator !== null;
    if (isRated !== (fact.pace === 'constant')) return 'facts[0].pace';
    if ((fact.rateNumerator === null) !== (fact.rateDenominator === null)) return 'facts[0].rateDenominator';
    if (fact.startTimecode === null) return fact.dropFrame === null ? null : 'facts[0].dropFrame';
    if (!isCodeAt(fact.startTimecode, fact)) return 'facts[0].startTimecode';
    return fact.dropFrame === DROPPING.test(fact.startTimecode) ? null : 'facts[0].dropFrame';
  },
  parameters: { rule: 'an even rate that fits the times of all packets read', toleranceUs: GRID_TOLERANCE_US },
  ofTimes: factOf,
};
