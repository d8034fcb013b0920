import test from 'ava';
import fc from 'fast-check';
import type { Range } from '../../../contract/base/grammar.ts';
import type { TranslationAsk } from '../../../contract/captions/caption-translation.ts';
import { wireText } from '../../../contract/causes/wording.ts';
import { type Coverage, coverageReasons } from '../../../contract/study/study-record.ts';
import { dialogues } from '../../../fixtures/translations/dialogues.ts';
import { rewordings } from '../../../fixtures/translations/rewordings.ts';
import { canonicalJson } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import {
  type CaptionedStudy,
  captionLengthObstacleOf,
  coveredLine,
} from '../../../receipts/captions/captioned-study.ts';
import { captionExecutors } from '../../../receipts/captions/executors.ts';
import { brokenLines } from '../../../rules/line-breaks.ts';
import { ANCHOR_RULE, agreementBeside, misplacedLines } from '../../../rules/translation/gates.ts';
import { plannedAsks, type TranslationWork, verdictsOf } from '../../../rules/translation/plan.ts';
import { fieldOf } from '../../fields.ts';
import { clipRange } from '../evidence/stored-detections.ts';
import { type StudyShape, storedStudy } from '../evidence/stored-study.ts';
import { captionedStudy } from './captioned-studies.ts';

const jobId = `caption-production:${'1'.repeat(64)}`;

const studyOf = (shape: StudyShape) => captionedStudy(storedStudy(shape));
const lineOver = (study: CaptionedStudy, startMs: number, endMs: number) =>
  coveredLine(study, jobId, captionExecutors.embedded_subtitle_tracks.identify(study), { startMs, endMs });

const spoken = await studyOf({ version: 1, windows: 4 });

test('a supported line cites the read of its time, the claims over it and their assessment', (t) => {
  const { lineage, gap } = lineOver(spoken, 1200, 1800);
  const { findings, conclusion, run, approval } = spoken;
  const [read] = findings.reads;
  const [assessment] = findings.assessments;
  const { decision } = findings;
  if (read === undefined || assessment === undefined || decision === null) throw new Error('nothing was found');
  t.is(gap, null);
  t.is(lineage.derivation, 'current_run_source_execution');
  t.deepEqual(lineage.source, {
    artifactId: run.record.sourceArtifactId,
    contentId: run.record.sourceSession.source.contentId,
    window: { startMs: 1200, endMs: 1800 },
  });
  const { semanticCitations, childReports, claimIds, coverage, ...study } = lineage.study;
  t.deepEqual(study, conclusion.study);
  t.like(coverage, { state: 'supported', reasonCode: null });
  t.deepEqual(lineage.readiness, conclusion.admission.readiness);
  t.deepEqual(lineage.approval, approval);
  t.like(lineage.captionExecutor, { jobId, executionScope: 'current_run', cognitionClaim: 'none' });
  t.is(semanticCitations.length, 1);
  t.like(semanticCitations[0], {
    operationId: read.body.operationId,
    artifactId: read.body.input.artifactId,
    contentId: read.body.input.contentId,
    receiptId: read.body.receiptId,
    receiptContentId: read.contentId,
  });
  t.is(childReports.length, 1);
  t.like(childReports[0], {
    reportId: assessment.body.operationId,
    contentId: assessment.contentId,
    childTaskId: run.ids.taskId,
    childAgentId: run.ids.agentId,
    dispositionId: decision.body.operationId,
    dispositionReceiptContentId: decision.contentId,
    admissionId: conclusion.admission.readiness.readinessId,
    admissionReceiptContentId: conclusion.readiness.contentId,
    readOperationId: read.body.operationId,
    readReceiptId: read.body.receiptId,
  });
  const [silence] = assessment.body.claims.filter(({ value }) => value === 'non_speech');
  t.deepEqual(claimIds, [`${assessment.body.operationId}:claim:${silence?.claimIndex}`]);
});

const observed = (study: CaptionedStudy, startMs: number, endMs: number): Range[] =>
  lineOver(study, startMs, endMs).lineage.study.semanticCitations.flatMap(({ observations }) =>
    observations.map((each) => ({ startMs: each.startMs, endMs: each.endMs })),
  );

test('a line that spans several windows of one read is covered by them together', (t) => {
  for (const [startMs, endMs] of [
    [0, 4000],
    [999, 1001],
    [500, 3500],
    [0, 1],
  ] as const) {
    t.deepEqual(observed(spoken, startMs, endMs), [clipRange], `${startMs}-${endMs}`);
  }
  t.is(lineOver(spoken, 500, 1500).lineage.study.claimIds.length, 2);
  t.is(lineOver(spoken, 0, 1000).lineage.study.claimIds.length, 1);
});

