import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { allFeatures } from '../features/codes.ts';
import { filesBelow, importsOf, root, textOf } from './source-files.ts';

/** Folders that the files of a folder may import, beside their own. */
const below: Readonly<Record<string, readonly string[]>> = {
  contract: ['package.json'],
  formats: ['contract'],
  storage: ['formats', 'contract'],
  rules: ['formats', 'contract'],
  kinds: ['rules', 'formats', 'contract'],
  executors: ['kinds', 'storage', 'formats', 'contract'],
  machines: ['storage', 'formats', 'contract'],
  receipts: ['kinds', 'rules', 'storage', 'formats', 'contract'],
  actors: ['machines', 'receipts', 'kinds', 'rules', 'executors', 'storage', 'formats', 'contract'],
  http: ['actors', 'kinds', 'formats', 'contract'],
  options: ['http', 'receipts', 'rules', 'executors', 'storage', 'contract'],
  features: [
    'options',
    'http',
    'actors',
    'machines',
    'receipts',
    'kinds',
    'rules',
    'executors',
    'storage',
    'formats',
    'contract',
    'client',
    'visualizer',
  ],
  cli: [
    'features',
    'options',
    'http',
    'actors',
    'machines',
    'receipts',
    'kinds',
    'rules',
    'executors',
    'storage',
    'formats',
    'contract',
    'client',
    'visualizer',
  ],
  client: ['formats', 'contract'],
  visualizer: ['contract', 'client'],
  console: ['visualizer', 'client', 'contract'],
};

/** The folders that the page of a feature may import, beside its own files: the page of the host is its core. */
const belowFeaturePage = ['console', 'visualizer', 'client', 'contract'];

const imports = new Map(
  Object.keys(below)
    .flatMap(filesBelow)
    .map((file) => [file, importsOf(file)]),
);
const folderOf = (file: string): string => file.split('/')[0] ?? '';

/** The list of the parts of the page that features add: the page imports it, and no other file of features. */
const pageList = 'features/page.ts';

const isOfFeaturePage = (file: string): boolean => /^features\/[a-z-]+\/console\//.test(file);

/** True if a file may import another, as far as their floors say. */
function mayImport(file: string, other: string): boolean {
  if (file === pageList) return isOfFeaturePage(other) || folderOf(other) === 'console';
  if (isOfFeaturePage(file)) return isOfFeaturePage(other) || belowFeaturePage.includes(folderOf(other));
  if (other === pageList) return folderOf(file) === 'console';
  return !isOfFeaturePage(other) && [folderOf(file), ...(below[folderOf(file)] ?? [])].includes(folderOf(other));
}

test('a folder imports only from folders below it', (t) => {
  const upward = [...imports].flatMap(([file, imported]) =>
    imported.filter((other) => !mayImport(file, other)).map((other) => `${file} imports ${other}`),
  );
  t.deepEqual(upward, []);
});

/** The feature that a file is part of; null for one that all features share. */
const featureOf = (file: string): string | null => /^features\/([a-z-]+)\//.exec(file)?.[1] ?? null;

test('a feature imports the core and no other feature', (t) => {
  const across = [...imports].flatMap(([file, imported]) => {
    const own = featureOf(file);
    if (own === null) return [];
    const isForeign = (other: string) =>
      folderOf(other) === 'features' && featureOf(other) !== own && other !== 'features/feature.ts';
    return imported.filter(isForeign).map((other) => `${file} imports ${other}`);
  });
  t.deepEqual(across, []);
});

test('only a composition root imports the list of features, and only the lists name one', (t) => {
  const named = [...imports].flatMap(([file, imported]) =>
    imported
      .filter((other) => featureOf(other) !== null && featureOf(file) === null)
      .filter(() => !['features/features.ts', pageList].includes(file))
      .map((other) => `${file} imports ${other}`),
  );
  t.deepEqual(named, []);
});

