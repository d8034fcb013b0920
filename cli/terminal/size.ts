const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes as people read it, in powers of 1000: `1.5 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`;
}
