const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** `83450` as `1:23.450`; hours only where there are any. */
export function timeCode(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = `${pad(Math.floor(ms / 1000) % 60, 2)}.${pad(Math.floor(ms) % 1000, 3)}`;
  return hours > 0 ? `${hours}:${pad(minutes, 2)}:${seconds}` : `${minutes}:${seconds}`;
}

/** A length in words for a table: `1:23` for whole seconds and more, `0.450 s` below a second. */
export function duration(ms: number): string {
  if (ms < 1000) return `${(ms / 1000).toFixed(3)} s`;
  return timeCode(ms).replace(/\.000$/, '');
}

/** A text of the host with its milliseconds as every other time of the page: `at most 600000 ms` is `at most 10:00`. */
export const withTimes = (text: string): string =>
  text.replaceAll(/\b(\d{4,}) ms\b/g, (_, ms: string) => duration(Number(ms)));

export const rangeCode = (startMs: number, endMs: number): string =>
  startMs === endMs ? timeCode(startMs) : `${timeCode(startMs)} – ${timeCode(endMs)}`;

/** Milliseconds of what a person typed: `1:02:03.5`, `2:03`, `3.25` or `3`; null where it is none of these. */
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

/** A point in time as this machine writes it. */
export const moment = (timestamp: string): string =>
  new Date(timestamp).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
