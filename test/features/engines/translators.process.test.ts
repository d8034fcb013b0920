import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { runCommand } from '../../cli/command.ts';
import { standInApertium } from '../../executors/process/apertium-stand-in.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

/** A data root that no host has had, and the command on it beside a double of Apertium. */
async function onRoot(t: ExecutionContext) {
  const root = join(await scratchFolder(t), 'root');
  const { environment, ...stand } = await standInApertium(t);
  const engines = (...args: readonly string[]) =>
    runCommand(['engines', ...args, '--data-root', root], { PATH: environment.PATH ?? '' });
  const settings = async () => JSON.parse(await readFile(join(root, 'settings.json'), 'utf8'));
  return { ...stand, dataRoot: root, engines, settings };
}

test('a pair of Apertium is found, added, listed, tried, used and removed', async (t) => {
  const { engines, settings, dataRoot } = await onRoot(t);
  t.regex((await engines('find')).stdout, /^apertium: caption_translation, found\. .*pairs es-pt, es-pt_BR\./m);
  const added = await engines('add', 'apertium-es-pt', '--as', 'translator');
  t.is(added.exit, 0, added.stderr);
  t.regex(added.stdout, /^apertium-es-pt is in use\nes to pt: 9 of 9 lines translated/);
  t.regex(added.stdout, /88 lines take about \d+ seconds?\n$/);
  t.deepEqual(await settings(), { 'caption-translation-apertium': ['es-pt'] });
  const brazilian = await engines('add', 'apertium-es-pt_BR', '--as', 'installed');
  t.is(brazilian.exit, 0, brazilian.stderr);
  t.deepEqual(await settings(), { 'caption-translation-apertium': ['es-pt'] });
  const listed = JSON.parse((await engines('--json')).stdout).engines;
  const row = (name: string) => listed.find((each: { readonly name: string }) => each.name === name);
  t.like(row('apertium-es-pt'), {
    use: 'translator',
    state: 'in_use',
    sends: 'nothing',
    pair: { from: 'es', to: 'pt' },
  });
  t.like(row('apertium-es-pt_BR'), { state: 'installed', pair: { from: 'es', to: 'pt-BR' } });
  t.is((await engines('use', 'apertium-es-pt_BR')).exit, 0);
  t.deepEqual(await settings(), { 'caption-translation-apertium': ['es-pt', 'es-pt_BR'] });
  t.like(JSON.parse((await engines('test', 'apertium-es-pt', '--json')).stdout), { answered: 9, numbersKept: 9 });
  t.is((await engines('remove', 'apertium-es-pt')).exit, 0);
  t.deepEqual(await settings(), { 'caption-translation-apertium': ['es-pt_BR'] });
  t.is((await engines('remove', 'apertium-es-pt_BR')).exit, 0);
  t.deepEqual(await settings(), {});
  t.false(existsSync(join(dataRoot, 'engines/apertium-es-pt')));
});

test('a pair that is not here, or cannot work, is refused and changes nothing', async (t) => {
  const { engines, dataRoot, generation, modes } = await onRoot(t);
  const missing = await engines('add', 'apertium-es-gl', '--as', 'translator');
  t.is(missing.exit, 1);
  t.regex(
    missing.stderr,
    /^unknown_engine: there is no translator apertium-es-gl on this machine; apertium-es-pt, apertium-es-pt_BR are here; to see all names: .*engines/,
  );
  await writeFile(join(modes, 'es-pt.mode'), `lt-proc --dies-at-start '${generation}'\n`);
  const broken = await engines('add', 'apertium-es-pt');
  t.regex(
    broken.stderr,
    /^engine_failed: es-pt of Apertium does not start: it ended; correct what this names, or take another engine/m,
  );
  await writeFile(join(modes, 'es-pt.mode'), `lt-proc '${generation}'\n`);
  t.regex((await engines('add', 'apertium-es-pt')).stderr, /^not_translated: it gave every line back as it was/m);
  await writeFile(join(modes, 'es-pt.mode'), `rm -rf '${generation}'\n`);
  t.regex((await engines('add', 'apertium-es-pt')).stderr, /^engine_failed: the mode es-pt runs rm/m);
  t.true(existsSync(generation));
  t.false(existsSync(join(dataRoot, 'settings.json')));
});