test('every read that returned all of the line is cited, one after the other', async (t) => {
  const both = await studyOf({ version: 3, windows: 4 });
  const { lineage } = lineOver(both, 1100, 1900);
  const { semanticCitations, childReports } = lineage.study;
  t.is(semanticCitations.length, 2);
  t.deepEqual(fieldOf(semanticCitations, 'receiptId'), fieldOf(childReports, 'readReceiptId'));
  t.is(new Set(semanticCitations.map(({ artifactId }) => artifactId)).size, 2);
  t.is(lineOver(both, 500, 900).lineage.study.semanticCitations.length, 1);
});

test('a line across the seam of two reads is cited by both together', async (t) => {
  const many = await studyOf({ version: 1, windows: 128 });
  t.is(many.findings.reads.length, 2);
  const boundary = many.findings.reads[0]?.body.authorization.endMs ?? 0;
  for (const [startMs, endMs, reads] of [
    [boundary - 10, boundary, [0]],
    [boundary, boundary + 10, [1]],
    [boundary - 10, boundary + 10, [0, 1]],
    [0, 4000, [0, 1]],
  ] as const) {
    const { lineage, gap } = lineOver(many, startMs, endMs);
    const { claimIds, semanticCitations, childReports } = lineage.study;
    const cited = reads.map((at) => many.findings.reads[at]);
    t.is(gap, null);
    t.deepEqual(
      semanticCitations.map(({ receiptContentId }) => receiptContentId),
      cited.map((read) => read?.contentId),
    );
    t.deepEqual(
      childReports.map(({ readReceiptId }) => readReceiptId),
      cited.map((read) => read?.body.receiptId),
    );
    t.true(claimIds.length > 0);
    t.is(new Set(claimIds).size, claimIds.length);
  }
});

const withCoverage = (study: CaptionedStudy, coverage: readonly Coverage[]): CaptionedStudy => {
  const { record } = study.conclusion;
  return {
    ...study,
    conclusion: { ...study.conclusion, record: { ...record, body: { ...record.body, coverage: [...coverage] } } },
  };
};

const part = (startMs: number, endMs: number, state: Coverage['state']): Coverage => ({
  coverageId: `coverage:${startMs.toString(16).padStart(64, '0')}`,
  startMs,
  endMs,
  state,
  reasonCode: coverageReasons[state],
});

test('a line is worth what the worst stretch of its time is worth', (t) => {
  const gravest = ['withheld', 'unknown', 'truncated', 'unavailable', 'uncovered', 'supported'] as const;
  for (const [index, grave] of gravest.entries()) {
    for (const other of gravest.slice(index)) {
      for (const [first, second] of [
        [grave, other],
        [other, grave],
      ] as const) {
        const study = withCoverage(spoken, [part(0, 2000, first), part(2000, 4000, second)]);
        const { gap, lineage } = lineOver(study, 1500, 2500);
        t.is(gap, coverageReasons[grave], `${first} ${second}`);
        t.is(lineage.study.coverage.state, grave);
        t.is(lineage.study.coverage.coverageId, part(first === grave ? 0 : 2000, 4000, grave).coverageId);
        t.is(lineage.study.semanticCitations.length > 0, grave === 'supported');
        t.is(lineage.study.childReports.length > 0, grave === 'supported');
        t.is(lineage.study.claimIds.length > 0, grave === 'supported');
      }
    }
  }
});

test('a stretch that a line only touches has no effect on it', (t) => {
  const coverage = [part(0, 1000, 'withheld'), part(1000, 2000, 'supported'), part(2000, 4000, 'unknown')];
  const study = withCoverage(spoken, coverage);
  t.is(lineOver(study, 1000, 2000).gap, null);
  t.is(lineOver(study, 999, 2000).gap, 'study_coverage_withheld');
  t.is(lineOver(study, 1000, 2001).gap, 'study_coverage_unknown');
});

test('gaps that a study really leaves are those of its lines', async (t) => {
  const abstained = await studyOf({ version: 3, windows: 4 });
  t.is(lineOver(abstained, 2100, 2900).gap, 'study_coverage_unknown');
  const cut = await studyOf({ version: 1, windows: 2000 });
  t.is(lineOver(cut, 3900, 3990).gap, 'study_coverage_truncated');
  const silent = await studyOf({ version: 1, windows: null });
  t.is(lineOver(silent, 0, 500).gap, 'study_coverage_unavailable');
});

