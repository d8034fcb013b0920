import { readFileSync } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import test from 'ava';
import type { AnyStateNode } from 'xstate';
import type { Report } from '../../bench/report.ts';
import { rows } from '../../bench/rows.ts';
import { allHostCommands } from '../../cli/commands/host-commands.ts';
import { serveFlags } from '../../cli/options/serve-options.ts';
import { storeCommands } from '../../cli/store-commands.ts';
import { StudyHost } from '../../client/study-host.ts';
import { errorCodes, errorRemedies, reservedErrorCodes } from '../../contract/base/errors.ts';
import { captionCauses } from '../../contract/captions/caption-production.ts';
import { lineCauseCodes } from '../../contract/causes/causes.ts';
import { probeFailures, processFailures, videoFailures } from '../../contract/causes/failures.ts';
import { unavailableReason } from '../../contract/evidence/evidence.ts';
import { explanationCauses } from '../../contract/explanations/explanation.ts';
import { runtimeReasonCode } from '../../contract/study/status.ts';
import { features } from '../../features/features.ts';
import { machines } from '../../machines/catalogue.ts';
import { captionFlags } from '../../options/caption-executor.ts';
import { startCodes, startRemedies } from '../../options/failures.ts';
import { parseFlags } from '../../options/flags.ts';
import { benchmarksPage } from '../../scripts/docs/benchmarks-page.ts';
import { endpointsPage } from '../../scripts/docs/endpoints-page.ts';
import { withRemedies } from '../../scripts/docs/errors-page.ts';
import { limitsPage } from '../../scripts/docs/limits-page.ts';
import { documentText, openApiDocument } from '../../scripts/docs/openapi/document.ts';
import { readRecordedRun } from '../../scripts/docs/openapi/examples.ts';
import { readableDocument } from '../../scripts/docs/openapi/read-document.ts';
import { optionsPage } from '../../scripts/docs/options-page.ts';
import { storeFormat } from '../../storage/objects/data-root.ts';
import { absentStartCodes, absentVariables, isOfAbsentFeature } from '../features/codes.ts';
import { codesOf, pagesOf, pathOf, sectionOf, tablesOf, textOf, unionOf, wordsOf } from './markdown.ts';
import { firstMissing, shownBlocksOf } from './shown-blocks.ts';

const pageOf = (name: string) => textOf(`docs/${name}.md`);
const architecture = await pageOf('architecture');
const lifecycles = await pageOf('lifecycles');
const benchmarks = await pageOf('benchmarks');
const environmentPage = await pageOf('environment');
const errorsPage = await pageOf('errors');
const guides = await readdir(pathOf('docs/guides'));

/** The names of all states below a state, such as `running.detect`. */
const statesOf = (node: AnyStateNode): string[] =>
  Object.values(node.states).flatMap((state: AnyStateNode) => [state.path.join('.'), ...statesOf(state)]);

