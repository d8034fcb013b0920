import { longestCaptions } from '../../contract/captions/long-captions.ts';

/** Which permission stands with a value of `--caption-executor`: both are replaced together. */
const captionChoice = ['--caption-executor', '--allow-embedded-subtitle-captions'];

/** Flags with their values, as a host reads them. */
const usual: readonly (readonly string[])[] = [
  // No model and no network: captions of the subtitle tracks that the media has, or that a person attached.
  ['--caption-executor', 'grouped-subtitles'],
  ['--allow-embedded-subtitle-captions'],
  // A person at this machine waits for the whole film. The limits of a host that serves others stay its own.
  ['--maximum-study-range-ms', `${longestCaptions.maxDurationMs}`],
  ['--maximum-caption-range-ms', `${longestCaptions.maxDurationMs}`],
  ['--maximum-caption-lines', `${longestCaptions.maxLines}`],
];

const nameOf = (flag = ''): string => flag.split('=')[0] ?? flag;

/**
 * The flags of a host that the command line starts for itself. `extra` is added, such as what settings say; what it names replaces
 * what holds without it.
 */
export function ownHostFlags(extra: readonly string[] = []): readonly string[] {
  const named = new Set(extra.filter((arg) => arg.startsWith('--')).map(nameOf));
  const replaced = named.has('--caption-executor') ? new Set([...named, ...captionChoice]) : named;
  return [...usual.filter(([flag]) => !replaced.has(nameOf(flag))).flat(), ...extra];
}
