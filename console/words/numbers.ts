import type { Engine } from '../../contract/operation.ts';

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** `83450` as `1:23.450`; hours only where there are any. */
export function clockTime(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = `${pad(Math.floor(ms / 1000) % 60, 2)}.${pad(Math.floor(ms) % 1000, 3)}`;
  return hours > 0 ? `${hours}:${pad(minutes, 2)}:${seconds}` : `${minutes}:${seconds}`;
}

/** A length in words for a table: `1:23` for whole seconds and more, `0.450 s` below a second. */
export function duration(ms: number): string {
  if (ms < 1000) return `${(ms / 1000).toFixed(3)} s`;
  return mediaTime(ms);
}

/** A time of the media, without milliseconds if it is a whole second: `0:50`, `0:50.040`. */
export const mediaTime = (ms: number): string => clockTime(ms).replace(/\.000$/, '');

/** A length of media to the second, `3:16`: what people choose by. */
export const wholeSeconds = (ms: number): string => mediaTime(Math.round(ms / 1000) * 1000);

/** A range of the media: `0:00–0:50`; a point of it where both ends are one. */
export const rangeCode = (startMs: number, endMs: number): string =>
  startMs === endMs ? mediaTime(startMs) : `${mediaTime(startMs)}–${mediaTime(endMs)}`;

/** Milliseconds of what a person typed: `1:02:03.5`, `2:03`, `3.25` or `3`; null without one of these. */
export function parsedTimeCode(text: string): number | null {
  const [, whole, fraction = ''] = /^((?:\d+:){0,2}\d+)(?:[.,](\d{1,3}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return null;
  const parts = whole.split(':').map(Number);
  if (parts.slice(1).some((part) => part > 59)) return null;
  const seconds = parts.reduce((sum, part) => sum * 60 + part, 0);
  return seconds * 1000 + Number(fraction.padEnd(3, '0'));
}

/** The time of day of a record to the millisecond, on the clock of this machine as `moment` has it. */
export function timeOfDay(timestamp: string): string {
  const at = new Date(timestamp);
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => pad(part, 2));
  return `${hours}:${minutes}:${seconds}.${pad(at.getMilliseconds(), 3)}`;
}

const calendar = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** A point in time, in the words of this page and the zone of this machine: `25 Nov 2026, 00:06:19`. */
export const moment = (timestamp: string): string => calendar.format(new Date(timestamp));

/** A number with its noun: `1 fact`, `2 facts`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes for people: `1.5 MB`. */
export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** The engines that work on the media of a study; the others begin when a person asks for what they make. */
const ofStudies: readonly Engine['engine'][] = ['detectors', 'recognizer', 'screen_text'];

/** The place to which a study sends its data, and the possible cost. */
export function reachWords(engines: readonly Engine[]): string {
  const sending = engines.filter(
    ({ engine, isOn, reach }) => isOn && reach !== 'this_host' && ofStudies.includes(engine),
  );
  return sending.length === 0
    ? 'nothing leaves this computer, and it costs nothing'
    : sending.map(({ text }) => text).join('; ');
}
