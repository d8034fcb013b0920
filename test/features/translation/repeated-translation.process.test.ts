import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import type { CaptionTranslation } from '../../../contract/captions/caption-translation.ts';
import { installedPair } from '../../../features/translation/engine/apertium-pairs.ts';
import { ApertiumPipe } from '../../../features/translation/engine/apertium-pipe.ts';
import { answersOf } from '../../../features/translation/program-translations.ts';
import { repeatedTranslation } from '../../../features/translation/repeated-translation.ts';
import { gatesOver } from '../../../rules/translation/plan.ts';
import { programFormContract } from '../../../rules/translation/program-lines.ts';
import { standInApertium } from '../../executors/process/apertium-stand-in.ts';
import { launcherFor } from '../../executors/process/launcher-for-tests.ts';

const zeros = `sha256:${'0'.repeat(64)}`;

/** The record of three lines by the double of Apertium, and a way to repeat it. */
async function recordOf(t: ExecutionContext) {
  const stand = await standInApertium(t);
  const { environment } = stand;
  const { launcher } = await launcherFor(t);
  const pair = installedPair('es-pt', environment);
  const { signal } = new AbortController();
  const pipe = new ApertiumPipe(pair, { launcher, clock: systemClock, signal });
  const lines = ['Hola, mundo', 'el coche azul', '<i>la casa</i>'].map((text, at) => ({ id: `line-${at + 1}`, text }));
  const answers = await answersOf(pipe, lines);
  await pipe.close();
  const record: CaptionTranslation = {
    schema: 'studio.caption-translation.v1',
    jobId: `caption-production:${'0'.repeat(64)}`,
    runId: 'runtime:one',
    transcript: { artifactId: `artifact:${'0'.repeat(64)}`, contentId: zeros },
    translator: pair.identity,
    prompt: programFormContract,
    configuration: pair.configuration,
    sourceLanguage: 'es',
    targetLanguage: 'pt',
    asks: [
      {
        lineIds: lines.map(({ id }) => id),
        ...{
          promptContentId: zeros,
          schemaContentId: zeros,
          failure: null,
          identified: null,
          model: pair.identity.model,
        },
        ...{ inputTokens: null, outputTokens: null },
        answers: answers.map(({ line, translation }) => ({
          lineId: line.id,
          source: line.text,
          translation,
          identified: null,
        })),
      },
    ],
    identifiedAlone: null,
    gates: gatesOver.program,
  };
  const repeat = (given = record, machine = environment) =>
    repeatedTranslation(given, { environment: machine, launcher: async () => launcher });
  return { ...stand, record, repeat };
}

test('a translation is repeated byte for byte where the same program and data are installed', async (t) => {
  const { repeat } = await recordOf(t);
  t.deepEqual(await repeat(), { state: 'repeated', lines: 3 });
});

test('other data, another program and a missing one are named, and nothing is repeated', async (t) => {
  const { repeat, generation, bin } = await recordOf(t);
  t.deepEqual(await repeat(undefined, { PATH: '/nowhere' }), { state: 'not_here', why: 'apertium is not on PATH' });
  await writeFile(generation, 'another');
  t.deepEqual(await repeat(), {
    state: 'not_here',
    why: 'apertium:es-pt has another apertium-es-pt/es-pt.autogen.bin here',
  });
  await writeFile(path.join(bin, 'lt-proc'), '#!/bin/sh\n');
  t.deepEqual(await repeat(), {
    state: 'not_here',
    why: 'apertium:es-pt has another apertium-es-pt/es-pt.autogen.bin and 1 other file here',
  });
  await rm(generation);
  t.like(await repeat(), { state: 'not_here' });
});

test('a record with another text than the same program gives is found, with its line', async (t) => {
  const { repeat, record } = await recordOf(t);
  const [ask] = record.asks;
  if (ask === undefined) throw new Error('the record has a question');
  const answers = ask.answers.map((answer) =>
    answer.lineId === 'line-2' ? { ...answer, translation: answer.translation.replace('carro', 'cavalo') } : answer,
  );
  t.deepEqual(await repeat({ ...record, asks: [{ ...ask, answers }] }), { state: 'other', lineId: 'line-2' });
});
