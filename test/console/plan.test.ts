import test from 'ava';
import { linesOfFindings } from '../../console/study/captions-pane.tsx';
import { savedName } from '../../console/study/exports-pane.tsx';
import { entryWords, resultEvents } from '../../console/study/journal-pane.tsx';
import { approvedPlan } from '../../console/study/plan-panel.tsx';
import { reviewRows } from '../../console/study/review-pane.tsx';
import { gapLanes } from '../../console/timeline/lanes.ts';
import {
  agreementWords,
  comparedWords,
  openGaps,
  originWords,
  otherTrackWords,
  type PlanSide,
  placeTime,
  planLists,
  remarkGroups,
  timingWords,
} from '../../console/words/plan-words.ts';
import type { CaptionPlan } from '../../contract/captions/caption-plan.ts';
import type { CaptionCorrections } from '../../contract/captions/correction.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';

const track = (trackIndex: number, own: object = {}) => ({
  ...{ trackIndex, origin: 'track' as const, tag: 'eng', language: 'en', title: null, flags: null, cues: 24 },
  ...own,
});

const sideOf = (own: object): PlanSide => ({ origin: 'track', engine: null, choice: null, withSound: null, ...own });

const planOf = (own: object): CaptionPlan =>
  ({
    counts: { gaps: 0, leftOut: 0, apart: 0, withoutSpeech: 0 },
    ...{ gaps: [], leftOut: [], apart: [], withoutSpeech: [], remarks: [], agreement: null },
    rules: { gaps: { version: 1, joinedMs: 300, leastMs: 800, coveredMilli: 200, marginMs: 500 } },
    ...own,
  }) as unknown as CaptionPlan;

test('a plan has the track that was taken, and the reason for it and against each other one', (t) => {
  const chosen = track(3, { title: 'Dialogue', reason: 'default_track' });
  const side = sideOf({ choice: { asked: 'en', chosen, others: [] } });
  t.is(originWords(side), 'subtitles: track 3, English “Dialogue” (the default of the film)');
  t.is(
    otherTrackWords(track(4, { title: 'Commentary', cues: 1, reason: 'commentary' }) as never),
    'track 4, English “Commentary”, 1 line: a commentary',
  );
  t.is(
    originWords(
      sideOf({ choice: { asked: 'en', chosen: track(5, { origin: 'file', reason: 'attached_by_person' }) } }),
    ),
    'subtitles: attached file 5, English (it was attached to the film)',
  );
  t.is(originWords(sideOf({ origin: 'recognizer', engine: 'pocketsphinx' })), 'speech recognized by pocketsphinx');
  t.is(originWords(sideOf({ origin: 'translator', engine: 'gemma3' })), 'translated by gemma3');
  t.is(originWords(sideOf({ origin: 'none' })), 'no lines');
});

test('lines that nothing was compared with are never called right or accepted', (t) => {
  t.regex(comparedWords.none, /^Nothing was compared/);
  for (const words of Object.values(comparedWords)) t.notRegex(words, /accepted/i);
});

test('the timing of lines against the speech is worded as a person says it', (t) => {
  const figures = { score: 900, bound: 300, chance: 0 };
  const placed = (offsetMs: number, numerator = 1, denominator = 1) => ({
    ...{ numerator, denominator, offsetMs, ...figures },
  });
  const said = (alignment: object) => timingWords(alignment as never, 'the speech');
  t.is(said({ verdict: 'in_sync', ...placed(0) }), 'in time with the speech');
  // The time of a cue plus the offset is that of the speech: a negative one moves late cues forward.
  t.is(said({ verdict: 'shifted', ...placed(-2_300) }), '2.3 s after the speech');
  t.is(said({ verdict: 'shifted', ...placed(2_300) }), '2.3 s before the speech');
  t.is(said({ verdict: 'drifts', ...placed(0, 25, 24) }), 'at another rate than the speech (25:24)');
  t.regex(said({ verdict: 'other_cut', pieces: [1, 2] }) ?? '', /2 pieces/);
  t.is(said({ verdict: 'unknown', reason: 'no_speech', figures: null }), null);
  t.is(agreementWords(planOf({})), null);
  t.regex(agreementWords(planOf({ agreement: { agreeMilli: 964, leastMilli: 600 } })) ?? '', /^96\.4 % .* 60 % /);
});

test('bug: four spoken sentences had no line, and no view said so', (t) => {
  const gaps = [
    { startMs: 18_930, endMs: 20_100 },
    { startMs: 55_000, endMs: 57_000 },
  ];
  const leftOut = [
    { lineId: 'l', startMs: 153_900, endMs: 155_000, text: 'Thank you very much', reasonCode: 'low_confidence' },
  ];
  const apart = [{ side: 'target', startMs: 1000, endMs: 2000, text: 'PLATFORM 9' }];
  const counts = { gaps: 2, leftOut: 1, apart: 1, withoutSpeech: 0 };
  const remarks = [
    { code: 'passages_without_line', params: { passages: 2 } },
    { code: 'cues_trimmed', params: { side: 'target', cues: 1 } },
  ];
  const plan = planOf({ counts, gaps, leftOut, apart, remarks });
  const lists = planLists(plan);
  t.deepEqual(
    lists.map(({ title, places }) => `${title}: ${places.map((each) => placeTime(each.startMs)).join(', ')}`),
    [
      '2 spoken passages have no line: 0:18.9, 0:55',
      '1 line is left out: 2:33.9',
      '1 sign or note is shown over speech, and in no line: 0:01',
    ],
  );
  t.is(lists[1]?.places[0]?.text, 'Thank you very much');
  t.deepEqual(
    remarkGroups(plan).map((group) => group.map(({ code }) => code)),
    [['cues_trimmed']],
    'a remark with a list is there once',
  );
  t.is(gapLanes(gaps)[0]?.marks.length, 2);
  t.deepEqual(gapLanes([]), []);
});

