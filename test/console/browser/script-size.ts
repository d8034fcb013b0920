import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Expect } from './expect.ts';

const built = fileURLToPath(new URL('../../../build/console', import.meta.url));
/** Most people open no chart, and load none of its scripts. The words of causes for all readers are about 8,500 of these bytes. */
const mostBytes = 116_000;
/** With the charts, the views under Operations, the cards of engines and the panel that moves subtitles. */
const mostBytesInAll = 167_000;

/** The scripts that a first view loads, and all that a page may load, compressed. */
export async function checkScriptSize(expect: Expect): Promise<void> {
  const names = (await readdir(built)).filter((name) => name.endsWith('.js'));
  const scripts = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(built, name));
      return { name, bytes: gzipSync(bytes, { level: 9 }).length };
    }),
  );
  for (const { name, bytes } of scripts) process.stdout.write(`     ${name}: ${bytes} bytes compressed\n`);
  const loaded = await loadedFirst();
  const sumOf = (of: typeof scripts): number => of.reduce((sum, { bytes }) => sum + bytes, 0);
  const first = sumOf(scripts.filter(({ name }) => loaded.has(name)));
  expect(`the scripts of a first view are ${first} bytes compressed, and ${mostBytes} at most`, first <= mostBytes);
  const all = sumOf(scripts);
  expect(`all scripts of the page are ${all} bytes compressed, and ${mostBytesInAll} at most`, all <= mostBytesInAll);
}

/** The script that the page names, with those that it imports before it runs. */
async function loadedFirst(): Promise<ReadonlySet<string>> {
  const [, entry = ''] = /\/assets\/([^"]+\.js)/.exec(await readFile(join(built, 'index.html'), 'utf8')) ?? [];
  const found = new Set<string>();
  for (const waiting = [entry]; waiting.length > 0; ) {
    const name = waiting.pop() ?? '';
    if (found.has(name)) continue;
    found.add(name);
    const text = await readFile(join(built, name), 'utf8');
    for (const [, imported = ''] of text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) waiting.push(imported);
  }
  return found;
}
