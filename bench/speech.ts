import { existsSync } from 'node:fs';
import path from 'node:path';
import { chanceOf } from '../fixtures/chance.ts';
import { type Figure, type Row, table } from './figure.ts';
import { quantity } from './measuring.ts';
import { enginesIn, type Heard, type MeasuredEngine } from './speech/engines.ts';
import { type SpeechFilm, silentFilm, spokenFilm } from './speech/film.ts';
import { keptIn } from './speech/kept.ts';
import { type Described, decoded, type Recording, sentencesHere } from './speech/recordings.ts';
import { differenceInterval, quantile, type Score, scoreOf, together, wrongPercent } from './speech/score.ts';

/** The folder of weights, programs and clips; its form is in docs/guides/recognition.md. */
const modelsVariable = 'MEDIA_STUDY_MODELS';

/** How long the films are, in minutes; shorter ones are a quick look. */
const minutesVariable = 'MEDIA_STUDY_SPEECH_MINUTES';
const usualMinutes = 8;

/** A folder that keeps what was heard of each film, for a run in parts. */
const keptVariable = 'MEDIA_STUDY_SPEECH_KEPT';

export const speech: Row = {
  name: 'speech',
  measures: `Words, losses, times and processor time of each recognizer, against the same engine with the same weights over the whole file. Needs ${modelsVariable}, a folder with weights and programs of whisper.cpp. More voices come from flite and the prompts of Asterisk, where they are installed. ${keptVariable} names a folder for a run in parts.`,
  grows: 'Linear in the speech of a film.',
  async measure(folder) {
    const models = process.env[modelsVariable];
    if (models === undefined || !existsSync(models)) {
      return [information('recognizers of speech', 'not measured', `${modelsVariable} names no folder`)];
    }
    const groups = films(models, folder, 60_000 * Number(process.env[minutesVariable] ?? usualMinutes));
    const figures: Figure[] = [];
    const kept = process.env[keptVariable];
    for (const found of await enginesIn(models, folder)) {
      const engine = kept === undefined ? found : keptIn(kept, found);
      try {
        for (const group of groups) {
          const found = await compared(engine, group);
          // A run that is cut short has said what it measured so far.
          process.stderr.write(`${table(found)}\n`);
          figures.push(...found);
        }
      } finally {
        await engine.close();
      }
    }
    return figures;
  },
};

/** Films of one kind, whose figures belong together. */
interface FilmGroup {
  readonly name: string;
  readonly films: readonly SpeechFilm[];
  /** How many wrong words of a hundred the product may have more than the bare engine; null for any. */
  readonly allowedMore: number | null;
}

const mostFilmMs = 240_000;

/** How much longer the films without speech are than each group with it: an invented word is rare. */
const silentShare = 2.5;

const silentFilms = (folder: string, lengthMs: number): SpeechFilm[] =>
  Array.from({ length: Math.ceil(lengthMs / mostFilmMs) }, (_, at) =>
    silentFilm(folder, `nobody-speaks-${at}`, Math.min(mostFilmMs, lengthMs - at * mostFilmMs), at),
  );

function films(models: string, folder: string, lengthMs: number): FilmGroup[] {
  // The clips come first: each is a voice of its own, and the prompts have few.
  const described = sentencesHere(models, path.join(folder, 'flite'));
  const all = [...described.filter(({ isClip }) => isClip), ...shuffled(described.filter(({ isClip }) => !isClip))];
  const chosen = (isWanted: (sentence: Described) => boolean) => upTo(all.filter(isWanted), lengthMs);
  const human = chosen(({ isHuman, language }) => isHuman && language === 'en');
  const synthetic = chosen(({ isHuman }) => !isHuman);
  const spanish = chosen(({ language }) => language === 'es');
  const cut = (name: string, language: SpeechFilm['language'], recorded: readonly Recording[]) =>
    inParts(recorded).map((part, at) =>
      spokenFilm(folder, `${name}-${at}`, language, part, at % 2 === 0 ? 'none' : 'noise'),
    );
  const made: FilmGroup[] = [
    { name: 'human voices', films: cut('human', 'en', human), allowedMore: 1 },
    { name: 'synthetic voices', films: cut('synthetic', 'en', synthetic), allowedMore: 1 },
    { name: 'Spanish', films: cut('spanish', 'es', spanish), allowedMore: 4 },
    {
      name: 'English with Spanish',
      films: [spokenFilm(folder, 'two-languages', 'en', alternating(human, spanish), 'none')],
      allowedMore: null,
    },
    {
      name: 'over music',
      films: [spokenFilm(folder, 'over-music', 'en', [...human.slice(0, 20), ...synthetic.slice(0, 20)], 'music')],
      allowedMore: null,
    },
    { name: 'nobody speaks', films: silentFilms(folder, silentShare * lengthMs), allowedMore: null },
  ];
  return made.filter((group) => group.films.length > 0);
}

/** The same order in each run: neighbors in the list of prompts say much the same. */
function shuffled(all: readonly Described[]): Described[] {
  const chance = chanceOf(7);
  return all
    .map((sentence) => ({ sentence, place: chance() }))
    .sort((a, b) => a.place - b.place)
    .map(({ sentence }) => sentence);
}

const lengthOf = ({ samples }: Recording): number => samples.length / 16;

