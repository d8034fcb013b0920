// A path begins where a word does. In quotes it may hold spaces; without, a word with a slash behind it may be its rest.
// What begins with /v1/ is this host's own address, and what stands behind // belongs to an address too.
const start = String.raw`(?:~?\/(?!\/|v1\/|\s|$)|[A-Za-z]:\\)`;
const quoted = new RegExp(`(['"\`])(?:file:\\/*)?${start}[^'"\`]*\\1`, 'g');
const bare = new RegExp(
  String.raw`(?<=^|[\s(=,;:[<])(?:file:\/{0,3}(?=\/|\w)|${start})[^\s'")\]>,;:]*(?:\s[^\s'":([]*[/\\][^\s'")\]>,;:]*)*`,
  'g',
);

/** The same text with `…` for every absolute path of this machine: what leaves the host names none. */
export const withoutPaths = (text: string): string => text.replace(quoted, '…').replace(bare, '…');