test('equal lines rest on equal lineages, and observations are named after what they observe', (t) => {
  t.is(canonicalJson(lineOver(spoken, 100, 200)), canonicalJson(lineOver(spoken, 100, 200)));
  const ids = [lineOver(spoken, 100, 200), lineOver(spoken, 300, 400)].map(
    ({ lineage }) => lineage.study.semanticCitations[0]?.observations[0]?.observationId,
  );
  t.is(ids[0], ids[1]);
  t.throws(() => lineOver(spoken, 4000, 5000), { instanceOf: RangeError });
});

const toGerman = { source: 'en', target: 'de' };

const lines = [
  ['a', 'The music on the radio is very loud.', 'Die Musik im Radio ist sehr laut.'],
  ['b', 'My brother has the new telephone now.', 'Mein Bruder hat jetzt das neue Telefon.'],
  ['c', 'Is the hotel near the theatre?', 'Liegt das Hotel nahe am Theater?'],
  ['d', 'The garden behind it has two lamps.', 'Der Garten dahinter hat zwei Lampen.'],
].map(([id = '', source = '', translation = '']) => ({ id, source, translation }));

const said = (order: readonly number[]) =>
  lines.map((line, at) => ({ ...line, translation: lines[order[at] ?? at]?.translation ?? '' }));

const misplaced = (order: readonly number[], least: number) =>
  [...resultOfSteps(misplacedLines(said(order), toGerman, least))].sort();

test('translations that belong to their lines are not in doubt', (t) => {
  t.deepEqual(misplaced([0, 1, 2, 3], ANCHOR_RULE.doubtful), []);
});

test('exchanged translations are found by their overlap with the other line', (t) => {
  t.deepEqual(misplaced([1, 0, 2, 3], ANCHOR_RULE.withheld), ['a', 'b']);
  t.deepEqual(misplaced([0, 1, 3, 2], ANCHOR_RULE.withheld), ['c', 'd']);
  t.deepEqual(misplaced([3, 1, 2, 0], ANCHOR_RULE.withheld), ['a', 'd']);
});

test('translations that moved by one line are all found', (t) => {
  t.deepEqual(misplaced([1, 2, 3, 0], ANCHOR_RULE.withheld), ['a', 'b', 'c', 'd']);
});

test('the signs of a question and of its answer are enough to distinguish them', (t) => {
  const exchanged = [
    { id: 'a', source: 'Are you coming?', translation: 'Ja, gleich.' },
    { id: 'b', source: 'Yes, soon.', translation: 'Kommst du?' },
  ];
  t.is(resultOfSteps(misplacedLines(exchanged, toGerman, ANCHOR_RULE.withheld)).size, 2);
});

test('in another script words are known by their consonants', (t) => {
  const exchanged = [
    { id: 'a', source: 'The president spoke in the hotel.', translation: 'Телефон стоит в театре.' },
    { id: 'b', source: 'The telephone is in the theatre.', translation: 'Президент выступил в отеле.' },
  ];
  t.is(resultOfSteps(misplacedLines(exchanged, { source: 'en', target: 'ru' }, ANCHOR_RULE.withheld)).size, 2);
});

test('lines that share nothing with any translation are never found misplaced', (t) => {
  const exchanged = [
    { id: 'a', source: 'We were too late.', translation: '비가 오고 있어요.' },
    { id: 'b', source: 'It is raining.', translation: '우리는 늦었어요.' },
  ];
  t.is(resultOfSteps(misplacedLines(exchanged, { source: 'en', target: 'ko' }, ANCHOR_RULE.doubtful)).size, 0);
});

const count = dialogues.flat().length;

/** The dialogues in two languages, with a second wording of each translation. Nothing was tuned on them. */
const pairs = {
  'English to German': { from: 0, to: 1, sourceLanguage: 'en', targetLanguage: 'de', other: rewordings.de },
  'German to English': { from: 1, to: 0, sourceLanguage: 'de', targetLanguage: 'en', other: rewordings.en },
  'Korean to English': { from: 5, to: 0, sourceLanguage: 'ko', targetLanguage: 'en', other: rewordings.en },
} as const;

type Pair = (typeof pairs)[keyof typeof pairs];

/** The answer of a model about the line at a place, given the lines that it sees; `word` is one wording or the other. */
type Model = (at: number, seen: (at: number) => boolean, word: (at: number) => string) => string;

const right: Model = (at, _seen, word) => word(at);

/** Neighbors in pairs; the wording changes from question to question. */
const partnerOf = (at: number): number => (at % 2 === 0 ? at + 1 : at - 1);

