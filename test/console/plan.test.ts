import test from 'ava';
import { doubtfulParts } from '../../console/parts/doubtful-text.tsx';
import { savedName } from '../../console/study/exports-pane.tsx';
import { entryWords, resultEvents } from '../../console/study/journal-pane.tsx';
import { approvedPlan } from '../../console/study/plan-panel.tsx';
import { reviewRows } from '../../console/study/review-pane.tsx';
import { gapLanes } from '../../console/timeline/lanes.ts';
import { whatWords } from '../../console/words/cause-words.ts';
import {
  agreementWords,
  comparedWords,
  isChoosable,
  openGaps,
  originWords,
  otherTracks,
  otherTrackWords,
  type PlanSide,
  placeTime,
  planLists,
  remarkGroups,
  remarkSentences,
  sidesSpelling,
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
    ...{ gaps: [], leftOut: [], apart: [], withoutSpeech: [], remarks: [], obstacles: [], agreement: null },
    lines: { count: 24 },
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

test('bug: the start of a film and whole minutes were shown as 0: and 1:', (t) => {
  const times = [0, 49, 60_000, 3_600_000, 1000, 18_930, 100_040].map(placeTime);
  t.deepEqual(times, ['0:00', '0:00', '1:00', '1:00:00', '0:01', '0:18.9', '1:40']);
});

test('bug: a track of another language had a button that chose nothing', (t) => {
  const commentary = (reason: string) => track(3, { title: 'Commentary', reason });
  const choice = (asked: string, chosen: object, others: object[]) => sideOf({ choice: { asked, chosen, others } });
  const german = track(4, { language: 'de', reason: 'only_track' });
  const target = choice('de', german, [track(2, { reason: 'other_language' }), commentary('other_language')]);
  const source = choice('en', track(2), [commentary('commentary'), { ...german, reason: 'other_language' }]);
  const indexes = (side: PlanSide, beside: PlanSide | null) =>
    otherTracks(side, beside).map((each) => [each.trackIndex, isChoosable(each)]);
  t.deepEqual(indexes(target, source), [], 'both serve the other language, and are there');
  t.deepEqual(indexes(source, target), [[3, true]]);
  t.deepEqual(indexes(target, null), [
    [2, false],
    [3, false],
  ]);
  const simplified = choice('zh-Hant', null as never, [track(2, { language: 'zh-Hans', reason: 'other_script' })]);
  t.deepEqual(indexes(simplified, null), [[2, false]]);
});

test('bug: a plan without any line had every passage as missing, and only the person could tell if its lines fit', (t) => {
  const gaps = [{ startMs: 0, endMs: 2000 }];
  const counts = { gaps: 1, leftOut: 0, apart: 0, withoutSpeech: 0 };
  t.deepEqual(planLists(planOf({ lines: { count: 0 }, counts, gaps })), []);
  t.is(planLists(planOf({ counts, gaps })).length, 1);
  t.deepEqual(reviewRows([], planOf({ gaps })), []);
});

test('bug: 150 lines that were left out for one reason had it 150 times', (t) => {
  const leftOut = (startMs: number, reasonCode: string) => ({
    lineId: `${startMs}`,
    startMs,
    endMs: startMs + 1,
    text: 'x',
    reasonCode,
  });
  const listOf = (...reasons: string[]) =>
    planLists(
      planOf({
        counts: { gaps: 0, leftOut: reasons.length, apart: 0, withoutSpeech: 0 },
        leftOut: reasons.map((reason, at) => leftOut(at, reason)),
      }),
    )[0];
  t.is(listOf('translator_unavailable', 'translator_unavailable')?.places[0]?.why, null);
  t.regex(listOf('translator_unavailable', 'translator_unavailable')?.title ?? '', /^2 lines are left out \(.+\)$/);
  const mixed = listOf('translator_unavailable', 'low_confidence');
  t.is(mixed?.title, '2 lines are left out');
  t.truthy(mixed?.places[0]?.why);
});

test('bug: captions in one language had remarks about an original', (t) => {
  const rolled = [{ code: 'captions_rolled', params: { side: 'source' } }] as const;
  const said = (source: string | null, target: string) => remarkSentences(rolled, sidesSpelling({ source, target }));
  t.deepEqual(said('en', 'en'), ['The text rolls up: each row is written once.']);
  t.deepEqual(said('en', 'de'), ['The English text rolls up: each row is written once.']);
  t.deepEqual(said(null, 'de'), ['The spoken text rolls up: each row is written once.']);
});

test('bug: a remark that holds for both languages was there twice', (t) => {
  const unknown = (side: 'source' | 'target', reason: 'too_few_cues' | 'no_speech') =>
    ({ code: 'timing_unknown', params: { side, against: 'sound', reason } }) as const;
  const spelling = sidesSpelling({ source: 'en', target: 'de' });
  t.deepEqual(remarkSentences([unknown('source', 'too_few_cues'), unknown('target', 'too_few_cues')], spelling), [
    'Nothing shows if the text of both languages is in time with the speech: there are too few lines to tell.',
  ]);
  t.is(remarkSentences([unknown('source', 'too_few_cues'), unknown('target', 'no_speech')], spelling).length, 2);
});

test('bug: what an obstacle says was a remark, too', (t) => {
  const params = { side: 'target', asked: 'zh-Hant', found: 'zh-Hans' };
  const remarks = [
    { code: 'other_script_refused', params },
    { code: 'sides_disagree', params: { agreeMilli: 200, leastMilli: 900 } },
    { code: 'captions_rolled', params: { side: 'target' } },
  ];
  const obstacles = [{ code: 'subtitles_in_other_script', params }, remarks[1]];
  t.deepEqual(
    remarkGroups(planOf({ remarks, obstacles })).flatMap((group) => group.map(({ code }) => code)),
    ['captions_rolled'],
  );
  t.is(remarkGroups(planOf({ remarks })).length, 3);
});

test('bug: two languages that do not belong together were counted in lines of 1000', (t) => {
  const cause = { code: 'sides_disagree', params: { agreeMilli: 200, leastMilli: 905 } } as const;
  t.regex(whatWords([cause]), /20 % of the lines agree in time, and 90\.5 % are needed$/);
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
  t.deepEqual(
    rows.map(({ isMissing }) => isMissing),
    [false, true, true, true],
    'bug: a line that is left out for its other text looked like one that is written',
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

test('bug: the journal listed task.launch_claimed beside the findings', (t) => {
  const technical = ['task.launch_claimed', 'agent.registered', 'evidence.read_started', 'media.operation_completed'];
  const types = ['artifact.recorded', ...technical];
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

test('the lines to read first come first in the lists of a plan, with their doubtful words', (t) => {
  const line = { startMs: 0, endMs: 900, lineId: 'a', text: 'Have a great day.', lowestMilli: 210, words: ['great'] };
  const [first] = planLists(planOf({ doubtful: { belowMilli: 500, lines: 3, first: [line] } }));
  t.is(first?.title, '3 lines have a doubtful word; read these first');
  t.deepEqual(first?.places[0]?.doubtful, ['great']);
});

test('doubtful words are found in their order, and one that the text does not have is left out', (t) => {
  t.deepEqual(doubtfulParts('the cat and the dog', ['the', ' the', 'bird', 'dog']), [
    { text: 'the', isDoubtful: true },
    { text: ' cat and ', isDoubtful: false },
    { text: 'the', isDoubtful: true },
    { text: ' ', isDoubtful: false },
    { text: 'dog', isDoubtful: true },
  ]);
  t.deepEqual(doubtfulParts('none', []), [{ text: 'none', isDoubtful: false }]);
});
