import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ScriptAlignmentProposal } from '../contract/sources/script-alignment.ts';
import { aloneFigure, type Figure, type Row } from './figure.ts';
import { type SaidSentence, scriptedFilm, type Voice } from './scripted-film.ts';

const run = promisify(execFile);

/** A folder with `bin/whisper-cli` and `ggml/ggml-base-q5_1.bin`. */
const modelsVariable = 'MEDIA_STUDY_MODELS';
const program = fileURLToPath(new URL('../build/media-study.js', import.meta.url));

const english = [
  'The ferry leaves at seven in the morning, and nobody waits for it.',
  'My grandmother kept every letter that he ever wrote to her.',
  'Do you remember the summer of 1984, when the river froze?',
  'We walked across the whole harbor without getting our shoes wet.',
  'The old radio only plays music from another country.',
  'You should have called me when the train was late.',
  'Bring me the blue coat, not the green one.',
  'Every child in this street knows how to swim.',
];
const spanish = [
  'El barco sale a las siete de la mañana, y nadie lo espera.',
  'Mi abuela guardó todas las cartas que él le escribió.',
  '¿Te acuerdas del verano en que se heló el río?',
  'La vieja radio solo toca música de otro país.',
  'Mañana vamos a contar otra vez los barcos del puerto.',
  'Los niños de esta calle saben nadar muy bien.',
  'Compré la casa por el jardín que tiene detrás.',
];

interface Case {
  readonly what: string;
  readonly language: string;
  readonly sentences: readonly string[];
  readonly voices: readonly [Voice, ...Voice[]];
  readonly settings: (models: string) => readonly string[];
  readonly needsModels: boolean;
}

const flite = (voice: string): Voice => ({ program: 'flite', voice });
const whisper = (models: string): readonly string[] => [
  'semantic-recognizer=whisper-cli',
  `semantic-recognizer-model=${join(models, 'ggml', 'ggml-base-q5_1.bin')}`,
];

const cases: readonly Case[] = [
  {
    what: 'English (flite), heard by pocketsphinx',
    language: 'en',
    sentences: english,
    voices: [flite('slt'), flite('rms'), flite('awb')],
    settings: () => ['semantic-recognizer=pocketsphinx'],
    needsModels: false,
  },
  {
    what: 'English (flite), heard by Whisper base',
    language: 'en',
    sentences: english,
    voices: [flite('slt'), flite('rms'), flite('awb')],
    settings: whisper,
    needsModels: true,
  },
  {
    what: 'Spanish (espeak-ng), heard by Whisper base',
    language: 'es',
    sentences: spanish,
    voices: [{ program: 'espeak-ng', voice: 'es' }],
    settings: whisper,
    needsModels: true,
  },
];

const lettersOf = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** By how many ms the lines that begin a sentence start too early or late. */
function errorsOf({ lines }: Pick<ScriptAlignmentProposal, 'lines'>, said: readonly SaidSentence[]): number[] {
  const errors: number[] = [];
  for (const { text, startMs } of said) {
    const own = lines.find((line) => lettersOf(text).startsWith(lettersOf(line.text).slice(0, 16)));
    if (own !== undefined) errors.push(Math.abs(own.startMs - startMs));
  }
  return errors.sort((one, other) => one - other);
}

/** Runs a command in the scratch folder of a case; its output, also for an exit code other than 0. */
async function called(folder: string, args: readonly string[], models: string): Promise<string> {
  const environment = { ...process.env, PATH: [join(models, 'bin'), process.env.PATH ?? ''].join(delimiter) };
  const options = { cwd: folder, env: environment, maxBuffer: 64 * 1024 * 1024 };
  const all = [program, ...args, '--data-root', join(folder, 'root')];
  return run(process.execPath, all, options).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  );
}

async function measured(test: Case, at: number, scratch: string, models: string): Promise<Figure[]> {
  const folder = join(scratch, `align-${at}`);
  await run('mkdir', ['-p', folder]);
  const film = join(folder, 'film.wav');
  const said = scriptedFilm(film, test.sentences, { voices: test.voices, seed: at + 1 });
  await writeFile(join(folder, 'script.txt'), test.sentences.map((text) => `${text}\n\n`).join(''));
  await called(folder, ['settings', 'set', ...test.settings(models), 'permit-recognition=true'], models);
  const attest = ['--attest', '--attest-rights', '--rights-holder', 'Me', '--reviewer', 'Local review operator'];
  const aligning = ['subtitles', 'align', 'film.wav', 'script.txt', '--language', test.language, '--json', ...attest];
  const answer: ScriptAlignmentProposal = JSON.parse(
    (await called(folder, aligning, models)).trim().split('\n').at(-1) ?? '',
  );
  const errors = errorsOf(answer, said);
  const [middle, most] = [errors[errors.length >> 1], errors[Math.floor(0.9 * errors.length)]];
  return [
    aloneFigure(`${test.what}: sentences with a time`, `${errors.length} of ${said.length}`, '-', null),
    aloneFigure(
      `${test.what}: line starts, median and 90 % error`,
      `${middle ?? '-'} ms, ${most ?? '-'} ms`,
      '-',
      null,
    ),
  ];
}

async function measure(folder: string): Promise<Figure[]> {
  const models = process.env[modelsVariable] ?? '';
  const figures: Figure[] = [];
  for (const [at, test] of cases.entries()) {
    if (test.needsModels && !existsSync(join(models, 'bin', 'whisper-cli'))) {
      figures.push(aloneFigure(test.what, `skipped: ${modelsVariable} names no folder`, 'weights', null));
    } else figures.push(...(await measured(test, at, folder, models)));
  }
  return figures;
}

/** Scripts of synthetic speech with known times, aligned by the command. */
export const align: Row = {
  name: 'align',
  measures: `The starts of the lines of scripts against those of synthetic speech. \`${modelsVariable}\` is a folder with Whisper and its weights.`,
  grows:
    'Time grows with the speech that is recognized, and with the product of the letters of the script and of the speech.',
  measure,
};
