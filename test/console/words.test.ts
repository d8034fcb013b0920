import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { addressOf, type ConsoleRoute, routeOf } from '../../console/host/route.ts';
import { movedEdge } from '../../console/new-study/range-strip.tsx';
import { parsedExposition } from '../../console/operations/exposition.ts';
import { fileLabel } from '../../console/parts/drop-file.tsx';
import { isTyped } from '../../console/parts/field.tsx';
import { citingClaims, isCitedAs } from '../../console/study/inspector.tsx';
import { isInPart } from '../../console/study/stepper.tsx';
import { type Fact, factWords, toneOfFact } from '../../console/timeline/lanes.ts';
import { causeWords, whatWords } from '../../console/words/cause-words.ts';
import { failureStory } from '../../console/words/failures.ts';
import { languageName } from '../../console/words/language-name.ts';
import { clockTime, counted, duration, parsedTimeCode, reachWords, timeOfDay } from '../../console/words/numbers.ts';
import { linesByReason } from '../../console/words/sentence.ts';
import type { Cause } from '../../contract/causes/causes.ts';
import { ownedIngestFields } from '../../contract/ingest.ts';
import { kindsForPeople } from '../../kinds/kinds.ts';

/** A fact in the words of the host. */
const wordsOfFact = (fact: Fact): string =>
  factWords(fact, kindsForPeople.kinds.flatMap(({ facts }) => facts).find(({ kind }) => kind === fact.kind) ?? null);

test('a time code is read as it is written', (t) => {
  for (const ms of [0, 1, 999, 61_250, 3_599_999, 3_600_000, 36_000_000]) t.is(parsedTimeCode(clockTime(ms)), ms);
  t.is(parsedTimeCode('3'), 3000);
  t.is(parsedTimeCode('1:02,5'), 62_500);
  for (const text of ['', 'x', '1:60', '1:2:3:4', '-1', '1.2345']) t.is(parsedTimeCode(text), null, text);
  t.deepEqual([duration(450), duration(83_000), duration(83_450)], ['0.450 s', '1:23', '1:23.450']);
});

test('captions of which lines were left out do not look like a whole success', (t) => {
  t.true(isInPart({ reasonCodes: ['current_run_candidate_accepted_in_part'] }));
  t.false(isInPart({ reasonCodes: ['current_run_candidate_structurally_complete'] }));
  t.false(isInPart({ reasonCodes: [] }));
});

test('every view has an address that leads back to it', (t) => {
  const routes: readonly ConsoleRoute[] = [
    { view: 'sources' },
    { view: 'operations' },
    { view: 'new-study', sourceSessionId: 'source-session:1' },
    { view: 'studies', source: null, lifecycle: null },
    { view: 'studies', source: 'source-session:1', lifecycle: 'failed' },
    { view: 'study', runtimeId: 'runtime:1', pane: 'evidence' },
    { view: 'study', runtimeId: 'runtime:1', pane: 'captions' },
  ];
  for (const route of routes) t.deepEqual(routeOf(addressOf(route)), route);
  t.deepEqual(routeOf('#/nowhere/1?a=b'), { view: 'further', path: 'nowhere', address: '#/nowhere/1?a=b' });
  t.is(addressOf(routeOf('#/nowhere/1?a=b')), '#/nowhere/1?a=b');
  t.deepEqual(routeOf('#/studies/%zz'), { view: 'studies', source: null, lifecycle: null });
});

test('the text format of figures is read with its labels, and a histogram stays one family', (t) => {
  const families = parsedExposition(
    [
      '# HELP a_total what is counted',
      '# TYPE a_total counter',
      'a_total{path="/x\\"y",status="200"} 3',
      '# HELP b_seconds how long',
      '# TYPE b_seconds histogram',
      'b_seconds_bucket{le="+Inf"} 2',
      'b_seconds_sum 0.5',
      'b_seconds_count 2',
      '',
    ].join('\n'),
  );
  t.deepEqual(
    families.map(({ name, type, samples }) => [name, type, samples.length]),
    [
      ['a_total', 'counter', 1],
      ['b_seconds', 'histogram', 3],
    ],
  );
  t.deepEqual(families[0]?.samples, [{ labels: { path: '/x"y', status: '200' }, value: 3 }]);
  t.deepEqual(families[1]?.samples[2], { labels: { part: 'count' }, value: 2 });
});