test('the page has one state table for each machine', (t) => {
  const headings = [...sectionOf(lifecycles, '## States').matchAll(/^### (\S+)$/gm)].map((found) => found[1] ?? '');
  t.deepEqual(headings.sort(), machines.map(({ id }) => id).sort());
});

for (const machine of machines) {
  test(`the state table of ${machine.id} names exactly its states`, (t) => {
    const documented = wordsOf(tablesOf(sectionOf(lifecycles, `### ${machine.id}`))[0]);
    t.deepEqual(documented.sort(), statesOf(machine.root).sort());
  });

  test(`the section of ${machine.id} shows its drawings`, (t) => {
    const section = sectionOf(lifecycles, `### ${machine.id}`);
    for (const theme of ['light', 'dark']) t.true(section.includes(`(charts/${machine.id}.${theme}.svg)`));
  });
}

test('bug: help and remedies named pages of docs/, which the package does not contain', async (t) => {
  const commands = Object.values({
    serve: { purpose: '', flags: serveFlags },
    ...(await allHostCommands()),
    ...storeCommands,
  });
  const help = commands.flatMap(({ purpose, flags }) => [purpose, ...Object.values(flags).map((flag) => flag.help)]);
  const remedies = [...Object.values(startRemedies), ...Object.values(errorRemedies)];
  t.deepEqual(
    [...help, ...remedies].filter((text) => text?.includes('docs/')),
    [],
  );
});

test('bug: a merge put the old list of changes above the groups of the new one', async (t) => {
  for (const section of (await textOf('CHANGELOG.md')).split(/^###? /m)) {
    const [, ...lines] = section.split('\n').filter((line) => line !== '');
    const changes = lines.filter((line) => line.startsWith('- '));
    t.is(new Set(changes).size, changes.length);
    if (lines.some((line) => /^[A-Z].*:$/.test(line))) t.notRegex(lines[0] ?? '', /^- /);
  }
});

test('bug: the table of executors in the rules of captions lacked one', async (t) => {
  const table = sectionOf(await pageOf('caption-rules'), '## The lines');
  const { choices = [] } = captionFlags['caption-executor'];
  for (const name of choices.filter((each) => each !== 'recorded' && each !== 'deterministic-test')) {
    t.regex(table, new RegExp(`^\\| .*\`${name}\``, 'm'), name);
  }
});

test("bug: the table of the ledger's rows named an older format of the store", async (t) => {
  t.true((await pageOf('mechanisms')).includes(`number of the store's format, now ${storeFormat};`));
});

test('the table of rooms names exactly the rooms of each floor', async (t) => {
  const rows = tablesOf(sectionOf(architecture, '## Floors and rooms'))[1] ?? [];
  t.deepEqual(
    rows.map(([floor = '']) => codesOf(floor)[0]),
    ['http/', 'actors/', 'receipts/', 'rules/', 'kinds/', 'executors/', 'storage/', 'contract/'],
  );
  for (const [floor = '', rooms = ''] of rows) {
    const folder = codesOf(floor)[0] ?? '';
    const entries = await readdir(pathOf(folder), { recursive: true, withFileTypes: true });
    const found = entries.filter((entry) => entry.isDirectory());
    const names = found.map(({ parentPath, name }) => relative(pathOf(folder), join(parentPath, name)));
    t.deepEqual(codesOf(rooms).sort(), names.sort(), folder);
  }
});

const prosePages = ['README.md', ...guides.map((guide) => `docs/guides/${guide}`)];

test('the commands that the README and the guides name are those of the package', async (t) => {
  const { scripts } = JSON.parse(await textOf('package.json')) as { scripts: Record<string, string> };
  const text = (await Promise.all(prosePages.map(textOf))).join('\n');
  const named = [...text.matchAll(/npm (?:run (?:--silent )?([a-z][a-z-]*)|(start|test))/g)];
  const names = named.map((found) => found[1] ?? found[2] ?? '');
  t.true(names.length > 0);
  t.deepEqual(
    names.filter((name) => scripts[name] === undefined),
    [],
  );
});

test('the README stays short, and the list of pages links every guide and every page', async (t) => {
  t.true((await textOf('README.md')).split('\n').length <= 121);
  const lists = { docs: await textOf('docs/README.md'), lab: await textOf('lab/README.md') };
  for (const page of await pagesOf()) {
    const [, folder, name] = /^(docs|lab)\/((?!charts\/).+)$/.exec(page) ?? [];
    if (folder === undefined || name === 'README.md') continue;
    t.true(lists[folder as keyof typeof lists].includes(`(${name})`), page);
  }
});

test('the table of tools names the variables of the environment', async (t) => {
  const [tools = []] = tablesOf(sectionOf(await textOf('docs/guides/operating.md'), '## Tools'));
  const [variables] = tablesOf(sectionOf(await textOf('docs/environment.md'), '## Host and commands'));
  const named = tools.map(([, variable = '']) => variable.replaceAll('`', ''));
  t.deepEqual(
    named.filter((name) => !wordsOf(variables).includes(name)),
    [],
  );
  t.true(named.length > 0);
});

/** A file of the repository as prose names it: a path with a folder and an ending. */
const namedFile =
  /`((?:actors|cli|client|console|contract|executors|features|fixtures|formats|http|kinds|lab|machines|options|receipts|rules|scripts|storage|test|visualizer)\/[\w./-]+\.\w+)`/g;

test('every file that a page names is there', async (t) => {
  for (const page of await pagesOf()) {
    const files = [...(await textOf(page)).matchAll(namedFile)].map((found) => found[1] ?? '');
    for (const file of files.filter((name) => !isOfAbsentFeature(name)))
      await t.notThrowsAsync(access(pathOf(file)), `${page}: ${file}`);
  }
});

const tablesUnder = (heading: string) => tablesOf(sectionOf(errorsPage, heading));
const sorted = (words: Iterable<string>) => [...words].sort();

/** First column to second, both as in the first tables of a section. */
const pairsOf = (tables: readonly string[][][]) =>
  tables.flat().map(([code = '', number = '']) => [codesOf(code)[0] ?? '', Number(number)] as const);

test('every answer code is documented once with its status, and no other is', (t) => {
  const documented = pairsOf(tablesUnder('## Answers'));
  t.deepEqual(Object.fromEntries(documented), { ...errorCodes });
  t.is(documented.length, Object.keys(errorCodes).length);
});

test('the codes that are never sent have a section of their own', (t) => {
  t.deepEqual(wordsOf(tablesUnder('### Never sent')[0]), [...reservedErrorCodes]);
});

test('every start code is documented once with its exit code, and no other is', (t) => {
  const [own] = tablesUnder('## Starts that are refused');
  const documented = pairsOf(own === undefined ? [] : [own]);
  t.deepEqual(Object.fromEntries(documented), { ...startCodes });
  t.is(documented.length, Object.keys(startCodes).length);
});

test('the start codes of stores and tools exist', async (t) => {
  const existing = new Set([
    ...(await unionOf('storage/ledger/ledger.ts', 'LedgerErrorCode')),
    ...(await unionOf('storage/objects/object-store-error.ts', 'ObjectStoreErrorCode')),
    ...(await unionOf('storage/system-refusal.ts', 'SystemRefusalCode')),
    ...processFailures,
    ...(await unionOf('storage/backup/backup-manifest.ts', 'BackupErrorCode')),
    'ambiguous_source_session',
    'speech_runtime_missing',
    'recognizer_unavailable',
    'screen_text_unavailable',
  ]);
  const documented = wordsOf(tablesUnder('## Starts that are refused')[1]);
  t.true(documented.length > 0);
  t.deepEqual(
    documented.filter((code) => !existing.has(code)),
    [],
  );
});

test('every word for the cause of captions that failed is documented', (t) => {
  t.deepEqual(sorted(wordsOf(tablesUnder('## Captions that fail')[0])), sorted(captionCauses));
});

test('every reason against captions without a line is documented', (t) => {
  t.deepEqual(sorted(wordsOf(tablesUnder('## Captions without a line')[0])), sorted(lineCauseCodes));
});

test('every fault of a source folder is documented', async (t) => {
  const documented = wordsOf(tablesUnder('## Starts that are refused')[2]);
  t.deepEqual(sorted(documented), sorted(await unionOf('contract/sources/source-receipt.ts', 'SourceFaultCode')));
});

test('every failure of an ingest and every cause of a failed probe is documented', async (t) => {
  const [failures, causes] = tablesUnder('## Ingests that fail');
  const ofOwned = await unionOf('machines/owned-ingest.ts', 'OwnedIngestFailureCode');
  const ofTheirTail = await unionOf('machines/ingest-tail.ts', 'TailFailureCode');
  const ofVideos = await unionOf('machines/videohost-ingest.ts', 'VideohostIngestFailureCode');
  t.deepEqual(sorted(wordsOf(failures)), sorted(new Set([...ofOwned, ...ofVideos, ...ofTheirTail])));
  t.deepEqual(sorted(wordsOf(causes)), sorted([...probeFailures, ...processFailures]));
});

test('every cause of a failed explanation is documented', (t) => {
  t.deepEqual(wordsOf(tablesUnder('## Explanations that fail')[0]), [...explanationCauses]);
});

test('every cause of a range that could not be resolved or fetched is documented', async (t) => {
  const [, , causes] = tablesUnder('## Ingests that fail');
  t.deepEqual(
    sorted(wordsOf(causes)),
    sorted([...videoFailures, ...processFailures, 'range_past_end', 'storage_fault']),
  );
});

test('every reason of a runtime and every cause of a failed step is documented', async (t) => {
  const [reasons, causes] = tablesUnder('## Studies that end without a result');
  t.deepEqual(sorted(new Set(wordsOf(reasons))), sorted(runtimeReasonCode.options));
  const ofDetections = await unionOf('kinds/detection-failure.ts', 'DetectionFailureCause');
  t.deepEqual(sorted(wordsOf(causes)), sorted([...processFailures, ...ofDetections]));
});

test('the reasons of a runtime that are sent are those of its chart', async (t) => {
  const [reasons = []] = tablesUnder('## Studies that end without a result');
  const sent = reasons.filter((row) => !row.includes('never sent'));

  t.deepEqual(sorted(new Set(wordsOf(sent))), sorted(await unionOf('machines/study-types.ts', 'StudyReasonCode')));
});

test('every reason for missing evidence is documented', (t) => {
  t.deepEqual(wordsOf(tablesUnder('## Evidence that is not there')[0]), unavailableReason.options);
});

test('every refusal of an evaluation is documented', async (t) => {
  const documented = wordsOf(tablesUnder('## Evaluations that are refused')[0]);
  t.deepEqual(sorted(documented), sorted(await unionOf('contract/evaluation.ts', 'EvaluationFaultCode')));
});

test('every word for a refused archive of a bundle is documented', async (t) => {
  const documented = wordsOf(tablesUnder('## Bundles that are refused')[0]);
  t.deepEqual(sorted(documented), sorted(await unionOf('formats/tar.ts', 'ArchiveErrorCode')));
});

const documented = (heading: string) => wordsOf(tablesOf(sectionOf(environmentPage, heading))[0]).sort();

async function sourcesOf(folders: readonly string[]): Promise<string> {
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(pathOf(folder), { recursive: true })).map((name) => pathOf(`${folder}/${name}`)),
    ),
  );
  const files = names.flat().filter((name) => /\.(ts|mjs)$/.test(name));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((found) => found[1] ?? '');

test('every variable that the host and the commands read is documented, and no other is', async (t) => {
  const text = await sourcesOf([
    'actors',
    'cli',
    'contract',
    'executors',
    'features',
    'http',
    'options',
    'storage',
    'scripts/setup',
  ]);
  const found = new Set([
    ...named(text, /\b((?:MEDIA_STUDY|OPENAI|XDG)_[A-Z_]+)\b/g).filter((name) => !name.startsWith('MEDIA_STUDY_TEST_')),
    ...named(text, /process\.env\.([A-Z_]+)\b(?! = )/g),
    ...(text.includes('homedir()') ? ['HOME'] : []),
    ...(text.includes('tmpdir()') ? ['TMPDIR'] : []),
    ...absentVariables,
  ]);
  t.deepEqual(documented('## Host and commands'), [...found].sort());
});

test('every variable of the tests is documented, and no other is', async (t) => {
  const text = await sourcesOf(['cli', 'test']);
  // A name ends with a letter: a prefix, as in this file, names no variable.
  t.deepEqual(documented('## Tests'), [...new Set(named(text, /\b(MEDIA_STUDY_TEST_[A-Z_]*[A-Z])\b/g))].sort());
});

type Manifest = Record<'dependencies' | 'devDependencies' | 'overrides', Record<string, string>>;
const manifestOf = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Manifest;
const { dependencies, devDependencies: bundled, overrides } = manifestOf('package.json');
const { devDependencies: tested } = manifestOf('test/package.json');

test('every package of both manifests has a section in its place, and no other has', async (t) => {
  const page = await textOf('docs/dependencies.md');
  const [host = '', development = ''] = page.split('\n## What only development needs\n');
  const headings = (text: string) => [...text.matchAll(/^### (\S+)$/gm)].map((found) => found[1] ?? '');
  t.deepEqual(headings(page).sort(), Object.keys({ ...dependencies, ...bundled, ...tested }).sort());
  const runsOn = new Set(headings(host));
  t.deepEqual(
    Object.keys(dependencies).filter((name) => !runsOn.has(name)),
    [],
  );
  t.deepEqual(
    Object.keys(tested).filter((name) => !headings(development).includes(name)),
    [],
  );
});

test('what is pinned for a reason is pinned to what the page says', async (t) => {
  const page = await textOf('docs/dependencies.md');
  const pins = [...page.matchAll(/^\| `([^`]+)` ([\d.]+) \|/gm)];
  t.true(pins.length >= 7);
  const all: Readonly<Record<string, string>> = { ...dependencies, ...bundled, ...tested };
  for (const [, name = '', version = ''] of pins) t.is(all[name]?.replace(/^npm:.*@/, ''), version, name);
  t.true(page.includes(`\`msgpackr-extract\` to ${overrides['msgpackr-extract']}`));
});

const figure = { figure: 'a | b', measured: '1 ms', reference: '2 ms', ratio: 0.5, mustReach: '<= 1', reached: true };
const reportOf = (names: readonly string[]): Report => ({
  environment: 'a machine',
  load: 0.25,
  rows: names.map((name) => ({ name, figures: [figure] })),
});

test('the page of benchmarks has the known rows, how each grows, and figures or their absence', (t) => {
  const sections = benchmarks.split('\n## ').slice(1);
  t.deepEqual(
    sections.map((section) => section.split('\n')[0]),
    rows.map(({ name }) => name),
  );
  for (const [index, section] of sections.entries()) {
    const { measures = '', grows = '' } = rows[index] ?? {};
    t.true(section.includes(`\n${measures}\n`), `${section.split('\n')[0]}: what it measures`);
    t.true(section.includes(`\nHow it grows: ${grows}\n`), `${section.split('\n')[0]}: how it grows`);
    const lines = section.split('\n').filter((line) => line.startsWith('| '));
    t.true(lines.length > 2 || section.includes('\nThis run did not measure it.\n'), 'figures, or that there are none');
  }
  t.regex(benchmarks, /^- machine: node v\d+.* \d+ cores/m);
});

test('a page shows the figures of a report, names rows that it lacks, and takes no unknown one', (t) => {
  const names = rows.map(({ name }) => name);
  const written = benchmarksPage(reportOf(names), rows);
  t.true(written.includes('| a \\| b | 1 ms | 2 ms | 0.50 | <= 1 | yes |'));
  t.false(written.includes('This run did not measure it.'));
  t.is(benchmarksPage(reportOf(names.slice(1)), rows).split('This run did not measure it.').length, 2);
  t.throws(() => benchmarksPage(reportOf([...names, 'other']), rows), { message: /unknown rows: other/ });
});

test('the page of options is the one that the tables of flags make', async (t) => {
  t.is(await textOf('docs/options.md'), await optionsPage());
});

test('the description of the wire is the one that the route table and its schemas make', async (t) => {
  t.is(await textOf('docs/openapi.json'), documentText(await openApiDocument(await readRecordedRun())));
});

test('the page of endpoints is the one that the description of the wire makes', async (t) => {
  const document = readableDocument.parse(JSON.parse(await textOf('docs/openapi.json')));
  t.is(await textOf('docs/endpoints.md'), endpointsPage(document));
});

test('the page of limits is the one that the limits in the code make', async (t) => {
  t.is(await textOf('docs/limits.md'), limitsPage());
});

test('the page of errors explains each code as its messages do', async (t) => {
  const page = await textOf('docs/errors.md');
  t.is(page, withRemedies(page));
});

test('every code that is sent has a remedy that leaves room for what happened', (t) => {
  const reserved = new Set<string>(reservedErrorCodes);
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) {
    const remedy = errorRemedies[code];
    t.is(remedy === null, reserved.has(code), code);
    if (remedy !== null) t.regex(remedy, /^[a-zA-Z][^\n]{3,126}[^.]$/, code);
  }
});

