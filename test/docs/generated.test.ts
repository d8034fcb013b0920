import test from 'ava';
import { startRemedies } from '../../cli/options/start-remedies.ts';
import { errorCodes, errorRemedies, reservedErrorCodes } from '../../contract/base/error-codes.ts';
import { endpointsPage } from '../../scripts/docs/endpoints-page.ts';
import { withRemedies } from '../../scripts/docs/errors-page.ts';
import { limitsPage } from '../../scripts/docs/limits-page.ts';
import { documentText, openApiDocument } from '../../scripts/docs/openapi/document.ts';
import { readRecordedRun } from '../../scripts/docs/openapi/examples.ts';
import { readableDocument } from '../../scripts/docs/openapi/read-document.ts';
import { optionsPage } from '../../scripts/docs/options-page.ts';
import { sectionOf, tablesOf, textOf, wordsOf } from './markdown.ts';

test('the page of options is the one that the tables of flags make', async (t) => {
  t.is(await textOf('docs/options.md'), optionsPage());
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

test('the page of errors says of each code what its messages say', async (t) => {
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
  t.deepEqual(tables.flatMap(wordsOf).sort(), Object.keys(startRemedies).sort());
});
