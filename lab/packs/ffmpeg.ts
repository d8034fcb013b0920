import { execFileSync } from 'node:child_process';

const exact = ['-fflags', '+bitexact', '-flags:a', '+bitexact'];

/** Runs ffmpeg, whose last argument is the file that it writes. Throws when it fails. */
export const ffmpeg = (...args: readonly string[]): void =>
  void execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args.slice(0, -1), ...exact, ...args.slice(-1)]);

/** The length of a file in whole ms, downwards. */
export const lengthMs = (file: string): number => {
  const asked = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file];
  return Math.floor(Number(execFileSync('ffprobe', asked, { encoding: 'utf8' }).trim()) * 1000);
};
