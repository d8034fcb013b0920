import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import type { Clock } from '../../../contract/base/clock.ts';
import type { Environment } from '../../../executors/process/tools.ts';
import {
  installedPair,
  PairUnavailable,
  pairFor,
  pairNames,
  pairOf,
  pipeCommands,
} from '../../../features/translation/engine/apertium-pairs.ts';
import { ApertiumPipe, PipeFailure } from '../../../features/translation/engine/apertium-pipe.ts';
import { lineOfStream } from '../../../rules/translation/program-lines.ts';
import { processesOf, standInApertium } from '../../executors/process/apertium-stand-in.ts';
import { launcherFor } from '../../executors/process/launcher-for-tests.ts';
import { nastyTexts } from '../../receipts/captions/nasty-texts.ts';

const end = '[][\n]';

async function pipeOf(t: ExecutionContext, mode: string, environment: Environment, clock: Clock = systemClock) {
  const { launcher } = await launcherFor(t);
  const { signal } = new AbortController();
  const pipe = new ApertiumPipe(installedPair(mode, environment), { launcher, clock, signal });
  t.teardown(() => pipe.close());
  return pipe;
}

test('a pipe answers line by line, with marks for what it does not know', async (t) => {
  const { environment } = await standInApertium(t);
  const pipe = await pipeOf(t, 'es-pt', environment);
  t.is(await pipe.translated('Hola, mundo'), `Olá, mundo${end}`);
  t.is(await pipe.translated('el coche azul'), `o carro *azul${end}`);
  t.is(await pipe.translated('las habitaciones'), `*las #habitaciones${end}`);
  t.is(await pipe.translated(''), end);
});

test('hostile lines come back as they are, and none reaches another', async (t) => {
  const { environment } = await standInApertium(t);
  const pipe = await pipeOf(t, 'es-pt', environment);
  for (const text of [...nastyTexts(3, 120), 'a\0b', '[][\n]', '\\', `${'['.repeat(200)}`]) {
    const answer = await pipe.translated(text);
    t.not(lineOfStream(answer ?? '', text), null, JSON.stringify(text));
    t.is(await pipe.translated('hola'), `olá${end}`);
  }
});

test('bug: a part of a pipe that was killed kept its line waiting', async (t) => {
  const { environment, root } = await standInApertium(t);
  const pipe = await pipeOf(t, 'es-pt', environment);
  for (const part of [0, 1]) {
    t.is(await pipe.translated('hola'), `olá${end}`);
    const parts = (await processesOf(root)).toSorted((one, other) => one - other);
    t.is(parts.length, 2);
    process.kill(parts[part] ?? 0, 'SIGKILL');
    // No clock of this test moves: only the end of the pipe can have told.
    t.is(await pipe.translated('mundo'), `mundo${end}`);
  }
});

test('a line at which the program ends, answers too much or answers twice has no answer, and the next one has its own', async (t) => {
  const { environment, root } = await standInApertium(t);
  const pipe = await pipeOf(t, 'es-pt', environment);
  for (const word of ['cae', 'habla', 'doble']) {
    t.is(await pipe.translated(`hola ${word}`), null);
    t.is(await pipe.translated('hola mundo'), `olá mundo${end}`);
  }
  await pipe.close();
  t.deepEqual(await processesOf(root), [], 'nothing of a closed pipe is left');
});

test('a line without an answer costs its time, and the processes behind it end', async (t) => {
  const { environment, root } = await standInApertium(t);
  // The time of a line is over at once; that of a start is not.
  const clock: Clock = { ...systemClock, setTimeout: (run, ms) => systemClock.setTimeout(run, ms > 20_000 ? ms : 100) };
  const pipe = await pipeOf(t, 'es-pt', environment, clock);
  t.is(await pipe.translated('calla'), null);
  t.deepEqual(await processesOf(root), []);
});

test('three lines in a row without an answer say that the program is broken', async (t) => {
  const { environment } = await standInApertium(t);
  const pipe = await pipeOf(t, 'es-pt', environment);
  t.is(await pipe.translated('cae'), null);
  t.is(await pipe.translated('cae'), null);
  await t.throwsAsync(pipe.translated('cae'), { instanceOf: PipeFailure, message: /3 lines in a row: it ended$/ });
  const broken = await standInApertium(t, '--dies-at-start');
  await t.throwsAsync((await pipeOf(t, 'es-pt', broken.environment)).translated('hola'), {
    instanceOf: PipeFailure,
    message: /^es-pt of Apertium does not start: it ended$/,
  });
});

