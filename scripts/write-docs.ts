// Writes what stands in the docs and comes from code: `npm run docs`. Charts have a command of their own.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { endpointsPage } from './docs/endpoints-page.ts';
import { withRemedies } from './docs/errors-page.ts';
import { limitsPage } from './docs/limits-page.ts';
import { optionsPage } from './docs/options-page.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));

await writeFile(pathOf('options.md'), optionsPage());
await writeFile(pathOf('endpoints.md'), endpointsPage());
await writeFile(pathOf('limits.md'), limitsPage());
await writeFile(pathOf('errors.md'), withRemedies(await readFile(pathOf('errors.md'), 'utf8')));
