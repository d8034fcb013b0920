import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { spokenLanguage } from '../../../client/studies.ts';
import type { StudyHost } from '../../../client/study-host.ts';
import { speechFile } from '../../../fixtures/speech/gold.ts';
import { newRoot, openClientHost } from '../../actors/client-host.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { fake } from '../../executors/process/launcher-for-tests.ts';

const run = promisify(execFile);

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'other-language-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Film {
  readonly file: string;
  readonly language: string;
}

/** Studies a film whose speech is declared, and reads what was recognized of it. */
async function studied(client: StudyHost, { file, language }: Film, again?: string) {
  const given = { label: 'film', rightsHolder: 'nobody', ownershipAttested: true } as const;
  const source =
    (await client.sources()).find(({ label }) => label === 'film') ?? (await client.ingestFile(file, given));
  const request = { targetLanguage: language, requestedSourceLanguage: spokenLanguage(language) };
  const clientRequestId = again === undefined ? {} : { clientRequestId: again };
  const { runtimeId } = await client.study(source, { ...request, ...clientRequestId }).ended();
  const [row] = (await client.evidence(runtimeId, 'transcript')).evidence;
  const facts = row?.facts ?? [];
  const { plan } = await client.captions.plan(runtimeId, { method: 'recognized' });
  return {
    regions: facts.flatMap((fact) => (fact.kind === 'recognised_region' ? [fact] : [])),
    lines: facts.flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : [])),
    stretches: plan.remarks.flatMap((each) => (each.code === 'spoken_in_other_language' ? [each.params] : [])),
  };
}

const whisperHost = (t: ExecutionContext, root: string, program: string, model: string) =>
  openClientHost(t, root, {
    flags: [
      '--semantic-recognizer',
      'whisper-cli',
      '--semantic-recognizer-model',
      model,
      '--allow-real-semantic-evidence',
    ],
    environment: { MEDIA_STUDY_WHISPER_CLI: program },
  });

test('the language of each window is asked for once, and its answer is kept for the next study', async (t) => {
  const folder = await folderOf(t);
  const [model, program, calls] = ['base.bin', 'whisper-cli', 'calls'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(model, 'ggml');
  await writeFile(program, `#!/bin/sh\necho "$@" >> '${calls}'\nexec '${fake('whisper-cli-stand-in')}' "$@"\n`);
  await chmod(program, 0o755);
  const root = await newRoot(t);
  const { host, client } = await whisperHost(t, root, program, model);
  const first = await studied(client, { file: speechFile, language: 'en' });
  t.true(first.lines.length > 0);
  t.true(first.lines.every(({ reasonCodes }) => reasonCodes.includes('language_mismatch')));
  t.true(first.regions.every(({ spoken }) => spoken?.language === 'es' && spoken.probability === 0.9767));
  t.is(first.stretches[0]?.language, 'es');
  const questions = async () => (await readFile(calls, 'utf8')).split('\n').filter((line) => line.endsWith('-dl'));
  const asked = (await questions()).length;
  const windows = new Set(first.regions.map(({ startMs, window }) => window?.startMs ?? startMs));
  t.is(asked, windows.size);
  // Another language is declared: the same windows are recognized again, in it.
  const spanish = await studied(client, { file: speechFile, language: 'es' });
  t.deepEqual(spanish.stretches, []);
  t.true(spanish.regions.every(({ spoken }) => spoken?.language === 'es'));
  await host.stop();
  const { host: next, client: again } = await whisperHost(t, root, program, model);
  const before = (await questions()).length;
  t.deepEqual((await studied(again, { file: speechFile, language: 'en' }, 'again')).stretches, first.stretches);
  t.is((await questions()).length, before);
  await next.stop();
  await checkRuntimes(t, root);
});

const models = process.env.MEDIA_STUDY_MODELS;
const withModels = models === undefined ? test.skip : test;

withModels('with MEDIA_STUDY_MODELS: bug: Spanish in an English film became sentences that passed', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'film.wav');
  const clips = ['jfk', 'austen-0870', 'capitan-es', 'austen-0920'].map((name) =>
    join(models ?? '', `clips/${name}.flac`),
  );
  // Between the clips nobody speaks for a second and a half.
  const joined = clips.map((_, at) => `[${at}]apad=pad_dur=1.5,aresample=16000[c${at}]`).join(';');
  const filter = `${joined};${clips.map((_, at) => `[c${at}]`).join('')}concat=n=${clips.length}:v=0:a=1`;
  await run('ffmpeg', ['-v', 'error', ...clips.flatMap((clip) => ['-i', clip]), '-filter_complex', filter, file]);
  const root = await newRoot(t);
  const { host, client } = await whisperHost(
    t,
    root,
    join(models ?? '', 'bin/whisper-cli'),
    join(models ?? '', 'ggml/ggml-base-q5_1.bin'),
  );
  const { lines, stretches } = await studied(client, { file, language: 'en' });
  const spanish = { startMs: 21_000, endMs: 41_500 };
  const isSpanish = ({ startMs, endMs }: { startMs: number; endMs: number }) =>
    startMs >= spanish.startMs && endMs <= spanish.endMs;
  const passed = lines.filter(({ outcome }) => outcome === 'passed');
  t.log(lines.map(({ startMs, text, reasonCodes }) => `${startMs} ${text} ${reasonCodes.join(', ')}`).join('\n'));
  t.deepEqual(passed.filter(isSpanish), []);
  t.true(passed.some(({ text }) => /ask what you can do for your country/i.test(text)));
  t.true(passed.some(({ text }) => /more respectable/i.test(text)));
  t.deepEqual(
    lines.filter(({ reasonCodes, ...line }) => reasonCodes.includes('language_mismatch') && !isSpanish(line)),
    [],
  );
  t.is(stretches.length, 1);
  t.like(stretches[0], { language: 'es' });
  t.true(stretches.every(isSpanish));
  await host.stop();
  await checkRuntimes(t, root);
});