test('a recognized line that a gate withholds is never shown as spoken words', (t) => {
  const line = { kind: 'transcript_line', startMs: 0, endMs: 900, text: 'Thank you for watching' };
  t.is(wordsOfFact({ ...line, outcome: 'passed', reasonCodes: [] }), line.text);
  const withheld = { ...line, outcome: 'withheld', reasonCodes: ['no_speech_evidence', 'repetition'] };
  t.is(
    wordsOfFact(withheld),
    'a line that is withheld: too little speech is detected at its time, or it has no words, it says the same again and again',
  );
  t.is(toneOfFact(withheld, null), 'fault');
});

test('a number has the right form of its noun', (t) => {
  t.deepEqual([counted(1, 'fact'), counted(2, 'fact'), counted(0, 'fact')], ['1 fact', '2 facts', '0 facts']);
  t.is(counted(2, 'more study', 'more studies'), '2 more studies');
});

test('the label of a file with a long name is one that the host takes', (t) => {
  const label = fileLabel(`a${'🎬'.repeat(100)}`);
  t.is(label.length, 159);
  t.notThrows(() => ownedIngestFields.label.parse(label));
  t.is(fileLabel(`${'a'.repeat(159)} b`), 'a'.repeat(159));
});

test('a name is typed as it is drawn, with any run of white space as one space', (t) => {
  t.true(isTyped('two spaces ', 'two  spaces'));
  t.true(isTyped('two spaces', 'two\u00a0spaces'));
  t.false(isTyped('twospaces', 'two  spaces'));
  t.false(isTyped('', 'film'));
});

test('bug: a label in the form of macOS could not be typed to delete its source', (t) => {
  const [typed, label] = ['Öl 열람실'.normalize('NFC'), 'Öl 열람실'.normalize('NFD')];
  t.true(isTyped(typed, label));
  t.true(isTyped(label, typed));
  t.false(isTyped('Ol 열람실', label));
});

test('a language appears by its name, and a code without a name appears alone', (t) => {
  t.deepEqual(['en', 'ko', 'zh-Hant', 'qzz', 'x_'].map(languageName), [
    'English',
    'Korean',
    'Traditional Chinese',
    'qzz',
    'x_',
  ]);
  const fact = { kind: 'language_range', startMs: 0, endMs: 9, decision: { code: 'ko', status: 'classified' } };
  t.is(wordsOfFact(fact), 'Korean');
});

/** Sentences of this page about every cause that has params, with params of each kind. */
const worded: readonly Cause[] = [
  { code: 'no_caption_executor', params: {} },
  { code: 'source_language_not_declared', params: { of: 'study' } },
  { code: 'range_too_long', params: { lengthMs: 196_000, limitMs: 120_000, mostMs: 14_400_000 } },
  { code: 'no_translator', params: { of: 'transcript', from: 'ko', to: 'en', found: [] } },
  { code: 'no_text_track', params: { languages: ['ko', 'en'] } },
  { code: 'no_text_track_in_language', params: { wanted: ['ko', 'en'], found: ['deu'] } },
  { code: 'no_cue_in_range', params: { languages: ['ko'] } },
  { code: 'no_recognizer', params: {} },
  { code: 'nothing_recognised', params: { reason: 'recognition_failed' } },
  { code: 'no_line_passed', params: { lines: 3 } },
  { code: 'no_explainer', params: {} },
  { code: 'subtitles_give_captions', params: {} },
  { code: 'language_not_declared', params: {} },
];

test('bug: a page named flags and codes of languages to a person without a command line', (t) => {
  for (const cause of worded) t.notRegex(causeWords([cause]), /--|\bko\b|\ben\b|\bdeu\b|\d ms\b|_/, cause.code);
  t.is(whatWords([worded[4] as Cause]), 'this film has no subtitles in Korean or English');
  t.is(whatWords([worded[2] as Cause]), 'captions cover at most 2:00 on this host, and the study has 3:16');
  t.is(whatWords([worded[5] as Cause]), 'captions need subtitles in Korean and English, and this film has German');
});