test('remarks with one remedy are together, and it is there once', (t) => {
  const unknown = (side: string, against: string) => ({
    code: 'timing_unknown',
    params: { side, against, reason: 'too_few_cues' },
  });
  const remarks = [
    unknown('source', 'sound'),
    { code: 'captions_rolled', params: { side: 'source' } },
    unknown('target', 'other_side'),
  ];
  t.deepEqual(
    remarkGroups(planOf({ remarks })).map((group) => group.length),
    [2, 1],
  );
});

test('the plan of an approval is in the journal; without it the page tells apart none and unknown', (t) => {
  const plan = planOf({});
  const receipt = { input: { approval: { reviewId: 'review:1' } }, plan };
  const events = [{ type: 'publish.review.plan_recorded', data: { receipt } }] as never;
  t.is(approvedPlan(events, 1, 'review:1'), plan);
  t.is(approvedPlan(events, 1, 'review:2'), null);
  t.is(approvedPlan(events, 9, 'review:2'), undefined);
});

test('a passage without a line is closed by a line of a draft, and by none beside it', (t) => {
  const plan = planOf({ gaps: [{ startMs: 10_000, endMs: 12_000 }] });
  t.is(openGaps(plan, [{ startMs: 2000, endMs: 9000 }]).length, 1);
  t.is(openGaps(plan, [{ startMs: 10_200, endMs: 11_800 }]).length, 0);
  // The margin of the rule: 100 ms of the passage, of 400 that are needed.
  t.is(openGaps(plan, [{ startMs: 8000, endMs: 9600 }]).length, 1);
});

test('what is missing lies between the lines of a review, in order of time', (t) => {
  const text = { state: 'available', text: 'x', reasonCode: null, by: 'host' };
  const line = (id: string, startMs: number) => ({ id, startMs, endMs: startMs + 1000, source: text, target: text });
  const lines = [line('a', 0), line('b', 9000)] as unknown as CaptionCorrections['lines'];
  const leftOut = [
    { lineId: 'c', startMs: 6000, endMs: 7000, text: 'maybe', reasonCode: 'low_confidence' },
    { lineId: 'b', startMs: 9000, endMs: 10_000, text: null, reasonCode: 'low_confidence' },
  ];
  const rows = reviewRows(lines, planOf({ gaps: [{ startMs: 3000, endMs: 5000 }], leftOut }));
  t.deepEqual(
    rows.map(({ key, missing }) => [key, missing?.replace(/ \(.*/, '') ?? null]),
    [
      ['a', null],
      ['gap 3000', 'Speech without a line'],
      ['c', 'Left out: “maybe”'],
      ['b', null],
    ],
  );
  t.is(reviewRows(lines, null).length, 2);
});

test('bug: exports of every film were saved as captions.srt', (t) => {
  const overview = {
    source: { label: 'Reading room: part 2' },
    study: { targetLanguage: 'en', sourceLanguage: { languages: ['ko'] } },
  } as unknown as RuntimeOverview;
  t.is(savedName(overview, 'captions.srt', 'target'), 'Reading room part 2.en.srt');
  t.is(savedName(overview, 'captions.vtt', 'source'), 'Reading room part 2.ko.vtt');
  t.is(savedName(overview, 'captions.ass', 'both'), 'Reading room part 2.ko-en.ass');
  t.is(savedName(overview, 'cuts.edl', 'target'), 'Reading room part 2.cuts.edl');
  t.is(savedName(overview, 'study.tar', 'target'), 'Reading room part 2.study.tar');
});

test('bug: findings of a guideline were counts, without the lines that have them', (t) => {
  const finding = (lineId: string, code: string) => ({ lineId, code, measured: 9, limit: 8 });
  const findings = [finding('c', 'line_too_long'), finding('a', 'gap_too_short'), finding('d', 'line_too_long')];
  const cues = ['a', 'b', 'c', 'd'].map((lineId) => ({ lineId }));
  t.deepEqual(
    linesOfFindings({ findings, cues } as never).map(([code, lines]) => [code, lines.map(({ number }) => number)]),
    [
      ['line_too_long', [3, 4]],
      ['gap_too_short', [1]],
    ],
  );
});

test('bug: the journal listed task.launch_claimed beside the findings', (t) => {
  const types = ['artifact.recorded', 'task.launch_claimed', 'agent.registered', 'evidence.read_started'];
  const events = [...types, 'evidence.read_completed'].map((type) => ({ type, data: {} }));
  t.deepEqual(
    resultEvents(events as never).map(({ type }) => type),
    ['artifact.recorded', 'evidence.read_completed'],
  );
  t.is(
    entryWords({ type: 'artifact.recorded', data: { artifact: { kind: 'detected_silence' } } } as never),
    'Detected silence',
  );
  t.is(entryWords({ type: 'evidence.read_completed', data: {} } as never), 'Evidence read completed');
});
