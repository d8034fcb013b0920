/** A block of commands of a page, and the lines that the page shows as its output. Blocks before it that show none count too. */
export interface ShownBlock {
  readonly commands: string;
  readonly shown: readonly string[];
}

/** Fenced blocks, and headings: a block under another heading is not the output of the block before. */
const parts = /^```(\w*)\n([\s\S]*?)^```$|^(#+) /gm;

/** The blocks in `bash` of a page. The block that follows one of them is its output, unless it has a language or a heading between. */
export function shownBlocksOf(page: string): ShownBlock[] {
  const all = [...page.matchAll(parts)].map(([, language = '', text = '', heading]) => ({
    language: heading ?? language,
    text,
  }));
  return all.flatMap(({ language, text }, at) => {
    if (language !== 'bash') return [];
    const next = all[at + 1];
    const isOutput = next !== undefined && ['', 'json'].includes(next.language);
    return [{ commands: text, shown: isOutput ? next.text.trimEnd().split('\n') : [] }];
  });
}

/** A line without what is different on each machine or in each version: digests, ids, the age of a tool, the version. */
const plain = (line: string): string =>
  line
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/\b[0-9a-f]{13,64}\b/g, 'HEX')
    .replaceAll(/[\d,]+ days old/g, 'DAYS days old')
    .replace(/^(Local Media Study Service) [\w.-]+$/, '$1 VERSION')
    .replaceAll(/"[A-Za-z0-9+/_-]{43}=?"/g, 'SECRET')
    .trimEnd();

/**
 * The first shown line that is missing; undefined if all come, in this order. Other lines may come between them, and
 * `…` matches any.
 */
export function firstMissing(shown: readonly string[], output: string): string | undefined {
  const lines = output.split('\n').map(plain);
  let from = 0;
  return shown.find((line) => {
    if (line.trim() === '…') return false;
    const at = lines.indexOf(plain(line), from);
    from = at + 1;
    return at < 0;
  });
}