test('missing parts are one line for each reason', (t) => {
  const parts = [
    { what: 'Shot changes', why: 'the film has no pictures' },
    { what: 'Keyframes', why: 'the film has no pictures' },
    { what: 'Subtitles', why: 'withheld' },
  ];
  t.deepEqual(linesByReason(parts), ['Shot changes, keyframes: the film has no pictures', 'Subtitles: withheld']);
});

const damaged = 'container_damaged: the file is incomplete: its index (moov) is missing; copy or download it again';

test('a failure has a title, its meaning and a remedy', (t) => {
  t.deepEqual(failureStory({ code: 'probe_failed', message: damaged }, 'file'), {
    title: 'The file is damaged or incomplete',
    detail: 'The file is incomplete: its index (moov) is missing; copy or download it again.',
    meaning: 'Nothing was added, and your file is unchanged.',
    remedy: 'Copy or download it again, and add that.',
    code: 'probe_failed, container_damaged',
    isCanceled: false,
  });
  const story = failureStory({ code: 'executor_failed', message: 'tool_exit: ffmpeg exited with code 1' }, 'study');
  t.is(story.title, 'A tool of the host stopped with an error');
  t.is(story.detail, 'Ffmpeg exited with code 1.');
  t.regex(story.remedy, /^Study it again/);
});

test('a failure without a known word takes the story of its code, or of its work', (t) => {
  t.is(
    failureStory({ code: 'upload_failed', message: 'no bytes within 24 hours' }, 'file').remedy,
    'Add the file again.',
  );
  t.is(failureStory({ code: 'canceled', message: 'a client canceled the ingest' }, 'video').detail, null);
  t.is(failureStory({ code: 'new_code', message: 'something new' }, 'video').title, 'The video could not be fetched');
});

test('lengths in a stored failure are as the page has them', (t) => {
  const message = 'container_damaged: the file holds 3733 ms of the stated 8267 ms';
  t.is(
    failureStory({ code: 'probe_failed', message }, 'file').detail,
    'The file holds 0:03.733 of the stated 0:08.267.',
  );
});

test('the time of a record is on the clock of this machine, as the moments beside it', (t) => {
  const local = new Date(2026, 0, 2, 3, 4, 5, 6);
  t.is(timeOfDay(local.toISOString()), '03:04:05.006');
});

test('a text that is read is cited under the name that a read gives it', (t) => {
  const fact = { kind: 'screen_text', startMs: 1000, endMs: 7001, text: 'Reading room' };
  const cited = {
    kind: 'recognised_text',
    index: 0,
    startSample: 32_000,
    endSample: 112_016,
    startMs: 2000,
    endMs: 7001,
  };
  t.true(isCitedAs(fact, { ...cited, kind: 'recognised_text', text: 'Reading room' }));
  t.false(isCitedAs(fact, { ...cited, kind: 'recognised_text', text: 'Another text' }));
  t.false(isCitedAs(fact, { ...cited, kind: 'recognised_line', text: 'Reading room' }));
});

test('bug: no claim was said to cite a fact, although the page lacked the read that a claim cites', (t) => {
  const fact = { kind: 'silence', startMs: 0, endMs: 9 } as const;
  const citation = { evidenceArtifactId: 'artifact:1', receiptId: 'receipt:1', factIndexes: [0] };
  type Audits = Parameters<typeof citingClaims>[2];
  const audits = [{ operationId: 'operation:1', claims: [{ citations: [citation] }] }] as unknown as Audits;
  const citing = (artifactId: string, facts: readonly object[] | null) => {
    const reads = new Map(facts === null ? [] : [['receipt:1', { facts }]]);
    return citingClaims({ artifactId }, fact, audits, reads as unknown as Parameters<typeof citingClaims>[3]);
  };
  t.is(citing('artifact:1', null), null);
  t.is(citing('artifact:1', [fact])?.length, 1);
  t.is(citing('artifact:1', [{ ...fact, kind: 'speech' }])?.length, 0);
  t.is(citing('artifact:2', null)?.length, 0);
});

test('an unknown order of fields is shown as unknown', (t) => {
  const fields = { kind: 'field_order', startMs: 0, endMs: 9, repeatedMilli: 0 };
  t.is(wordsOfFact({ ...fields, order: 'unknown' }), 'the order of fields is not known');
  t.is(wordsOfFact({ ...fields, order: 'progressive' }), 'progressive fields');
});

