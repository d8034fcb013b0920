import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Expect } from './expect.ts';

const built = fileURLToPath(new URL('../../../build/console', import.meta.url));
/** The words of causes for all readers, with those of engines, are about 8,500 of them. */
const mostBytes = 144_000;

/** The scripts that a view loads, compressed. */
export async function checkScriptSize(expect: Expect): Promise<void> {
  const names = (await readdir(built)).filter((name) => name.endsWith('.js'));
  const scripts = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(built, name));
      return { name, bytes: gzipSync(bytes, { level: 9 }).length };
    }),
  );
  for (const { name, bytes } of scripts) process.stdout.write(`     ${name}: ${bytes} bytes compressed\n`);
  const sum = scripts.reduce((all, { bytes }) => all + bytes, 0);
  expect(`the scripts of the page are ${sum} bytes compressed, and ${mostBytes} at most`, sum <= mostBytes);
}
