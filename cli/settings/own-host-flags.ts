import { longestCaptions } from '../../contract/captions/long-captions.ts';
import { dataRootAt } from '../../storage/objects/data-root-layout.ts';
import { readSettings } from './settings-file.ts';

/** What a host that a command starts for itself can do beyond a host of `npm start`: all without a model and without a network. */
const ownHostSettings: ReadonlyMap<string, readonly string[]> = new Map([
  ['caption-executor', ['--caption-executor', 'grouped-subtitles', '--allow-embedded-subtitle-captions']],
  ['maximum-study-range-ms', ['--maximum-study-range-ms', String(longestCaptions.maxDurationMs)]],
  ['maximum-caption-range-ms', ['--maximum-caption-range-ms', String(longestCaptions.maxDurationMs)]],
  ['maximum-caption-lines', ['--maximum-caption-lines', String(longestCaptions.maxLines)]],
]);

/**
 * The options of a host that a command starts for itself on a data root: captions from subtitle tracks, and whole films. Settings of
 * the data root hold against them. Throws `StartError` `invalid_settings`.
 */
export async function ownHostFlags(dataRoot: string): Promise<readonly string[]> {
  const settings = await readSettings(dataRootAt(dataRoot).settings);
  return [...ownHostSettings].flatMap(([name, flags]) => (settings?.has(name) ? [] : flags));
}