test('a range is moved by one of its edges, and stays in the source', (t) => {
  const range = { startMs: 0, endMs: 120_000 };
  const hour = 3_600_000;
  t.deepEqual(movedEdge(range, 'start', 600_000, hour), { startMs: 600_000, endMs: 720_000 });
  t.deepEqual(movedEdge(range, 'start', 60_000, hour), { startMs: 60_000, endMs: 120_000 });
  t.deepEqual(movedEdge(range, 'start', 2 * hour, hour), { startMs: hour - 1, endMs: hour });
  t.deepEqual(movedEdge(range, 'end', 2 * hour, hour), { startMs: 0, endMs: hour });
  t.deepEqual(movedEdge({ startMs: 600_000, endMs: 720_000 }, 'end', 300_000, hour), {
    startMs: 180_000,
    endMs: 300_000,
  });
  t.deepEqual(movedEdge(range, 'end', 0, hour), { startMs: 0, endMs: 1 });
});

test('a plan names the data that leaves the machine as the engines of a study do', (t) => {
  const engine = { isOn: true, name: null, mayCost: true, change: null, cause: null } as const;
  const explainer = { ...engine, engine: 'explanations', reach: 'outside', text: 'caption text leaves' } as const;
  const nothing = 'nothing leaves this computer, and it costs nothing';
  t.is(reachWords([explainer, { ...engine, engine: 'detectors', reach: 'this_host', text: 'stays' }]), nothing);
  const recognizer = { ...engine, engine: 'recognizer', reach: 'outside', text: 'the sound of speech leaves' } as const;
  t.is(reachWords([explainer, recognizer]), 'the sound of speech leaves');
  t.is(reachWords([{ ...recognizer, isOn: false }]), nothing);
});

/** The files of the page, those of features included, from the root. */
async function filesOfPage(): Promise<readonly string[]> {
  const root = new URL('../../', import.meta.url);
  const below = async (folder: string) =>
    (await readdir(new URL(`${folder}/`, root), { recursive: true })).map((name) => `${folder}/${name}`);
  const ofFeatures = (await below('features')).filter((name) => /^features\/[^/]+\/console\//.test(name));
  return [...(await below('console')), ...ofFeatures];
}

test('every size of type in the styles is one of the scale', async (t) => {
  const root = new URL('../../', import.meta.url);
  const names = (await filesOfPage()).filter((name) => name.endsWith('.css'));
  t.true(names.length > 10);
  for (const name of names) {
    // A chart is measured before it is drawn, so its sizes are those of its layout.
    if (/\/(?:chart|tokens)\.css$/.test(name)) continue;
    const sizes = [...(await readFile(new URL(name, root), 'utf8')).matchAll(/\bfont(?:-size)?: ([^;]+);/g)];
    for (const [, value = ''] of sizes) t.regex(value, /var\(--type-|^inherit$|em$|^106\.25%$|^var\(--font\)$/, name);
  }
});

test('bug: the page carried the schemas of the wire, which took half of its script and broke its policy', async (t) => {
  const root = new URL('../../', import.meta.url);
  const valueImport = /^import (?!type )(?:\{[^}]*\}|\w+) from '((?:\.\.\/)+contract\/[^']+)'/gm;
  const others = ['client', 'visualizer'].map(async (folder) =>
    (await readdir(new URL(`${folder}/`, root), { recursive: true })).map((name) => `${folder}/${name}`),
  );
  for (const name of [...(await filesOfPage()), ...(await Promise.all(others)).flat()]) {
    if (!/\.tsx?$/.test(name)) continue;
    const file = new URL(name, root);
    for (const [, path = ''] of (await readFile(file, 'utf8')).matchAll(valueImport)) {
      t.notRegex(await readFile(new URL(path, file), 'utf8'), /from 'zod'/, `${name} imports ${path}`);
    }
  }
});

test('bug: the console of an installed program named commands of a checkout alone', async (t) => {
  const root = new URL('../../', import.meta.url);
  for (const name of await filesOfPage()) {
    // Its `TypedCommand` names both.
    if (!name.endsWith('.tsx') || name === 'console/parts/notice.tsx') continue;
    t.notRegex(await readFile(new URL(name, root), 'utf8'), /npm run media-study/, name);
  }
});
