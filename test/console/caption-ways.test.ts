import test from 'ava';
import { remediesOf } from '../../console/parts/notice.tsx';
import { studyState } from '../../console/sources/library-model.ts';
import { needsStudy, requestAgain, withMethods } from '../../console/study/study-model.ts';
import { failedParts } from '../../console/study/unrecognized.tsx';
import { causesToMend, openWay, waysOf, wayText, withModel } from '../../console/words/caption-ways.ts';
import type { CaptionMethodRow, RecognitionWish } from '../../contract/captions/caption-method.ts';
import type { Cause } from '../../contract/causes/causes.ts';
import type { LibraryStudy } from '../../contract/library.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import type { FoundEngine } from '../../contract/settings.ts';

const row = (
  method: CaptionMethodRow['method'],
  state: CaptionMethodRow['state'],
  own: Partial<CaptionMethodRow> = {},
) => ({
  method,
  state,
  permissions: [],
  use: {},
  confirmation: null,
  recognition: null,
  sends: [],
  recognizesMs: 0,
  obstacles: [],
  ...own,
});

const server = 'http://127.0.0.1:11434/v1';

const translator: FoundEngine = {
  engine: 'caption_translation',
  name: `model server at ${server}`,
  state: 'found',
  text: 'x',
  remedy: null,
  cause: null,
  reach: 'this_machine',
  mayCost: false,
  models: ['small', 'large'],
  use: {
    'model-server': server,
    'caption-translation-model': 'small',
    'permit-server': ['http://127.0.0.1:1/v1', server],
  },
  confirmation: 'sent_to_a_server_on_this_machine',
};

const recognizer: FoundEngine = {
  ...translator,
  engine: 'recognizer',
  name: 'pocketsphinx',
  reach: 'this_host',
  models: [],
  use: { 'semantic-recognizer': 'pocketsphinx', 'permit-recognition': true },
  confirmation: null,
};

const noRecognizer: Cause = { code: 'no_recognizer', params: {} };
const noTranslator: Cause = { code: 'no_translator', params: { of: 'speech', from: 'en', to: 'de', found: [] } };

const filmOf = (methods: CaptionMethodRow[], found: FoundEngine[] = [], usual: string | null = null) => ({
  rows: { chosen: methods.find(({ state }) => state === 'ready')?.method ?? null, methods },
  found,
  usual,
});

const planned = { spoken: 'en', isStudied: false };
const studied = { spoken: 'en', isStudied: true };

test('engines of this machine are permitted together with what a way lacks, in one change', (t) => {
  const lacking = row('recognized-translated', 'needs_engine', {
    recognizesMs: 14_000,
    obstacles: [noRecognizer, noTranslator],
    use: { 'permit-server': ['https://speech.example/v1'] },
    confirmation: 'leaves_this_machine_and_may_cost',
  });
  const [way] = waysOf(filmOf([lacking], [recognizer, translator]), planned);
  t.is(way?.state, 'permit');
  t.deepEqual(way?.permission, {
    set: {
      'permit-server': ['https://speech.example/v1', 'http://127.0.0.1:1/v1', server],
      'semantic-recognizer': 'pocketsphinx',
      'permit-recognition': true,
      'model-server': server,
      'caption-translation-model': 'small',
    },
    confirmation: 'leaves_this_machine_and_may_cost',
  });
  t.deepEqual(way?.causes, []);
});

test('a way names who works on it, and where its sound and text go', (t) => {
  const text = (own: Partial<CaptionMethodRow>, found: FoundEngine[] = [], film = planned) =>
    waysOf(filmOf([row('recognized-translated', 'needs_engine', own)], found), film).map(wayText)[0];
  const sound = { what: 'sound', server: 'https://a.example/v1', isOnThisMachine: false, mayCost: true } as const;
  t.is(
    text(
      {
        recognizesMs: 14_000,
        obstacles: [noTranslator],
        recognition: { recognizer: 'openai', language: null },
        sends: [sound],
      },
      [translator],
      studied,
    ),
    `Recognized by openai: at most 0:14 of sound. Translated by small. It takes another study of this range. The sound leaves this machine for https://a.example/v1, and that may cost money. The text is sent to ${server} on this machine.`,
  );
  t.is(
    waysOf(filmOf([row('grouped-subtitles', 'ready')]), planned).map(wayText)[0],
    'Nothing leaves this machine, and it costs nothing.',
  );
});

