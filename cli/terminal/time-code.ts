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
