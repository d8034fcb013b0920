import test from 'ava';
import { endLine, isComplete, planLines, presentPlan, wholePlanLines } from '../../cli/terminal/plan-lines.ts';
import { type CaptionPlan, captionPlan } from '../../contract/captions/caption-plan.ts';

const track = {
  trackIndex: 2,
  origin: 'track',
  tag: 'eng',
  language: 'en',
  title: 'English',
  flags: null,
  cues: 24,
} as const;
const choice: NonNullable<CaptionPlan['sides']['source']['choice']> = {
  asked: 'en',
  chosen: { ...track, reason: 'default_track' },
  others: [],
};
const inSync = {
  verdict: 'in_sync',
  numerator: 1,
  denominator: 1,
  offsetMs: 0,
  score: 900,
  bound: 300,
  chance: 2,
} as const;
const side = { origin: 'track', engine: null, choice, withSound: inSync } as const;

const executor = {
  id: 'studio.grouped-subtitle-caption-producer',
  version: '1',
  classification: 'grouped_subtitle_tracks',
  executionScope: 'current_run',
  cognitionClaim: 'none',
  recognizer: 'none',
  translator: 'none',
  sourceCaptionContentId: null,
};

/** A plan of captions in one language, with which everything is right. */
const good: CaptionPlan = captionPlan.parse({
  schema: 'studio.caption-plan.v1',
  runId: 'run:1',
  asked: { from: null, to: null, method: 'grouped-subtitles', tracks: [] },
  method: 'grouped-subtitles',
  executor,
  rules: {
    captions: 5,
    alignment: 1,
    trackChoice: 1,
    gaps: { version: 1, joinedMs: 300, leastMs: 800, coveredMilli: 200, marginMs: 500 },
  },
  sides: { source: side, target: side },
  compared: 'with_sound',
  withOtherSide: null,
  agreement: null,
  lines: { count: 24, contentId: `sha256:${'0'.repeat(64)}` },
  translation: null,
  counts: { gaps: 0, leftOut: 0, apart: 0, withoutSpeech: 0 },
  gaps: [],
  leftOut: [],
  apart: [],
  withoutSpeech: [],
  remarks: [],
  obstacles: [],
});

const at = (startMs: number) => ({ startMs, endMs: startMs + 1000 });
const others: CaptionPlan['sides']['source']['choice'] = {
  ...choice,
  others: [
    { ...track, trackIndex: 3, title: null, reason: 'commentary' },
    { ...track, trackIndex: 4, tag: 'deu', language: 'de', title: null, reason: 'other_language' },
  ],
};
const passing = {
  ...good,
  counts: { gaps: 5, leftOut: 2, apart: 1, withoutSpeech: 1 },
  gaps: [18_960, 55_000, 60_000, 61_000, 62_000].map(at),
  leftOut: [
    { ...at(153_900), lineId: 'line:1', text: 'Thank you very much', reasonCode: 'low_confidence' },
    { ...at(160_000), lineId: 'line:2', text: null, reasonCode: 'repetition' },
  ],
  apart: [{ ...at(1000), text: 'HARBOUR\nMUSEUM', side: 'source' }],
  withoutSpeech: [{ ...at(70_000), lineId: 'line:3' }],
  remarks: [
    { code: 'passages_without_line', params: { passages: 5 } },
    { code: 'side_shifted', params: { side: 'source', against: 'sound', offsetMs: 2300 } },
    { code: 'side_shifted', params: { side: 'target', against: 'sound', offsetMs: 2300 } },
  ],
} satisfies CaptionPlan;

test('the plan of a good film is its source alone', (t) => {
  t.deepEqual(planLines(good), ["English subtitles: track 2, 'English', the default"]);
  t.true(isComplete(good));
  t.is(endLine(good, 24), 'Captions ready: 24 lines');
});

test('bug: a person saw neither the track of the captions with its reason nor the others', (t) => {
  const plan = { ...good, sides: { source: { ...side, choice: others }, target: { ...side, choice: others } } };
  t.deepEqual(planLines(plan), ["English subtitles: track 2, 'English', the default; not taken: track 3, commentary"]);
});

test('bug: speech without a line, and lines that were left out, were missing without a word', (t) => {
  t.deepEqual(planLines(passing), [
    "English subtitles: track 2, 'English', the default",
    'The subtitle track begins 2.3 s after the speech',
    '5 spoken passages have no line: 0:18.9, 0:55.0, 1:00.0, 1:01.0, …',
    "2 lines left out: 2:33.9 'Thank you very much' (not certain); 2:40.0 (no text) (the same again and again)",
    "1 sign or note over speech, in no line: 0:01.0 'HARBOUR MUSEUM'",
    '1 line is where no speech was found: 1:10.0',
  ]);
  const one = { ...good, counts: { ...good.counts, gaps: 1 }, gaps: [at(18_900)] };
  t.deepEqual(planLines(one).slice(1), ['1 spoken passage has no line: 0:18.9']);
  t.is(
    endLine(passing, 24),
    'Captions ready: 24 lines; the subtitle track begins 2.3 s after the speech; 5 spoken passages have no line: 0:18.9, 0:55.0, 1:00.0, 1:01.0, …; 2 lines left out',
  );
  t.true(wholePlanLines(passing).includes('5 spoken passages have no line: 0:18.9, 0:55.0, 1:00.0, 1:01.0, 1:02.0'));
});

test('bug: lines that nothing was compared with were accepted', (t) => {
  const plan = { ...good, compared: 'none' } as const;
  t.deepEqual(planLines(plan).slice(1), ['Nothing was compared with the film: check a few lines against it.']);
  t.is(endLine(plan, 1), 'Captions written: 1 line; nothing was compared with the film');
  t.notRegex(wholePlanLines(plan).join('\n') + endLine(plan, 1), /accepted/);
});