test('an engine that does not serve the language of a film is not offered for it', (t) => {
  const lacking = row('recognized', 'needs_engine', { recognizesMs: 1, obstacles: [noRecognizer] });
  const stateOf = (spoken: string) => waysOf(filmOf([lacking], [recognizer]), { ...planned, spoken })[0]?.state;
  t.is(stateOf('en-GB'), 'permit');
  t.is(stateOf('ko'), 'closed');
});

test('the way of the settings comes first if it works, and what works comes before what is missing', (t) => {
  const rows = [
    row('grouped-subtitles', 'impossible', { obstacles: [{ code: 'no_text_tracks', params: {} }] }),
    row('recognized', 'needs_permission', { use: { 'permit-recognition': true } }),
    row('recognized-translated', 'ready'),
    row('deterministic-test', 'needs_permission', { use: { 'permit-test-seam': true } }),
  ];
  const named = (usual: string | null) => waysOf(filmOf(rows, [], usual), planned).map(({ method }) => method);
  t.deepEqual(named(null), ['recognized', 'grouped-subtitles']);
  t.deepEqual(named('recognized-translated'), ['recognized-translated', 'recognized', 'grouped-subtitles']);
  t.is(openWay(waysOf(filmOf([rows[0] as CaptionMethodRow]), planned)), null);
});

test('another model of a server is set in the place of the first', (t) => {
  t.is(withModel(translator, 'large').use['caption-translation-model'], 'large');
  t.is(withModel(translator, 'large').use['model-server'], server);
});

const overviewOf = (actions: readonly string[]): RuntimeOverview =>
  ({
    study: { sourceLanguage: { languages: ['en'] } },
    actions: actions.map((action) => ({ action })),
    captions: { state: 'never', text: 'off', causes: [{ code: 'no_caption_executor', params: {} }] },
    check: { state: 'never', causes: [] },
  }) as unknown as RuntimeOverview;

test('captions that a request can have are to come, although the settings make none', (t) => {
  const film = filmOf([row('grouped-subtitles', 'ready')]);
  const stateOf = (...actions: string[]) => withMethods(overviewOf(actions), film).overview.captions.state;
  t.is(stateOf('approve'), 'not_yet');
  t.is(stateOf('revoke'), 'waiting');
  t.is(withMethods(overviewOf(['revoke']), film).ready, 'grouped-subtitles');
});

test('a study without a way to captions has the obstacle of the nearest one, and not that captions are off', (t) => {
  const film = filmOf([row('recognized', 'needs_engine', { recognizesMs: 1, obstacles: [noRecognizer] })]);
  const { overview, ready } = withMethods(overviewOf(['revoke']), film);
  t.is(ready, null);
  t.deepEqual(overview.captions.causes, [noRecognizer]);
});

test('a study has its failed passages apart, each with the cause of its engine', (t) => {
  const cause = { code: 'engine_error', params: { engine: 'openai', status: 500 } } as const;
  const withheld = [
    { what: 'speech from 0:01 to 0:02', reasonCode: 'recognition_failed', text: 'x', cause },
    {
      what: 'keyframes',
      reasonCode: 'no_video_track',
      text: 'x',
      cause: { code: 'no_video_track', params: {} } as const,
    },
  ];
  t.deepEqual(failedParts({ withheld }), [{ what: 'speech from 0:01 to 0:02', cause }]);
});

