// Writes the parts of the docs that come from code: `npm run docs`. Drawings of charts have a command of their own.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { settingsSchema } from '../cli/settings/settings-file.ts';
import { machines } from '../machines/catalogue.ts';
import { coverageOf } from '../test/machines/walks.ts';
import { endpointsPage } from './docs/endpoints-page.ts';
import { withRemedies } from './docs/errors-page.ts';
import { limitsPage } from './docs/limits-page.ts';
import { documentText, openApiDocument } from './docs/openapi/document.ts';
import { readRecordedRun } from './docs/openapi/examples.ts';
import { readableDocument } from './docs/openapi/read-document.ts';
import { optionsPage } from './docs/options-page.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));

await writeFile(pathOf('options.md'), await optionsPage());
await writeFile(pathOf('settings.schema.json'), `${JSON.stringify(settingsSchema(), null, 2)}\n`);
const document = await openApiDocument(await readRecordedRun());
await writeFile(pathOf('openapi.json'), documentText(document));
await writeFile(pathOf('endpoints.md'), endpointsPage(readableDocument.parse(document)));
await writeFile(pathOf('limits.md'), limitsPage());
await writeFile(pathOf('errors.md'), withRemedies(await readFile(pathOf('errors.md'), 'utf8')));
for (const machine of machines) {
  await writeFile(
    pathOf(`charts/${machine.id}.coverage.json`),
    `${JSON.stringify(await coverageOf(machine), null, 2)}\n`,
  );
}
