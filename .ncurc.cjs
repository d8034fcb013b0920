// The packages that `npm run updates` leaves alone: the table *Pinned for a reason* of docs/dependencies.md names each with its reason.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const page = readFileSync(join(__dirname, 'docs', 'dependencies.md'), 'utf8');
const pinned = page.slice(page.indexOf('## Pinned for a reason'));

module.exports = {
  enginesNode: true,
  reject: [...pinned.matchAll(/^\| `([^`]+)` (?:[\d.]+|as an alias) \|/gm)].map(([, name]) => name),
};
