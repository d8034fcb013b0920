import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Fields of answers and errors that hold a sentence for people. As a name of its own, the second list has other meanings too. */
const sentences = 'message|detail|reason|remedy|hint|fault|statement|whyNot';
const asFields = `${sentences}|text|what|why|words|brief|title|change`;
const readings =
  'startsWith|endsWith|includes|indexOf|lastIndexOf|slice|substring|split|replace|replaceAll|match|matchAll|search';

/** A sentence that is searched, cut, rewritten, or compared with another one. */
const patterns = [
  new RegExp(
    `(?:\\b(?:${sentences})|[\\w)\\]]\\??\\.(?:${asFields}))\\s*(?:\\?\\?[^()]*\\))?\\s*[?!]?\\.(?:${readings})\\(`,
    'g',
  ),
  new RegExp(
    `\\.(?:test|exec)\\(\\s*(?:String\\()?(?:[\\w.?]*\\b(?:${sentences})|[\\w.?]+\\??\\.(?:${asFields}))\\b`,
    'g',
  ),
  new RegExp(`(?:\\b(?:${sentences})|\\w\\??\\.(?:${asFields}))\\s*[!=]==\\s*(['"\`])[^'"\`]* [^'"\`]*\\1`, 'g'),
];

const readingsIn = (code: string): readonly string[] =>
  patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([found]) => found));

test('a sentence that is read is found, however it is read', (t) => {
  for (const code of [
    'captions.text.replace(/^no /, "")',
    'error.message.split("; ")',
    "detail.startsWith('runs')",
    'captions?.text?.slice(3)',
    '/one declared/.test(captions.text)',
    '/^at most/.exec(message)',
    "explanations.text === 'no explanation executor is configured'",
    "(finding?.text ?? '').endsWith(code)",
  ]) {
    t.is(readingsIn(code).length, 1, code);
  }
  for (const code of ["text.split('\\n')", 'words.includes(end)', "reason === 'aborted'", 'reasonCode.slice(1)']) {
    t.deepEqual(readingsIn(code), [], code);
  }
});

test('console, commands, agent server and client read causes, and no sentence of the host', (t) => {
  const files = ['console', 'cli', 'client', 'visualizer'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(folder, name)),
  );
  t.true(files.length > 150, `${files.length}`);
  const found = files.flatMap((file) =>
    readingsIn(readFileSync(join(root, file), 'utf8')).map((reading) => `${file}: ${reading}`),
  );
  t.deepEqual(found, []);
});