test('every folder of a feature is in the list of all features, which a checkout without some of them keeps', (t) => {
  const folders = new Set([...imports.keys()].flatMap((file) => featureOf(file) ?? []));
  t.deepEqual(
    [...folders].filter((name) => !allFeatures.includes(name)),
    [],
  );
});

/** The floors that features stand on, without the contract: older studies have the names of their engines. */
const core = ['formats', 'storage', 'rules', 'kinds', 'executors', 'machines', 'receipts', 'actors', 'http', 'options'];

test('no test outside `test/features/` imports a feature, or the tests of one', (t) => {
  // Tests of several features stand in `together`, which may import all of them.
  const others = ['bench', 'fixtures', 'lab', 'scripts', 'test'].flatMap(filesBelow);
  const owner = (file: string): string | null => featureOf(file.replace(/^test\//, ''));
  const across = others.flatMap((file) =>
    importsOf(file)
      .filter((other) => ![null, owner(file)].includes(owner(other)) && owner(file) !== 'together')
      .map((other) => `${file} imports ${other}`),
  );
  t.deepEqual(across, []);
});

test('the core names no engine of a feature', (t) => {
  const engine = /\b(?:pocketsphinx|whisper-cli|tesseract|yt-dlp|bullmq)\b/i;
  // A threshold states on which recognizer it was set, and a chart has the words that its drawings had.
  const explained = ['machines/videohost-ingest.ts', 'rules/transcript-gates.ts'];
  const naming = core.flatMap(filesBelow).filter((file) => !explained.includes(file) && engine.test(textOf(file)));
  t.deepEqual(naming, []);
});

test('no file imports itself over others', (t) => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' > '));
    if (done.has(file) || path.includes(file)) return;
    for (const other of imports.get(file) ?? []) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  t.deepEqual(circles, []);
});

/** The names that a file exports: defined there, or handed on from another file. */
function exportedNames(file: string): Set<string> {
  const text = textOf(file);
  const defined = text.matchAll(
    /^export (?:default )?(?:abstract |async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm,
  );
  const handedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) => names.split(','));
  return new Set(
    [
      ...[...defined].map(([, name = '']) => name),
      ...handedOn.map((name) => name.trim().split(' ').at(-1) ?? ''),
    ].filter((name) => name !== ''),
  );
}

test('an exported name is defined in one file', (t) => {
  const owners = new Map<string, string[]>();
  for (const file of imports.keys()) {
    for (const name of exportedNames(file)) owners.set(name, [...(owners.get(name) ?? []), file]);
  }
  t.true(owners.size > 2000);
  t.deepEqual(
    [...owners].filter(([, files]) => files.length > 1),
    [],
  );
});

test('every file that a comment names is there', (t) => {
  const files = [...Object.keys(below), 'lab', 'scripts', 'bench', 'fixtures', 'test'].flatMap(filesBelow);
  const named = files.flatMap((file) =>
    [...textOf(file).matchAll(/^\s*(?:\*|\/\*\*|\/\/).*$/gm)].flatMap(([comment]) =>
      [...comment.matchAll(/`((?!\w+\.d\.ts)[\w./-]+\.tsx?)`|\b((?:lab\/)?docs\/[\w./-]+\.md)\b/g)].map(
        ([, source, page = '']) => ({ file, name: source ?? page }),
      ),
    ),
  );
  const missing = named.filter(
    ({ name }) => !existsSync(join(root, name)) && !files.some((each) => each.endsWith(`/${name}`)),
  );
  t.true(named.length > 20, `${named.length}`);
  t.deepEqual(missing, []);
});

test('only its own tests, those of single cases, the soak and the bench of cuts import the lab', (t) => {
  const others = [...Object.keys(below), 'scripts', 'bench', 'fixtures', 'test'].flatMap(filesBelow);
  const users = others.filter((file) => importsOf(file).some((other) => folderOf(other) === 'lab'));
  t.deepEqual(
    users.filter((file) => !/^bench\/cuts\.ts$|^test\/(?:features\/[a-z-]+\/)?(?:lab|cases|soak)\//.test(file)),
    [],
  );
});
