import { writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { ProgramTranslations } from '../../../features/translation/program-translations.ts';
import { approvedStudy } from '../../actors/captions/caption-bench.ts';
import { standInApertium } from '../../executors/process/apertium-stand-in.ts';
import { launcherFor } from '../../executors/process/launcher-for-tests.ts';

const detector = { identify: async (texts: readonly string[]) => texts.map(() => ({ isCovered: false, odds: [] })) };

/** An approved study of a film in Spanish whose captions are to be Portuguese, on a host with the pair. */
async function spanishFilm(t: ExecutionContext, texts: readonly string[], targetLanguage = 'pt') {
  const { environment, generation } = await standInApertium(t);
  const { launcher } = await launcherFor(t);
  const options = { launcher, environment, clock: systemClock, detector, modes: ['es-pt'] };
  const cues = texts.map((text, at) => ({ startMs: at * 160, endMs: at * 160 + 150, text }));
  const tracks = [{ ...{ trackIndex: 2, taggedLanguage: 'es', code: 'es' }, cues }];
  const approved = await approvedStudy(
    t,
    { classification: 'subtitle_tracks_translated', translator: () => new ProgramTranslations(options) },
    {
      tracks,
      asked: { requestedSourceLanguage: { mode: 'declared', languages: ['es'], reason: null }, targetLanguage },
    },
  );
  return { ...approved, generation };
}

type Film = Awaited<ReturnType<typeof spanishFilm>>;

const produced = ({ bench, runtimeId, approval }: Film) => bench.captions.produce(runtimeId, { approval });

/** The lines of the only production. */
async function linesOf({ bench, runtimeId }: Film) {
  const [found] = (await bench.reads.results(runtimeId)).results;
  const artifact = found?.artifact;
  return artifact !== undefined && 'lines' in artifact ? artifact.lines.map(({ target }) => target) : [];
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof ServiceError ? `${error.code}: ${error.message}` : String(error);
}

test('lines are translated, and a word that the program does not know withholds its line and is named', async (t) => {
  const film = await spanishFilm(t, ['Hola, mundo', 'El coche azul', '<i>El coche rojo</i>', 'las habitaciones']);
  const [made] = (await produced(film)).captions;
  t.like(made?.executor, { translator: 'apertium', model: 'apertium:es-pt' });
  t.like(made?.result, { lineCount: 4, targetAvailableCount: 2, withheldCount: 2 });
  const [hello, blue, red, rooms] = await linesOf(film);
  t.like(hello, { state: 'available', text: 'Olá, mundo' });
  t.deepEqual(blue, {
    language: 'pt',
    state: 'withheld',
    text: null,
    reasonCode: 'translation_unknown_words',
    unknownWords: ['azul'],
  });
  t.like(red, { text: '<i>O carro vermelho</i>' });
  t.like(rooms, { unknownWords: ['las', 'habitaciones'] });
});

test('a line without an answer is withheld alone, and the captions verify', async (t) => {
  const film = await spanishFilm(t, ['Hola, mundo', 'cae', 'La casa']);
  const [made] = (await produced(film)).captions;
  t.like(made?.result, { targetAvailableCount: 2 });
  t.deepEqual(
    (await linesOf(film)).map(({ reasonCode }) => reasonCode),
    [null, 'translator_missing_line', null],
  );
});

test('a film in languages without a pair is refused before the attempt, and its approval stays free', async (t) => {
  const film = await spanishFilm(t, ['Hola, mundo'], 'ko');
  t.regex(await refusalOf(produced(film)), /^caption_lines_unavailable: no_translator: /);
  t.deepEqual(await film.bench.journal(film.runtimeId, film.after), []);
});

test('captions of which no line passes are not made: the approval stays free, and the reason is stated', async (t) => {
  const film = await spanishFilm(t, ['azul', 'verde']);
  t.is(
    await refusalOf(produced(film)),
    'caption_translation_failed: translator: no line passed the gates: translation_unknown_words',
  );
});

test('language data that changes between two productions is another translator', async (t) => {
  const film = await spanishFilm(t, ['Hola, mundo']);
  await produced(film);
  const [first] = (await film.bench.reads.productions(film.runtimeId)).captions;
  await writeFile(film.generation, 'another');
  const other = await spanishFilm(t, ['Hola, mundo']);
  await writeFile(other.generation, 'another');
  await produced(other);
  const [second] = (await other.bench.reads.productions(other.runtimeId)).captions;
  const digestOf = (row: typeof first) => (row !== undefined && 'model' in row.executor ? row.executor : null);
  t.not(digestOf(second)?.configurationContentId, digestOf(first)?.configurationContentId);
});