test('a pair is its mode, its programs and its data: another byte is another translator', async (t) => {
  const { environment, generation, bin, root } = await standInApertium(t);
  const before = installedPair('es-pt', environment);
  t.is(before.identity.model, 'apertium:es-pt');
  t.deepEqual(before.configuration.pipe, [
    ['lt-proc', '-z', 'apertium-es-pt/es-pt.automorf.bin'],
    ['lt-proc', '-z', '-g', 'apertium-es-pt/es-pt.autogen.bin'],
  ]);
  t.false(JSON.stringify(before.configuration).includes(root), 'no folder of this machine is in a record');
  t.deepEqual(installedPair('es-pt', environment).identity, before.identity);
  await writeFile(generation, 'Generation');
  const changed = installedPair('es-pt', environment);
  t.not(changed.identity.configurationContentId, before.identity.configurationContentId);
  await writeFile(path.join(bin, 'lt-proc'), '#!/bin/sh\n');
  t.not(installedPair('es-pt', environment).identity.configurationContentId, changed.identity.configurationContentId);
  await rm(generation);
  t.throws(() => installedPair('es-pt', environment), { instanceOf: PairUnavailable, message: /not installed whole/ });
});

test('a mode that only a shell can run is refused, and so is one of other programs', async (t) => {
  t.deepEqual(pipeCommands('x', `lt-proc -w '/a b/c.bin' | cg-proc $2 "/d.bin" | lt-proc $1 /e.bin\n# a remark\n`), [
    ['lt-proc', '-z', '-w', '/a b/c.bin'],
    ['cg-proc', '-z', '/d.bin'],
    ['lt-proc', '-z', '-g', '/e.bin'],
  ]);
  for (const text of [
    'lt-proc a; rm -rf /',
    'lt-proc `id`',
    'lt-proc $(id)',
    'lt-proc $HOME',
    'lt-proc > /x',
    'lt-proc &',
    'lt-proc \\x',
  ]) {
    t.throws(() => pipeCommands('x', text), { instanceOf: PairUnavailable }, text);
  }
  for (const text of ['', 'rm -rf /', 'lt-proc a | | lt-proc b', 'lt-proc a | sh -c x', '/bin/sh', "''"]) {
    t.throws(() => pipeCommands('x', text), { instanceOf: PairUnavailable }, text);
  }
  t.throws(() => installedPair('es-pt', { PATH: '/nowhere' }), { message: 'apertium is not on PATH' });
  const { environment } = await standInApertium(t);
  t.throws(() => installedPair('es-gl', environment), {
    message: 'there is no pair es-gl of Apertium on this machine',
  });
  t.throws(() => installedPair('../es-pt', environment), { instanceOf: PairUnavailable });
});

test('the pair for two languages is the one of the asked variety, else the plain one', async (t) => {
  const { environment } = await standInApertium(t);
  const pairs = pairNames(environment);
  t.deepEqual(
    pairs.map(({ mode }) => mode),
    ['es-pt', 'es-pt_BR'],
  );
  const modeFor = (from: string, to: string) => pairFor(pairs, from, to)?.mode ?? null;
  t.is(modeFor('es', 'pt'), 'es-pt');
  t.is(modeFor('es-MX', 'pt-BR'), 'es-pt_BR');
  t.is(modeFor('es', 'pt-PT'), 'es-pt');
  t.is(modeFor('pt', 'es'), null);
  t.is(modeFor('en', 'ko'), null);
  const brazilian = pairs.slice(1);
  t.is(pairFor(brazilian, 'es', 'pt')?.mode, 'es-pt_BR');
  t.is(pairFor(brazilian, 'es', 'pt-PT'), null);
  t.like(pairOf('spa-cat_valencia'), { from: 'es', to: 'ca', variety: 'valencia' });
  t.is(pairOf('spa-cat-morph'), null);
});

/** Tests with a pair of this machine are skipped where it is not installed. */
const real = (mode: string) => (pairNames(process.env).some((pair) => pair.mode === mode) ? test : test.skip);

real('es-pt')(
  'Apertium: Spanish becomes Portuguese, and equal lines are equal in any order [needs apertium-es-pt]',
  async (t) => {
    const pipe = await pipeOf(t, 'es-pt', process.env);
    const lines = [
      'Hola, ¿cómo estás?',
      'El coche rojo está aquí.',
      'Un Shrubbery',
      '<i>Hola</i> *mundo*',
      'tal/cual [risas]',
    ];
    const first: (string | null)[] = [];
    for (const line of lines) first.push(await pipe.translated(line));
    t.is(first[0], `Olá, como estás?${end}`);
    t.deepEqual(lineOfStream(first[2] ?? '', lines[2] ?? ''), { text: 'Um Shrubbery', unknownWords: ['Shrubbery'] });
    t.deepEqual(lineOfStream(first[3] ?? '', lines[3] ?? ''), { text: '<i>Olá</i> *mundo*', unknownWords: [] });
    const again: (string | null)[] = [];
    for (const line of lines.toReversed()) again.unshift(await pipe.translated(line));
    t.deepEqual(again, first);
  },
);

for (const mode of ['es-pt', 'spa-cat']) {
  real(mode)(
    `Apertium: hostile lines break no pipe of ${mode}, and none reaches another [needs the pair]`,
    async (t) => {
      const pipe = await pipeOf(t, mode, process.env);
      const known = await pipe.translated('La casa es grande.');
      for (const text of nastyTexts(5, 150)) {
        const answer = await pipe.translated(text);
        t.true(answer?.endsWith(end), JSON.stringify(text));
        t.is(await pipe.translated('La casa es grande.'), known);
      }
    },
  );
}
