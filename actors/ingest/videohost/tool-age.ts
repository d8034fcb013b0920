import type { ToolIdentity } from '../../../contract/base/artifact.ts';

/** yt-dlp itself begins to warn of its age after 90 days. */
const oldAfterDays = 90;
const dayMs = 24 * 60 * 60 * 1000;

/** Says that a tool whose version begins with its date is old; null while it is not. `now` in epoch ms. */
export function ageNote({ name, version }: ToolIdentity, now: number): string | null {
  const [, year, month, day] = /^(\d{4})\.(\d{2})\.(\d{2})/.exec(version) ?? [];
  if (year === undefined) return null;
  const days = Math.floor((now - Date.UTC(Number(year), Number(month) - 1, Number(day))) / dayMs);
  return days > oldAfterDays ? `${name} ${version} is ${days} days old: hosts change, a newer one may succeed` : null;
}