const incomplete: Readonly<Record<string, CaptionPlan>> = {
  'speech has no line': { ...good, counts: { ...good.counts, gaps: 1 }, gaps: [at(0)] },
  'a line is left out': { ...good, counts: { ...good.counts, leftOut: 1 } },
  'nothing was compared': { ...good, compared: 'none' },
  'the times are wrong': passing,
  'the timing is unknown': {
    ...good,
    remarks: [{ code: 'timing_unknown', params: { side: 'source', against: 'sound', reason: 'too_few_cues' } }],
  },
};

for (const [what, plan] of Object.entries(incomplete)) {
  test(`captions are not complete for --strict if ${what}`, (t) => t.false(isComplete(plan)));
}

test('captions of recognized and of translated lines name the model', (t) => {
  const spoken = { origin: 'recognizer', engine: 'pocketsphinx', choice: null, withSound: null } as const;
  const recognized = { ...good, sides: { source: spoken, target: spoken } };
  t.deepEqual(planLines(recognized), ['Captions source: speech recognized by pocketsphinx']);
  const german = { asked: 'de', chosen: null, others: [] };
  const translated = {
    ...good,
    sides: { source: side, target: { origin: 'translator', engine: 'small', choice: german, withSound: null } },
    translation: { lines: 24, model: 'small', gates: 3 },
  } as const;
  t.deepEqual(planLines(translated).slice(1), [
    '24 lines will be translated into German by small; a translation that fails its checks is left out',
  ]);
});

test('bug: captions in one language were said to have an original', (t) => {
  const remarks = [
    {
      code: 'side_drifts',
      params: { side: 'source', against: 'sound', numerator: 960, denominator: 1001, offsetMs: 0 },
    },
    { code: 'cues_trimmed', params: { side: 'source', cues: 1 } },
  ] satisfies CaptionPlan['remarks'];
  const said = [
    'The subtitle track runs 4.3 % slower than the speech',
    'The subtitle track: 1 line ends where the next one begins',
  ];
  t.deepEqual(planLines({ ...good, remarks }).slice(1), said);
  const ofFile = { ...side, origin: 'file' } as const;
  const [, first] = planLines({ ...good, remarks, sides: { source: ofFile, target: ofFile } });
  t.is(first, 'The subtitle file runs 4.3 % slower than the speech');
  const korean = {
    ...side,
    choice: { ...choice, asked: 'ko', chosen: { ...track, trackIndex: 1, reason: 'only_track' } },
  } as const;
  const both = planLines({ ...good, remarks, sides: { source: korean, target: side } });
  t.true(both.includes('The original runs 4.3 % slower than the speech'), both.join('\n'));
});

test('a plan over subtitles that were moved to the speech names what they were made of', (t) => {
  const derived = {
    origin: 'resynced',
    parentLabel: 'late.srt',
    parentTrackIndex: null,
    parentContentId: `sha256:${'a'.repeat(64)}`,
  } as const;
  const moved = { ...track, origin: 'file', trackIndex: 3, reason: 'attached_by_person', derived } as const;
  const ofFile = { ...side, origin: 'file', choice: { ...choice, chosen: moved } } as const;
  const plan = captionPlan.parse({ ...good, sides: { source: ofFile, target: ofFile } });
  t.regex(planLines(plan)[0] ?? '', /: file \(track 3\).*, moved to the speech from late\.srt, attached by you/);
});

test('bug: a plan named no command that works for other subtitles, and its figures had no meaning', (t) => {
  const late = {
    ...side,
    withSound: { ...inSync, verdict: 'shifted', offsetMs: -2340, score: 6615, bound: 4925 },
  } as const;
  const whole = wholePlanLines({ ...passing, sides: { source: late, target: late } });
  t.true(
    whole.includes('  compared with the speech: 2.3 s late (evidence 66, at least 49 is needed)'),
    whole.join('\n'),
  );
  const [remark = ''] = whole.filter((line) => line.startsWith('The subtitle track begins'));
  t.regex(
    remark,
    /: media-study subtitles fix FILM; or use other subtitles: media-study caption FILM --subtitles FILE:TAG$/,
  );
});

test('bug: a passage was still without a line, and its words left out, after a person had added them', (t) => {
  const added = { startMs: 18_950, endMs: 19_700 };
  const { counts, gaps } = presentPlan(passing, [added, { startMs: 153_900, endMs: 154_900 }]);
  t.deepEqual([counts.gaps, counts.leftOut], [4, 1]);
  t.false(gaps.some(({ startMs }) => startMs === 18_960));
  t.regex(endLine(presentPlan(passing, [added]), 25), /4 spoken passages have no line: 0:55\.0/);
});

test('the lines that the recognizer doubts are in the whole plan, the most doubtful first, with their words', (t) => {
  const doubtful: CaptionPlan['doubtful'] = {
    belowMilli: 500,
    lines: 3,
    first: [
      { ...at(61_000), lineId: 'recognised-line-009', text: 'Fail\nmander', lowestMilli: 130, words: ['mander'] },
      { ...at(2_000), lineId: 'recognised-line-001', text: 'he was it?', lowestMilli: 310, words: ['he', 'was'] },
    ],
  };
  const lines = wholePlanLines(captionPlan.parse({ ...good, doubtful }));
  const from = lines.findIndex((line) => line.startsWith('3 lines with a word'));
  t.deepEqual(lines.slice(from, from + 3), [
    '3 lines with a word that the recognizer doubts. Read these 2 lines first: the recognizer is least sure of them.',
    "  1:01.0 'Fail mander' ('mander')",
    "  0:02.0 'he was it?' ('he', 'was')",
  ]);
});
