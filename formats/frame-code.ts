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

export const frameCountOf = (rate: EditRate): FrameCount => counts[rate];

/** The frame that is nearest to a time. */
export const framesOf = (ms: number, { nominal, isSlowed }: FrameCount): number =>
  Math.round((ms * nominal) / (isSlowed ? 1001 : 1000));

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
