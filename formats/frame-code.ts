import type { EditRate } from '../contract/exports.ts';

/** How time is counted in frames. */
interface FrameCount {
  /** Frames in a second of the code. */
  readonly nominal: number;
  /** True if a second of the code lasts 1.001 seconds. */
  readonly isSlowed: boolean;
  /** Numbers that the code leaves out at each minute but the tenth, so that it stays with the clock; 0 without drop frames. */
  readonly dropped: number;
}

const counts: Readonly<Record<EditRate, FrameCount>> = {
  '23.976': { nominal: 24, isSlowed: true, dropped: 0 },
  '24': { nominal: 24, isSlowed: false, dropped: 0 },
  '25': { nominal: 25, isSlowed: false, dropped: 0 },
  '29.97': { nominal: 30, isSlowed: true, dropped: 2 },
  '30': { nominal: 30, isSlowed: false, dropped: 0 },
  '50': { nominal: 50, isSlowed: false, dropped: 0 },
  '59.94': { nominal: 60, isSlowed: true, dropped: 4 },
  '60': { nominal: 60, isSlowed: false, dropped: 0 },
};

/** Counts the frames of a rate. Codes of 29.97 and 59.94 drop numbers unless `drops` is false; no other rate drops any. */
export function frameCountOf(rate: EditRate, drops = true): FrameCount {
  const count = counts[rate];
  return drops ? count : { ...count, dropped: 0 };
}

/** A rate as a fraction: 24000/1001 for 23.976. */
export function fractionOf(rate: EditRate): { readonly numerator: number; readonly denominator: number } {
  const { nominal, isSlowed } = counts[rate];
  return isSlowed ? { numerator: nominal * 1000, denominator: 1001 } : { numerator: nominal, denominator: 1 };
}

/** The rate of edit lists that a fraction is; null for one that they do not have. */
export function editRateOf({ numerator, denominator }: { numerator: number; denominator: number }): EditRate | null {
  const isSame = (rate: EditRate): boolean => {
    const named = fractionOf(rate);
    // Some files state 29.97 as 2997/100: the same frames for eleven days.
    return Math.abs(numerator / denominator - named.numerator / named.denominator) < 1e-4;
  };
  return (Object.keys(counts) as EditRate[]).find(isSame) ?? null;
}

/** The frame that is nearest to a time in microseconds, counted from zero on. */
export const frameAt = (us: number, rate: { readonly numerator: number; readonly denominator: number }): number =>
  Math.round((us * rate.numerator) / (rate.denominator * 1_000_000));

/** The number in the code of the frame with this index: larger by the numbers that were left out before it. */
function numberOf(frame: number, { nominal, dropped }: FrameCount): number {
  if (dropped === 0) return frame;
  const minute = nominal * 60 - dropped;
  const tenMinutes = minute * 10 + dropped;
  const [tens, rest] = [Math.floor(frame / tenMinutes), frame % tenMinutes];
  const minutes = rest < nominal * 60 ? 0 : 1 + Math.floor((rest - nominal * 60) / minute);
  return frame + dropped * (9 * tens + minutes);
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `hh:mm:ss:ff`, with drop frames `hh:mm:ss;ff`; wraps after a day, as tapes do. */
export function frameCode(frame: number, count: FrameCount): string {
  const number = numberOf(frame, count);
  const seconds = Math.floor(number / count.nominal);
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}${count.dropped === 0 ? ':' : ';'}${two(number % count.nominal)}`;
}

const CODE = /^(\d{2}):(\d{2}):(\d{2})[:;.](\d{2})$/;

/** The index of the frame that a code names; null for a code that this rate does not have. */
export function timecodeFrame(code: string, rate: EditRate, drops: boolean): number | null {
  const [hours = 0, minutes = 0, seconds = 0, frames = 0] = (CODE.exec(code) ?? []).slice(1).map(Number);
  const { nominal, dropped } = frameCountOf(rate, drops);
  if (!CODE.test(code) || hours > 23 || minutes > 59 || seconds > 59 || frames >= nominal) return null;
  // Only rates with a fraction can drop numbers, and these are never used.
  if (drops && dropped === 0) return null;
  if (seconds === 0 && minutes % 10 !== 0 && frames < dropped) return null;
  const minute = hours * 60 + minutes;
  return (minute * 60 + seconds) * nominal + frames - dropped * (minute - Math.floor(minute / 10));
}
