/** A fraction of whole numbers above zero, such as 30000/1001 pictures a second. */
export interface Fraction {
  readonly numerator: number;
  readonly denominator: number;
}

/**
 * What a container says about the times of its pictures. Times are in microseconds and count from the start of the container, as all
 * times of a study do.
 */
export interface PictureTimes {
  /** The first picture that a decoder shows; null if it shows none. */
  readonly firstUs: number | null;
  /** The last picture of the range, as far as times were read; null without any. */
  readonly lastUs: number | null;
  /** Times of packets in ascending order: stretches in which none is left out, the earliest first. */
  readonly runs: readonly (readonly number[])[];
  /** The rates that the container states. Times decide whether one is right. */
  readonly statedRates: readonly Fraction[];
  /** The time code of the first picture, as the container or the first picture states it. */
  readonly timecode: string | null;
  readonly reel: string | null;
}

/**
 * How far a time may lie from its place in even steps. Containers round times to a millisecond, and a copy into another container
 * keeps that; two such roundings and the first picture's own are below this.
 */
export const GRID_TOLERANCE_US = 1500;

const MICROSECONDS = 1_000_000;

const usualRates: readonly Fraction[] = [24, 25, 30, 50, 60, 48, 100, 120].flatMap((nominal) => {
  const even = { numerator: nominal, denominator: 1 };
  return nominal % 12 === 0 || nominal === 30 ? [{ numerator: nominal * 1000, denominator: 1001 }, even] : [even];
});

/** The place of a time in even steps from the first picture on. */
const stepOf = (us: number, firstUs: number, { numerator, denominator }: Fraction): number =>
  ((us - firstUs) * numerator) / (denominator * MICROSECONDS);

const lengthOfStep = ({ numerator, denominator }: Fraction): number => (denominator * MICROSECONDS) / numerator;

/** True if each time is one step behind the one before, and every stretch lies on the steps from the first picture on. */
function isOnGrid({ firstUs, runs }: { firstUs: number; runs: PictureTimes['runs'] }, rate: Fraction): boolean {
  const step = lengthOfStep(rate);
  const tolerance = Math.min(GRID_TOLERANCE_US, step / 4);
  let [least, most] = [0, 0];
  for (const run of runs) {
    const place = Math.round(stepOf(run[0] ?? firstUs, firstUs, rate));
    for (const [at, us] of run.entries()) {
      const off = us - firstUs - (place + at) * step;
      [least, most] = [Math.min(least, off), Math.max(most, off)];
    }
  }
  return most - least <= 2 * tolerance;
}

/** The simplest fraction near a number, by its continued fraction. */
function nearbyFraction(value: number, mostDenominator: number): Fraction {
  let [below, above] = [
    { numerator: 0, denominator: 1 },
    { numerator: 1, denominator: 0 },
  ];
  let rest = value;
  for (;;) {
    const whole = Math.floor(rest);
    const next = {
      numerator: whole * above.numerator + below.numerator,
      denominator: whole * above.denominator + below.denominator,
    };
    if (next.denominator > mostDenominator) return above;
    [below, above] = [above, next];
    if (rest - whole < 1e-6) return above;
    rest = 1 / (rest - whole);
  }
}

/** The mean rate of the longest stretch; null where no stretch has two pictures. */
function meanRate(runs: PictureTimes['runs']): number | null {
  const longest = runs.reduce<readonly number[]>((best, run) => (run.length > best.length ? run : best), []);
  const lengthUs = (longest.at(-1) ?? 0) - (longest[0] ?? 0);
  return longest.length < 2 || lengthUs <= 0 ? null : ((longest.length - 1) * MICROSECONDS) / lengthUs;
}

// Of a rate that nobody names, no more is claimed than the times of a few seconds show.
const MOST_DENOMINATOR = 1001;
const FEWEST_PICTURES = 3;

// Less than half of what lies between 23.976 and 24.
const SAME = 0.01;

const numberOf = ({ numerator, denominator }: Fraction): number => numerator / denominator;

/** `constant`: the even rate of all times that were read. `unknown`: too few times to tell. */
export type PictureRate =
  | { readonly pace: 'constant'; readonly rate: Fraction }
  | { readonly pace: 'variable' | 'unknown'; readonly rate: null };

/**
 * The rate of pictures, decided by the times of their packets. What the container states is only tried first; a short film in
 * milliseconds may fit several rates. `variable` if no even rate fits them all.
 */
export function pictureRateOf({ firstUs, runs, statedRates }: PictureTimes): PictureRate {
  const mean = meanRate(runs);
  const pictures = runs.reduce((sum, run) => sum + run.length, 0);
  if (firstUs === null || mean === null || pictures < FEWEST_PICTURES) return { pace: 'unknown', rate: null };
  const distance = (each: Fraction): number => Math.abs(numberOf(each) - mean);
  const near = usualRates.toSorted((one, other) => distance(one) - distance(other));
  // Containers with coarse clocks state fractions such as 19001/317 for 60000/1001.
  const stated = statedRates.flatMap((each) =>
    near.filter((usual) => Math.abs(numberOf(each) - numberOf(usual)) < SAME),
  );
  const whole = { numerator: Math.max(1, Math.round(mean)), denominator: 1 };
  const others = statedRates.filter(({ denominator }) => denominator <= MOST_DENOMINATOR);
  const candidates = [...stated, ...near, whole, ...others, nearbyFraction(mean, MOST_DENOMINATOR)];
  const rate = candidates.find((each) => each.numerator > 0 && isOnGrid({ firstUs, runs }, each));
  return rate === undefined ? { pace: 'variable', rate: null } : { pace: 'constant', rate };
}