test('every documented reason for a refused start has a remedy', async (t) => {
  const tables = tablesOf(sectionOf(await textOf('docs/errors.md'), '## Starts that are refused'));
  const ofFeatures = features.flatMap(({ remedies = {} }) => Object.keys(remedies));
  const expected = [...Object.keys(startRemedies), ...ofFeatures, ...absentStartCodes];
  t.deepEqual(tables.flatMap(wordsOf).sort(), expected.sort());
});

test('the output of a block is the block behind it, unless that is in another language', (t) => {
  const page =
    '```bash\none\n```\n\n```json\n1\n```\n\n```bash\ntwo\n```\n\n```sh\nno\n```\n\n```bash\nthree\n```\n\n## Other\n\n```\nno\n```\n';
  t.deepEqual(shownBlocksOf(page), [
    { commands: 'one\n', shown: ['1'] },
    { commands: 'two\n', shown: [] },
    { commands: 'three\n', shown: [] },
  ]);
});

test('what a page shows has to come in its order, ids and what is left out aside', (t) => {
  const id = 'runtime:1c720ef2-ca28-41d5-8465-0c235613bc42';
  const other = 'runtime:3ff30e25-d808-4cc6-893f-6a422a3d7164';
  t.is(firstMissing([`study ${id}`, '…', 'end'], `a remark\nstudy ${other}\n1\n2\nend\n`), undefined);
  t.is(firstMissing(['one', 'two'], 'two\none\n'), 'two');
  t.is(firstMissing(['journal head 49'], 'journal head 57\n'), 'journal head 49');
});

