import test from 'ava';
import { noEngines } from '../../../actors/engines/engine-choices.ts';
import type { CaptionMethod, CaptionMethodRow, CaptionMethodRows } from '../../../contract/captions/caption-method.ts';
import { captionMethodRows, captionMethods } from '../../../contract/captions/caption-method.ts';
import { longestCaptions } from '../../../contract/captions/caption-production.ts';
import { causeText } from '../../../contract/causes/wording.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import {
  captionMeans,
  isUnserved,
  type MethodEngines,
  plannedMethods,
  studiedMethods,
  unrecognizedBy,
} from '../../../receipts/captions/methods.ts';
import { type PlannedFilm, plannedObstaclesOf } from '../../../receipts/captions/prospect.ts';
import { translators } from '../../actors/engines/named-engines.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { koreanTrack, type StoredTrack, twoTracks } from '../evidence/stored-tracks.ts';
import { captionedStudy } from './captioned-studies.ts';

const trackOf = (kind: 'audio' | 'video' | 'subtitle', index: number) => ({
  ...{ id: `track:${index}`, kind, index, codec: kind === 'subtitle' ? 'subrip' : 'any', durationMs: 60_000 },
});

/** A film of a minute with sound, spoken in Korean, and with text tracks of these tags. */
const film = (...tags: readonly (string | null)[]): PlannedFilm => ({
  range: { startMs: 0, endMs: 60_000 },
  requested: { mode: 'declared', languages: ['ko'], reason: null },
  targetLanguage: 'en',
  source: {
    tracks: [trackOf('video', 0), trackOf('audio', 1), ...tags.map((_, at) => trackOf('subtitle', at + 2))],
    trackLanguages: tags.flatMap((language, at) => (language === null ? [] : [{ index: at + 2, language }])),
  },
});

const server = {
  engine: 'openai',
  model: 'm',
  responseFormat: 'json',
  provider: translators.outside.provider,
} as const;
const local = { engine: 'pocketsphinx', model: null } as const;
const everything = { recognition: true, servers: [translators.here.provider.baseUrl], testSeam: true };
const able: MethodEngines = {
  ...noEngines,
  recognizer: { engine: 'whisper-cli' },
  translator: translators.here,
  permissions: everything,
};

const planned = (asked: PlannedFilm, engines: MethodEngines = able): CaptionMethodRows =>
  captionMethodRows.parse(plannedMethods(asked, engines, longestCaptions));

function rowOf({ methods }: CaptionMethodRows, wanted: CaptionMethod): CaptionMethodRow {
  const row = methods.find(({ method }) => method === wanted);
  if (row === undefined) throw new Error(`no row of ${wanted}`);
  return row;
}

const causesOf = (rows: CaptionMethodRows, method: CaptionMethod) =>
  rowOf(rows, method).obstacles.map(({ code }) => code);

test('what people wrote comes before what a model makes of it, and the test seam is never chosen', (t) => {
  t.is(planned(film('ko', 'en')).chosen, 'grouped-subtitles');
  t.is(planned(film('ko')).chosen, 'subtitles-translated');
  t.is(planned({ ...film(), targetLanguage: 'ko' }).chosen, 'recognized');
  t.is(planned(film()).chosen, 'recognized-translated');
  t.is(planned(film('fr')).chosen, 'recognized-translated');
  const seamAlone = { ...noEngines, permissions: { ...everything, recognition: false } };
  const none = planned(film(), seamAlone);
  t.is(none.chosen, null);
  t.is(rowOf(none, 'deterministic-test').state, 'ready');
  t.deepEqual([...planned(film()).methods.map(({ method }) => method)].sort(), [...captionMethods].sort());
});

