import { version } from '../contract/base/program-version.ts';

/**
 * Number of the format in which this program writes a data root. It grows with each release that stores what the release
 * before cannot read: other files, other rows, another version of a chart. So an earlier program refuses the data root
 * instead of ending work that it does not understand.
 */
export const storeFormat = 3;

/** What a data root or ledger of another format is refused with. `since` is the version that brought it to its format. */
export function unsupportedFormat(what: string, found: string | null, since: string | null = null): string {
  const whose = since === null ? '' : `, to which version ${since} brought it`;
  const known = `this program (version ${version}) opens formats 1 to ${storeFormat}`;
  return `${what} has format ${found ?? 'unknown'}${whose}; ${known}; nothing was changed`;
}