test('bug: a study that was started with a wish was studied again without it', (t) => {
  const recognition = { recognizer: 'pocketsphinx', language: null };
  const study = { range: { startMs: 0, endMs: 1 }, sourceLanguage: {}, targetLanguage: 'en' };
  const overview = { study, actions: [{ action: 'study_again', body: { recognition } }] } as unknown as RuntimeOverview;
  t.deepEqual(requestAgain(overview).recognition, recognition as RecognitionWish);
  t.false('recognition' in requestAgain({ ...overview, actions: [] }));
});

test('of ways that are closed, those that the film lacks come after those that a person can mend', (t) => {
  const film = filmOf([
    row('grouped-subtitles', 'impossible', { obstacles: [{ code: 'no_text_tracks', params: {} }] }),
    row('recognized', 'needs_engine', { recognizesMs: 1, obstacles: [noRecognizer] }),
  ]);
  t.deepEqual(
    waysOf(film, planned).map(({ method }) => method),
    ['recognized', 'grouped-subtitles'],
  );
});

test('bug: the page asked for a subtitle file in the language of the file that a film has', (t) => {
  const film = filmOf([
    row('grouped-subtitles', 'impossible', { obstacles: [{ code: 'no_text_track', params: { languages: ['en'] } }] }),
    row('recognized', 'impossible', {
      obstacles: [{ code: 'method_does_not_translate', params: { from: 'en', to: 'pt-BR' } }],
    }),
    row('recognized-translated', 'needs_engine', { obstacles: [noTranslator] }),
  ]);
  t.deepEqual(
    waysOf(film, studied).map(({ method }) => method),
    ['grouped-subtitles', 'recognized-translated', 'recognized'],
  );
});

test('bug: a study of ten minutes was said to be too long for captions, and its true obstacle was not there', (t) => {
  const disagree: Cause = { code: 'sides_disagree', params: { agreeMilli: 200, leastMilli: 900 } };
  const film = filmOf([row('grouped-subtitles', 'impossible', { obstacles: [disagree] })]);
  const tooLong: Cause = {
    code: 'range_too_long',
    params: { lengthMs: 600_000, limitMs: 120_000, mostMs: 14_400_000 },
  };
  const overview = overviewOf(['approve']);
  const long = { ...overview, captions: { ...overview.captions, causes: [tooLong] } } as RuntimeOverview;
  t.deepEqual(withMethods(long, film).overview.captions.causes, [disagree]);
  t.deepEqual(withMethods(long, { ...film, usual: 'grouped-subtitles' }).overview.captions.causes, [tooLong]);
  const standing = { situation: { code: 'waiting_for_review', text: 'x' }, captions: long.captions };
  const newest = { lifecycle: 'terminal', reason: null, fault: null, standing } as unknown as LibraryStudy;
  t.is(studyState(newest).why, null, 'the library does not know the methods, and says nothing');
});

test('bug: the remedy of speech that was not recognized was to set up the recognizer that is set up', (t) => {
  const film = filmOf([
    row('recognized', 'needs_study', { recognizesMs: 1, obstacles: [{ code: 'not_recognised', params: {} }] }),
  ]);
  t.true(needsStudy({ overview: overviewOf(['approve']), methods: film }));
  const [way] = waysOf(film, studied);
  t.is(way?.state, 'study');
  t.deepEqual(way && causesToMend(way), [], 'the button for another study is beside it');
  t.deepEqual(causesToMend({ state: 'closed', causes: [noRecognizer] }), [noRecognizer]);
});

test('bug: remedies that lead to one place had a link to it each', (t) => {
  const remedies = remediesOf([{ code: 'not_recognised', params: {} }, noTranslator, noTranslator]);
  t.deepEqual(
    remedies.map(({ at }) => at),
    [null, 'operations'],
  );
});

test('bug: two ways with one obstacle were two entries if the settings name one of them', (t) => {
  const obstacles: Cause[] = [{ code: 'source_language_not_declared', params: { of: 'request' } }];
  const film = filmOf(
    [row('grouped-subtitles', 'impossible', { obstacles }), row('embedded-subtitles', 'impossible', { obstacles })],
    [],
    'embedded-subtitles',
  );
  t.is(waysOf(film, planned).length, 1);
});