const faults: Readonly<Record<string, Model>> = {
  exchanges: (at, seen, word) => word(seen(partnerOf(at)) ? partnerOf(at) : at),
  merges: (at, seen, word) => (at % 2 === 0 && seen(partnerOf(at)) ? `${word(at)} ${word(partnerOf(at))}` : word(at)),
};

/**
 * Translates the dialogues as a production does. Returns the number of lines withheld, and of lines that pass with none
 * of their wordings.
 */
function asked({ from, to, other, ...languages }: Pair, model: Model, gates: 6 | 7) {
  const texts = dialogues.flat();
  const lines = texts.map((line, at) => ({ id: `line-${at}`, text: line[from] }));
  const wordings = texts.map((line, at) => [line[to], other[at] ?? ''] as const);
  const asks: TranslationAsk[] = [];
  const work: TranslationWork = { lines, asks, ...languages, identifiedAlone: languages.targetLanguage, gates };
  for (let planned = resultOfSteps(plannedAsks(work)); asks.length < planned.length; ) {
    const { members = [], isApart = false } = planned[asks.length] ?? {};
    const places = members.map(({ id }) => Number(id.slice(5)));
    const around = isApart ? 0 : 2;
    const seen = (at: number): boolean =>
      places.includes(at) || (at >= (places[0] ?? 0) - around && at <= (places.at(-1) ?? 0) + around && !isApart);
    const word = (at: number): string => wordings[at]?.[(asks.length + at) % 2] ?? '';
    const answers = places.map((at) => ({
      lineId: `line-${at}`,
      source: lines[at]?.text ?? '',
      identified: null,
      translation: model(at, seen, word),
    }));
    const unsaid = { model: null, inputTokens: null, outputTokens: null, promptContentId: '', schemaContentId: '' };
    asks.push({
      ...unsaid,
      lineIds: members.map(({ id }) => id),
      failure: null,
      answers,
      identified: languages.targetLanguage,
    });
    if (asks.length === planned.length) planned = resultOfSteps(plannedAsks(work));
  }
  const verdicts = [...resultOfSteps(verdictsOf(work)).values()];
  const passed = verdicts.map((verdict) => ('text' in verdict ? verdict.text : null));
  return {
    withheld: passed.filter((text) => text === null).length,
    wrong: passed.filter((text, at) => text !== null && !wordings[at]?.includes(text)).length,
  };
}

for (const [name, pair] of Object.entries(pairs)) {
  test(`other wordings of a model withhold at most two more lines, ${name}`, (t) => {
    const [once, twice] = [asked(pair, right, 6), asked(pair, right, 7)];
    t.deepEqual([once.wrong, twice.wrong], [0, 0]);
    t.true(twice.withheld - once.withheld <= 2, `${once.withheld}, ${twice.withheld} of ${count}`);
  });

  for (const [fault, model] of Object.entries(faults)) {
    test(`nothing of a model that ${fault} neighbours which it sees passes, ${name}`, (t) => {
      t.true(asked(pair, model, 6).wrong > 0, 'one answer for each line does not show it');
      t.is(asked(pair, model, 7).wrong, 0);
    });
  }
}

const two = [
  { id: 'one', text: 'Good evening.' },
  { id: 'other', text: 'The train leaves at six.' },
];

test('a line agrees with its own second answer in any wording, not with that of another line', (t) => {
  const second = new Map([
    ['one', 'Guten Abend.'],
    ['other', 'Der Zug fährt um sechs ab.'],
  ]);
  const agrees = resultOfSteps(agreementBeside(two, second));
  t.true(agrees('other', 'Um sechs geht der Zug.', 'Der Zug fährt um sechs ab.'));
  t.false(agrees('other', 'Schönen guten Abend.', 'Der Zug fährt um sechs ab.'));
  t.false(agrees('one', 'Guten Abend. Um sechs fährt der Zug ab.', 'Guten Abend.'));
  t.false(agrees('one', 'Guten Abend.', ''));
});

test('lines with one source may have one translation', (t) => {
  const alike = [
    { id: 'one', text: 'Really?' },
    { id: 'other', text: 'Really!' },
  ];
  const agrees = resultOfSteps(agreementBeside(alike, new Map(alike.map(({ id }) => [id, 'Wirklich?']))));
  t.true(agrees('one', 'Wirklich?', 'Wirklich?'));
});

const lengthOf = (line: string) => [...line].length;

