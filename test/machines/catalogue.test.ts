import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { parse } from 'node:path';
import test from 'ava';
import { StateMachine } from 'xstate';
import { machines } from '../../machines/catalogue.ts';

const room = new URL('../../machines/', import.meta.url);

test('the catalogue lists every machine that a file of the room exports, under an id of its own', async (t) => {
  const exported: unknown[] = [];
  const files = (await readdir(room)).filter((name) => name.endsWith('.ts') && name !== 'catalogue.ts');
  for (const name of files) {
    const file: Readonly<Record<string, unknown>> = await import(`../../machines/${parse(name).name}.ts`);
    exported.push(...Object.values(file).filter((value) => value instanceof StateMachine));
  }
  t.deepEqual(new Set<unknown>(machines), new Set(exported));
  t.is(new Set(machines.map(({ id }) => id)).size, machines.length);
});

test('the paths of every machine of the catalogue are tested', (t) => {
  for (const { id } of machines) t.true(existsSync(new URL(`./${id}.test.ts`, import.meta.url)), id);
});
