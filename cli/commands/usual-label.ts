import { basename } from 'node:path';
import { cutText, labelLine } from '../../contract/base/text.ts';

/** The longest label that a host takes, in UTF-16 units. */
const longest = 160;

/** What a file is called where nobody says it: its name, made to fit. With an `extension`, without that. */
export function usualLabel(path: string, extension = ''): string {
  const name = basename(path, extension);
  return cutText(labelLine(name), longest) || name;
}