for (const [what, language, text, expected] of [
  ['a short text stays one line', 'en', 'Good morning.', ['Good morning.']],
  [
    'lines that fit stay as their author broke them',
    'en',
    'Good\nmorning, everybody here.',
    ['Good', 'morning, everybody here.'],
  ],
  [
    'a long line is broken behind a clause',
    'en',
    'When the rain had stopped, we went out to look for the dog.',
    ['When the rain had stopped,', 'we went out to look for the dog.'],
  ],
  [
    'a long line is broken behind a sentence before a clause',
    'en',
    'I know what you did last summer. Tell me, please, why you did it.',
    ['I know what you did last summer.', 'Tell me, please, why you did it.'],
  ],
  [
    'three lines become two that fit',
    'de',
    'Er kam\nan einem Abend im Herbst\nganz allein zurück.',
    ['Er kam an einem Abend im', 'Herbst ganz allein zurück.'],
  ],
  [
    'Korean lines hold 16 wide characters',
    'ko',
    '오늘은 날씨가 아주 좋아서 우리는 공원에 갔습니다',
    ['오늘은 날씨가 아주 좋아서', '우리는 공원에 갔습니다'],
  ],
  [
    'Japanese is broken between characters, never before a full stop',
    'ja',
    '今日は天気がとても良いので公園へ行きました。',
    ['今日は天気がとても良い', 'ので公園へ行きました。'],
  ],
  [
    'lines of two speakers keep their places',
    'en',
    '- Where have you been all night long, tell me?\n- Out.',
    ['- Where have you been all night long, tell me?', '- Out.'],
  ],
  ['a word that is longer than a line is not cut', 'en', 'x'.repeat(50), ['x'.repeat(50)]],
] as const) {
  test(`line breaks: ${what}`, (t) => {
    t.deepEqual(brokenLines(text, language), [...expected]);
  });
}

test('bug: words of another script were joined where a Japanese line ended, and never parted', (t) => {
  t.deepEqual(brokenLines('それは昔の\nNew\nYork\nの話', 'ja'), ['それは昔のNew Yorkの話']);
  const song = 'I will always remember the summer we had';
  t.deepEqual(brokenLines(song, 'ja'), ['I will always remember', 'the summer we had']);
});

test('bug: a word of another script behind a Japanese bracket was broken behind its first letter', (t) => {
  t.deepEqual(brokenLines('今日は新しい「International」を見る', 'ja'), ['今日は新しい', '「International」を見る']);
  t.deepEqual(brokenLines('彼は昨日（Washington）に着いた', 'ja'), ['彼は昨日', '（Washington）に着いた']);
});

test('bug: a Japanese line was not broken behind a comma between words of another script', (t) => {
  const names = 'Tokyo、Washington、Amsterdam、Melbourne';
  t.deepEqual(brokenLines(names, 'ja'), ['Tokyo、Washington、', 'Amsterdam、Melbourne']);
});

test('bug: a Japanese text under the tag jpn was one line of any length', (t) => {
  const text = '今日は天気がとても良いので公園へ行きました。';
  for (const tag of ['jpn', 'JA', 'ja-JP']) t.deepEqual(brokenLines(text, tag), brokenLines(text, 'ja'), tag);
});

test('line breaks lose no word and change none', (t) => {
  const words = fc.array(fc.stringMatching(/^[a-z,.]{1,14}$/), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, (given) => {
      const lines = brokenLines(given.join(' '), 'en');
      t.deepEqual(lines.join(' ').split(' '), given);
    }),
    { seed: 1 },
  );
});

test('a text that fits into two lines of 42 characters is broken into no more', (t) => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(words, (given) => {
      const text = given.join(' ');
      fc.pre(lengthOf(text) <= 70);
      const lines = brokenLines(text, 'en');
      t.true(lines.length <= 2 && lines.every((line) => lengthOf(line) <= 42), lines.join('|'));
    }),
    { seed: 1 },
  );
});

const lengthText = (range: { startMs: number; endMs: number }, limitMs: number): string | null => {
  const obstacle = captionLengthObstacleOf(range, limitMs);
  return obstacle === null ? null : wireText(obstacle);
};

test('bug: a range above the limit of captions named neither the option nor the way out', (t) => {
  t.is(
    lengthText({ startMs: 0, endMs: 196_000 }, 120_000),
    'captions are made of at most 120000 ms, the study has 196000 ms: restart the host with --maximum-caption-range-ms 196000, or study at most 120000 ms of it',
  );
});

test('no option is named for a range that no host makes captions of', (t) => {
  t.is(
    lengthText({ startMs: 0, endMs: 14_400_001 }, 14_400_000),
    'captions are made of at most 14400000 ms, the study has 14400001 ms: study at most 14400000 ms of it',
  );
  t.is(lengthText({ startMs: 1, endMs: 14_400_001 }, 14_400_000), null);
});
