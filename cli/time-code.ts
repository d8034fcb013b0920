/**
 * Milliseconds of a time as people write it: seconds (`90`, `90.5`), minutes (`1:30`) or hours (`1:02:03.250`). Null for
 * anything else.
 */
export function millisecondsOf(text: string): number | null {
  const match = /^(?:(?:(\d+):)?([0-5]?\d):)?(\d+)(?:\.(\d{1,3}))?$/.exec(text);
  if (match === null) return null;
  const [, hours = '0', minutes = '', seconds = '', fraction = ''] = match;
  if (minutes !== '' && Number(seconds) > 59) return null;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return whole * 1000 + Number(fraction.padEnd(3, '0'));
}

/** A time for people, such as `1:02.500`; hours only where there are any. */
export function timeCode(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${two(seconds % 60)}.${String(milliseconds % 1000).padStart(3, '0')}`;
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${two(minutes)}:${rest}`;
}