test('a row is impossible exactly where a host with that executor and every engine has an obstacle', (t) => {
  const films = [
    film(),
    film('ko'),
    film('ko', 'en'),
    film('en'),
    film('fr'),
    film('und'),
    film(null),
    film('ko', null),
  ];
  const without = (asked: PlannedFilm): PlannedFilm => ({
    ...asked,
    source: { ...asked.source, tracks: asked.source.tracks.filter(({ kind }) => kind !== 'audio') },
  });
  const undeclared = (asked: PlannedFilm): PlannedFilm => ({
    ...asked,
    requested: { mode: 'automatic', languages: [], reason: null },
  });
  const long = (asked: PlannedFilm): PlannedFilm => ({
    ...asked,
    range: { startMs: 0, endMs: longestCaptions.maxDurationMs + 1 },
  });
  const inOne = (asked: PlannedFilm): PlannedFilm => ({ ...asked, targetLanguage: 'ko-KR' });
  for (const asked of films.flatMap((each) => [each, without(each), undeclared(each), long(each), inOne(each)])) {
    const rows = planned(asked);
    for (const method of captionMethods) {
      const obstacles = plannedObstaclesOf(
        { ...asked, unrecognized: null },
        { ...captionMeans[method], allowance: longestCaptions },
      );
      t.is(rowOf(rows, method).state === 'impossible', obstacles.length > 0, `${method} ${JSON.stringify(asked)}`);
    }
  }
});

test('a film without sound has no method that recognizes, and each method has its obstacles', (t) => {
  const silent = film('ko');
  const rows = planned({
    ...silent,
    source: { ...silent.source, tracks: silent.source.tracks.filter(({ kind }) => kind !== 'audio') },
  });
  for (const method of ['recognized', 'recognized-translated'] as const) {
    t.like(rowOf(rows, method), { state: 'impossible', recognition: null, recognizesMs: 0 });
    t.deepEqual(causesOf(rows, method), ['no_audio_track']);
  }
  t.deepEqual(causesOf(rows, 'grouped-subtitles'), ['method_does_not_translate']);
  t.deepEqual(causesOf(planned(film()), 'recognized'), ['method_does_not_translate']);
  t.deepEqual(causesOf(planned(film()), 'grouped-subtitles'), ['no_text_tracks']);
  t.deepEqual(causesOf(planned(film('fr')), 'embedded-subtitles'), ['no_text_track_in_language']);
});

test('an engine that is missing, or does not serve the language, is named', (t) => {
  const nothing = planned(film('ko'), noEngines);
  t.like(rowOf(nothing, 'subtitles-translated'), { state: 'needs_engine', permissions: [], use: {}, sends: [] });
  t.deepEqual(causesOf(nothing, 'subtitles-translated'), ['no_translator']);
  t.deepEqual(causesOf(nothing, 'recognized-translated'), ['no_recognizer', 'no_translator']);
  const english = planned({ ...film(), targetLanguage: 'ko' }, { ...able, recognizer: local });
  t.is(rowOf(english, 'recognized').state, 'needs_engine');
  t.deepEqual(causesOf(english, 'recognized'), ['language_not_recognised']);
});

test('bug: a language that the weights do not have was found out by the study, one region after the other', (t) => {
  const spoken = (tag: string, languages: readonly string[] | null): CaptionMethodRows =>
    planned(
      { ...film(), requested: { mode: 'declared', languages: [tag], reason: null }, targetLanguage: tag },
      { ...able, recognizer: { engine: 'whisper-cli', languages } },
    );
  const isServed = (...given: Parameters<typeof spoken>) =>
    !causesOf(spoken(...given), 'recognized').includes('language_not_recognised');
  t.true(isServed('zh', ['en', 'zh']));
  t.true(isServed('cmn-Hans', ['en', 'zh']));
  t.false(isServed('yue', ['en', 'zh']));
  t.true(isServed('yue', null));
  const { remedy } = causeText({ code: 'language_not_recognised', params: {} }, 'terminal');
  t.is(remedy, 'use a recognizer of this language: media-study engines lists them');
});

