import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** The absolute path of a file of the repository. */
export const pathOf = (file: string): string => fileURLToPath(new URL(file, root));

export const textOf = (file: string): Promise<string> => readFile(pathOf(file), 'utf8');

/** The pages that people read: those at the root, and all below `docs/` and `lab/`. */
export async function pagesOf(): Promise<string[]> {
  const names = await Promise.all(
    ['docs', 'lab'].map(async (folder) =>
      (await readdir(pathOf(folder), { recursive: true })).map((name) => `${folder}/${name}`),
    ),
  );
  return [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'UPGRADING.md'],
    ...names.flat().filter((name) => name.endsWith('.md')),
  ];
}

/** The text below a heading (given with its signs), up to the next heading of the same or a higher level. */
export function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n');
  const start = lines.indexOf(heading);
  if (start === -1) throw new Error(`no heading '${heading}'`);
  const level = heading.indexOf(' ');
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  return rest.slice(0, end === -1 ? undefined : end).join('\n');
}

/** The body rows of every table in a text, table by table, cells trimmed. */
export function tablesOf(text: string): string[][][] {
  const tables: string[][][] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) {
      isInside = false;
      continue;
    }
    if (!isInside) tables.push([]);
    isInside = true;
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    tables.at(-1)?.push(cells.map((cell) => cell.trim()));
  }
  return tables.map((rows) => rows.slice(2));
}

/** The text between backticks. */
export const codesOf = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? '');

/** The words of the first column of one table. */
export const wordsOf = (table: readonly (readonly string[])[] | undefined): string[] =>
  (table ?? []).flatMap(([first]) => codesOf(first ?? ''));

/** The literals of a union type. It leaves no trace at run time, so that its source is read. */
export async function unionOf(file: string, type: string): Promise<string[]> {
  const found = new RegExp(`type ${type} =([^;]*);`).exec(await textOf(file))?.[1];
  if (found === undefined) throw new Error(`${file} has no type ${type}`);
  const bare = found.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...bare.matchAll(/'([a-z_]+)'/g)].map((literal) => literal[1] ?? '');
}
