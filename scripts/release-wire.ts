// Keeps the description of the wire as this version is released with it, without words and examples: the next versions
// are compared with it. `node --import tsx scripts/release-wire.ts`, once for each release.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { documentText } from './docs/openapi/document.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

const words = ['description', 'summary', 'example', 'examples'];
const text = await readFile(pathOf('docs/openapi.json'), 'utf8');
const document = JSON.parse(text, (key, value: unknown) => {
  // A field of an answer may be called so as well; its schema is an object, and words are not.
  const isWords = words.includes(key) && (typeof value === 'string' || key.startsWith('example'));
  return isWords ? undefined : value;
});
await writeFile(pathOf('fixtures/released-wire/openapi.json'), documentText(document));
await writeFile(pathOf('fixtures/released-wire/approved.txt'), '');