test('a plan warns of a language that no recognizer of the host serves, and of one among several only if none is', (t) => {
  const engines: MethodEngines = { ...able, recognizer: { engine: 'whisper-cli', languages: ['en', 'zh'] } };
  const mixed = (...languages: string[]) => ({ mode: 'mixed', languages, reason: null }) as const;
  t.true(isUnserved(engines, { mode: 'declared', languages: ['yue'], reason: null }));
  t.true(isUnserved(engines, mixed('yue', 'qu')));
  t.false(isUnserved(engines, mixed('yue', 'en')));
  t.false(isUnserved(engines, { mode: 'automatic', languages: [], reason: null }));
  t.false(isUnserved({ ...engines, recognizer: null }, mixed('yue')));
  const means = { ...captionMeans.recognized, allowance: longestCaptions };
  const unrecognized = 'language_not_recognised' as const;
  const [obstacle] = plannedObstaclesOf({ ...film(), targetLanguage: 'ko', unrecognized }, means);
  t.deepEqual(obstacle?.cause, { code: unrecognized, params: {} });
});

test('a row has the missing permissions, the settings that give them, and what would leave the host', (t) => {
  const permissions = { recognition: false, servers: ['http://127.0.0.1:7/v1'], testSeam: false };
  const engines = { ...noEngines, recognizer: server, translator: translators.here, permissions };
  const row = rowOf(planned(film(), engines), 'recognized-translated');
  t.deepEqual(row, {
    method: 'recognized-translated',
    state: 'needs_permission',
    permissions: ['permit-recognition', 'permit-server'],
    use: {
      'permit-recognition': true,
      'permit-server': ['http://127.0.0.1:7/v1', 'https://models.example/v1', 'http://127.0.0.1:1/v1'],
    },
    confirmation: 'leaves_this_machine_and_may_cost',
    recognition: { recognizer: 'openai', language: null },
    sends: [
      { what: 'sound', server: 'https://models.example/v1', isOnThisMachine: false, mayCost: true },
      { what: 'text', server: 'http://127.0.0.1:1/v1', isOnThisMachine: true, mayCost: false },
    ],
    recognizesMs: 60_000,
    obstacles: [],
  });
  t.deepEqual(rowOf(planned(film(), engines), 'deterministic-test').use, { 'permit-test-seam': true });
  const given = { recognition: true, servers: ['https://models.example/v1', 'http://127.0.0.1:1/v1'], testSeam: false };
  t.like(rowOf(planned(film(), { ...engines, permissions: given }), 'recognized-translated'), {
    ...{ state: 'ready', permissions: [], use: {}, confirmation: null },
  });
});

test('a switch of the caption executor permits the same for methods', (t) => {
  const as = (classification: MethodEngines['captions']['classification']) => ({
    ...{ ...noEngines, recognizer: local, translator: translators.outside, captions: { classification } },
  });
  const english: PlannedFilm = { ...film('en'), requested: { mode: 'declared', languages: ['en'], reason: null } };
  const asked = { ...english, targetLanguage: 'de' };
  const stateOf = (engines: MethodEngines, method: CaptionMethod) => rowOf(planned(asked, engines), method).state;
  t.is(stateOf(as('grouped_subtitle_tracks'), 'subtitles-translated'), 'needs_permission');
  t.is(stateOf(as('subtitle_tracks_translated'), 'subtitles-translated'), 'ready');
  t.is(stateOf(as('recognised_transcript_translated'), 'subtitles-translated'), 'ready');
  t.is(stateOf(as('deterministic_current_run_test_seam'), 'deterministic-test'), 'ready');
  // Words may become captions, and still nothing may be recognized.
  t.deepEqual(rowOf(planned(asked, as('recognised_transcript_translated')), 'recognized-translated').permissions, [
    'permit-recognition',
  ]);
  t.is(
    stateOf({ ...as('recognised_transcript_translated'), recognizesEveryStudy: true }, 'recognized-translated'),
    'ready',
  );
});