/** The first sentences, as many as are so long together. */
function upTo(all: readonly Described[], lengthMs: number): Recording[] {
  const found: Recording[] = [];
  let sum = 0;
  for (const sentence of all) {
    if (sum >= lengthMs) break;
    const recording = decoded(sentence);
    sum += lengthOf(recording);
    found.push(recording);
  }
  return found;
}

function inParts(all: readonly Recording[]): Recording[][] {
  const parts: Recording[][] = [];
  let room = 0;
  for (const recording of all) {
    if (room < lengthOf(recording)) {
      parts.push([]);
      room = mostFilmMs;
    }
    parts.at(-1)?.push(recording);
    room -= lengthOf(recording);
  }
  return parts;
}

/** A minute of the one, then some sentences of the other, three times. */
function alternating(one: readonly Recording[], other: readonly Recording[]): Recording[] {
  return [0, 1, 2].flatMap((turn) => [
    ...one.slice(10 * turn, 10 * (turn + 1)),
    ...other.slice(4 * turn, 4 * (turn + 1)),
  ]);
}

async function compared(engine: MeasuredEngine, { name, films: all, allowedMore }: FilmGroup): Promise<Figure[]> {
  const heard = { bare: [] as Heard[], product: [] as Heard[] };
  for (const film of all) {
    process.stderr.write(`  ${engine.name}: ${film.name}, ${quantity(film.lengthMs / 60_000, 'min')}\n`);
    heard.bare.push(await engine.bare(film));
    heard.product.push(await engine.product(film));
  }
  const scored = (runs: readonly Heard[]): Score =>
    together(all.map((film, at) => scoreOf(film, runs[at]?.lines ?? [])));
  const [bare, product] = [scored(heard.bare), scored(heard.product)];
  const cpu = (runs: readonly Heard[]) => runs.reduce((sum, { engineMs }) => sum + engineMs, 0) / 1000;
  const what = `${engine.name}, ${name}`;
  const spent: Figure = {
    figure: `${what}: processor time of the engine`,
    measured: quantity(cpu(heard.product), 's'),
    reference: `${quantity(cpu(heard.bare), 's')} whole file`,
    ratio: cpu(heard.product) / cpu(heard.bare),
    mustReach: '<= 1.3 x whole file',
    reached: cpu(heard.product) <= 1.3 * cpu(heard.bare),
  };
  const asked = heard.product.reduce((sum, { languageMs }) => sum + languageMs, 0) / 1000;
  const question = information(`${what}: processor time of the question for the language`, quantity(asked, 's'), '-');
  const foreign: Figure[] =
    bare.foreign + product.foreign === 0 && !name.includes('with')
      ? []
      : [none(`${what}: words of another language that pass`, product.foreign, bare.foreign)];
  const invented = none(`${what}: words written where nobody speaks`, product.invented, bare.invented);
  if (product.words === 0) return [invented, spent, question];
  return [
    wrongWords(what, product, bare, allowedMore),
    ...losses(what, product, bare),
    ...foreign,
    invented,
    spent,
    question,
  ];
}

function wrongWords(what: string, product: Score, bare: Score, allowedMore: number | null): Figure {
  const [low, high] = differenceInterval(product, bare).map((value) => value.toFixed(1));
  const [own, reference] = [wrongPercent(product), wrongPercent(bare)];
  return {
    figure: `${what}: wrong words of ${product.words}, in ${product.edits.length} sentences`,
    measured: `${own.toFixed(1)} % (difference ${low} to ${high})`,
    reference: `${reference.toFixed(1)} %`,
    ratio: own / reference,
    mustReach: allowedMore === null ? '-' : `<= bare + ${allowedMore} points`,
    reached: allowedMore === null ? null : own <= reference + allowedMore,
  };
}

const mostRightWithheld = 0.02;
const startGoalMs = { half: 10, mostOfThem: 100 } as const;

function losses(what: string, product: Score, bare: Score): Figure[] {
  const share = product.rightLinesWithheld / Math.max(1, product.rightLines);
  const half = quantile(product.startErrors, 0.5);
  const most = quantile(product.startErrors, 0.9);
  return [
    none(`${what}: sentences without a line`, product.lost, bare.lost),
    {
      figure: `${what}: right lines withheld`,
      measured: `${product.rightLinesWithheld} of ${product.rightLines}`,
      reference: '-',
      ratio: null,
      mustReach: '<= 2 %',
      reached: share <= mostRightWithheld,
    },
    information(`${what}: false ends of sentences`, `${product.falseEnds}`, `${bare.falseEnds}`),
    {
      figure: `${what}: starts of lines, median and 90 %`,
      measured: `${Math.round(half)} and ${Math.round(most)} ms`,
      reference: `${Math.round(quantile(bare.startErrors, 0.5))} and ${Math.round(quantile(bare.startErrors, 0.9))} ms`,
      ratio: null,
      mustReach: `<= ${startGoalMs.half} and ${startGoalMs.mostOfThem} ms`,
      reached: half <= startGoalMs.half && most <= startGoalMs.mostOfThem,
    },
  ];
}

const none = (figure: string, measured: number, reference: number): Figure => ({
  figure,
  measured: `${measured}`,
  reference: `${reference}`,
  ratio: null,
  mustReach: '0',
  reached: measured === 0,
});

const information = (figure: string, measured: string, reference: string): Figure => ({
  figure,
  measured,
  reference,
  ratio: null,
  mustReach: '-',
  reached: null,
});