test('the guide of the client names exactly its calls', async (t) => {
  const host = StudyHost.connect({ baseUrl: 'http://127.0.0.1:1', token: '' });
  const methodsOf = (part: object) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== 'constructor');
  const parts = Object.entries(host).flatMap(([name, part]) => methodsOf(part).map((method) => `${name}.${method}`));
  const rows = tablesOf(await pageOf('guides/client')).flat();
  const named = rows.flatMap(([first = '']) => {
    let part = '';
    return codesOf(first).map((code) => {
      const call = code.replace(/\(.*$/s, '');
      part = call.startsWith('.') ? part : (call.match(/^(\w+)\./)?.[1] ?? '');
      return call.startsWith('.') ? part + call : call;
    });
  });
  const calls = [...methodsOf(host), ...parts];
  t.deepEqual(named.filter((name) => !/^[A-Z]/.test(name)).sort(), calls.sort());
});

test('every command of the screencast is one of the program, with arguments that it takes', async (t) => {
  const page = await textOf('docs/guides/screencast.md');
  const calls = [...page.matchAll(/^\$ media-study (\w+)(.*)$/gm)];
  t.true(calls.length >= 10);
  for (const [call, name = '', rest = ''] of calls) {
    const command = { ...(await allHostCommands()), ...storeCommands }[name];
    if (command === undefined) throw new Error(call);
    const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const places = 'positionals' in command ? command.positionals : 1;
    t.notThrows(() => parseFlags(words, command.flags, places), call);
  }
  t.regex(page, /^1\n00:00:00,800 --> 00:00:03,372\nGood morning and welcome$/m);
  t.is(page.match(/^# exit 0$/gm)?.length, 11, 'what succeeds; wrong turns end otherwise');
});