test('a study is recognized as it wishes, and without a wish if every study is or its captions need it', (t) => {
  const ofSpeech = { classification: 'recognised_transcript', subtitlesFirst: false } as const;
  const permitted = { ...noEngines, recognizer: local, permissions: { ...everything, servers: [] } };
  const unasked = (
    engines: MethodEngines,
    asked: PlannedFilm = film(),
    outputDepth: 'captions' | 'evidence' = 'captions',
  ) => unrecognizedBy(engines, { outputDepth }, asked);
  t.is(
    unrecognizedBy(
      { ...permitted, recognizesEveryStudy: true },
      { recognition: null, outputDepth: 'captions' },
      film(),
    ),
    'recognition_not_asked',
  );
  t.is(
    unrecognizedBy(
      permitted,
      { recognition: { recognizer: 'pocketsphinx', language: null }, outputDepth: 'evidence' },
      film(),
    ),
    null,
  );
  t.is(unasked(noEngines), 'no_recognizer');
  t.is(unasked(permitted), 'recognition_not_asked');
  t.is(unasked({ ...noEngines, recognizer: local, recognizesEveryStudy: true }, film(), 'evidence'), null);
  t.is(unasked({ ...permitted, captions: ofSpeech }), null);
  t.is(unasked({ ...permitted, captions: ofSpeech }, film(), 'evidence'), 'recognition_not_asked');
  t.is(unasked({ ...noEngines, recognizer: local, captions: ofSpeech }), 'recognition_not_asked');
  const tracksFirst = { ...permitted, captions: { ...ofSpeech, subtitlesFirst: true } };
  t.is(unasked(tracksFirst, film('ko', 'en')), 'recognition_not_asked');
  t.is(unasked(tracksFirst, film('ko')), null);
  t.is(unasked(tracksFirst, film(null, null)), null);
  const sending = { ...permitted, recognizer: server, captions: ofSpeech };
  t.is(unasked(sending), 'recognition_not_asked');
  t.is(unasked({ ...sending, permissions: { ...everything, servers: [server.provider.baseUrl] } }), null);
});

const studied = async (tracks: readonly StoredTrack[], engines: MethodEngines) => {
  const study = await captionedStudy(storedStudy({ version: 1, windows: 4, tracks }));
  return captionMethodRows.parse(resultOfSteps(studiedMethods(study, engines, longestCaptions)));
};

test('a study has the methods of its own lines', async (t) => {
  const both = await studied(twoTracks, able);
  t.is(both.chosen, 'grouped-subtitles');
  t.deepEqual(rowOf(both, 'subtitles-translated').sends, []);
  const one = await studied([koreanTrack], able);
  t.is(one.chosen, 'subtitles-translated');
  t.deepEqual(causesOf(one, 'grouped-subtitles'), ['method_does_not_translate']);
  t.is(rowOf(one, 'subtitles-translated').sends.length, 1);
  t.deepEqual(causesOf(await studied([twoTracks[1]], able), 'subtitles-translated'), ['no_text_track']);
  const apart: StoredTrack = { ...twoTracks[1], cues: [{ startMs: 3000, endMs: 3900, text: 'Later.' }] };
  t.deepEqual(causesOf(await studied([koreanTrack, apart], able), 'embedded-subtitles'), ['no_line_with_both_texts']);
});

test('a study without a transcript needs another one, whose speech has a length', async (t) => {
  const row = rowOf(await studied([], able), 'recognized-translated');
  t.like(row, { state: 'needs_study', recognition: { recognizer: 'whisper-cli', language: null } });
  t.true(row.recognizesMs > 0 && row.recognizesMs <= 4000);
  t.is(row.obstacles[0]?.code, 'not_recognised');
  t.like(rowOf(await studied([], noEngines), 'recognized-translated'), { state: 'needs_engine', recognition: null });
});

test('bug: recognized words in the spoken language alone were offered for captions in another one', async (t) => {
  const rows = await studied([], able);
  t.is(rowOf(rows, 'recognized').state, 'impossible');
  t.deepEqual(causesOf(rows, 'recognized'), ['method_does_not_translate']);
  t.is(rowOf(rows, 'recognized').recognition, null);
  t.is(rowOf(rows, 'recognized-translated').state, 'needs_study');
});
