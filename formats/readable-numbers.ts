const two = (value: number): string => String(value).padStart(2, '0');

/** A time for people, such as `1:02.500`; hours only where there are any. */
export function timeCode(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${two(seconds % 60)}.${String(milliseconds % 1000).padStart(3, '0')}`;
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${two(minutes)}:${rest}`;
}

/** An estimated time for people, such as `about 8 hours`. Its seconds are unknown. */
export function estimateText(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (minutes < 1) return 'less than a minute';
  const [number, unit] = minutes < 90 ? [Math.round(minutes), 'minute'] : [Math.round(minutes / 60), 'hour'];
  return `about ${number} ${unit}${number === 1 ? '' : 's'}`;
}

/** A length for people, such as `41.2 s`. */
export const secondsText = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

/** A number of things in words, such as `1 fact` and `2 facts`. */
export const countText = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
