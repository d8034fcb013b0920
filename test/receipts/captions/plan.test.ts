import test from 'ava';
import {
  type AskedPlan,
  type CaptionPlan,
  captionPlan,
  longestPlanList,
  maximumPlanBytes,
} from '../../../contract/captions/caption-plan.ts';
import { causeText } from '../../../contract/causes/wording.ts';
import { contentIdOfJson } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { defaultCaptionAllowance } from '../../../receipts/captions/allowance.ts';
import { captionsOf } from '../../../receipts/captions/artifact.ts';
import { underPlan } from '../../../receipts/captions/captioned-study.ts';
import { captionMeans } from '../../../receipts/captions/methods.ts';
import { captionPlanBySteps, PlanFault } from '../../../receipts/captions/plan.ts';
import { recordPlan } from '../../../receipts/stages/caption-plan.ts';
import { ruleSets } from '../../../rules/rule-sets.ts';
import { type StudyShape, storedStudy } from '../evidence/stored-study.ts';
import { type StoredTrack, twoTracks } from '../evidence/stored-tracks.ts';
import { changesOf } from '../reopening/mutations.ts';
import { faultOf, reopened } from '../reopening/reopened.ts';
import { approval, rejection, reviewOf } from '../review/review-steps.ts';
import { captionedStudy, captionSteps, goingOn, type Tail } from './captioned-studies.ts';
import { spokenLines } from './spoken-lines.ts';

const noChoices: AskedPlan = { from: null, to: null, method: null, tracks: [] };
const grouped = { ...captionMeans['grouped-subtitles'], allowance: defaultCaptionAllowance };

const shape: StudyShape = { version: 1, windows: 4, tracks: twoTracks };
const study = storedStudy(shape);
const captioned = await captionedStudy(study);

const planOf = (asked: Partial<AskedPlan> = {}, ability = grouped): CaptionPlan =>
  resultOfSteps(captionPlanBySteps(captioned, ability, { ...noChoices, ...asked }));

/** The plan of a clip with other tracks. */
async function plannedWith(tracks: readonly StoredTrack[], others: Partial<StudyShape> = {}): Promise<CaptionPlan> {
  const other = await captionedStudy(storedStudy({ ...shape, tracks, ...others }));
  return resultOfSteps(captionPlanBySteps(other, grouped, noChoices));
}

/** The clip as a study of one language, whose transcript has these lines; each word has the confidence beside it. */
function recognizedPlan(
  spoken: readonly (readonly (readonly [word: string, confidence: number])[])[],
  regions: readonly object[] = [],
): CaptionPlan {
  const { run: own, findings } = captioned;
  const { range, language } = own.record.analysisRequest;
  const languagePair = { requestedSource: { mode: 'declared', languages: ['en'] }, targetLanguage: 'en' };
  const analysisRequest = { ...own.record.analysisRequest, language: { ...language, languagePair } };
  const lines = spokenLines(
    spoken.map((words, at) => ({
      text: words.map(([word]) => word).join(' '),
      startMs: range.startMs + 200 * at,
      endMs: range.startMs + 200 * at + 190,
    })),
  ).map((line, at) => ({
    ...line,
    words: line.words.map((word, place) => ({ ...word, confidence: spoken[at]?.[place]?.[1] ?? null })),
  }));
  const recognition = {
    artifact: { id: 'artifact:one', content: { contentId: `sha256:${'1'.repeat(64)}` } },
    found: { facts: [...regions, ...lines], parameters: {} },
    receipt: { producer: { engine: 'whisper-cli' } },
  };
  const study = {
    ...captioned,
    run: { ...own, record: { ...own.record, analysisRequest } },
    findings: { ...findings, recognition },
  } as unknown as typeof captioned;
  const means = { ...captionMeans.recognized, allowance: defaultCaptionAllowance };
  return resultOfSteps(captionPlanBySteps(study, means, noChoices));
}

const [korean, english] = twoTracks;
const codesOf = ({ remarks }: CaptionPlan) => remarks.map(({ code }) => code);

test('a plan is of its schema, and the same study gives the same plan', (t) => {
  const plan = planOf();
  t.deepEqual(captionPlan.parse(plan), plan);
  t.is(contentIdOfJson(planOf()), contentIdOfJson(plan));
  t.is(plan.rules.captions, ruleSets.captions.version);
  t.deepEqual(plan.obstacles, []);
  t.is(plan.lines.count, 3);
});

test('a stretch in another language is named with its times, and by the language that was heard', (t) => {
  const regionIn = (language: string, index: number) => {
    const span = { startMs: 500 * index, endMs: 500 * index + 400 };
    const spoken = { language, probability: 0.97, asked: null, startMs: 0, endMs: 4000 };
    return { kind: 'recognised_region', index, ...span, spoken };
  };
  const plan = recognizedPlan([[['Yes', 0.9]]], ['en', 'es', 'es', 'en'].map(regionIn));
  const remark = { code: 'spoken_in_other_language', params: { startMs: 500, endMs: 1400, language: 'es' } } as const;
  t.deepEqual(
    plan.remarks.filter(({ code }) => code === remark.code),
    [remark],
  );
  t.deepEqual(captionPlan.parse(plan), plan);
  const stretch = { code: remark.code, params: { startMs: 120_400, endMs: 3_739_000, language: 'es' } };
  t.is(causeText(stretch, 'terminal').what, '2:00 to 1:02:19 is es: its lines are left out');
});

test('speech without a line, lines left out and lines without speech are named with their times', async (t) => {
  // Speech from 0 to 1 s and from 2 to 3 s; the pair has one line at the end.
  const late = { startMs: 3700, endMs: 3900 };
  const plan = await plannedWith([
    {
      ...korean,
      cues: [
        { ...late, text: '감사합니다' },
        { startMs: 3950, endMs: 3990, text: '네' },
      ],
    },
    { ...english, cues: [{ ...late, text: 'Thank you' }] },
  ]);
  t.deepEqual(plan.gaps, [
    { startMs: 0, endMs: 1000 },
    { startMs: 2000, endMs: 3000 },
  ]);
  t.like(plan.leftOut, [{ startMs: 3950, endMs: 3990, text: '네', reasonCode: 'translator_unavailable' }]);
  t.deepEqual(plan.withoutSpeech, [{ ...late, lineId: 'grouped-subtitle-line-001' }]);
  t.deepEqual(plan.counts, { gaps: 2, leftOut: 1, apart: 0, withoutSpeech: 1 });
  for (const code of ['passages_without_line', 'lines_left_out', 'lines_without_speech'] as const) {
    t.true(codesOf(plan).includes(code), code);
  }
});

test('a study that did not measure speech says so, and names no gap', async (t) => {
  const plan = await plannedWith(twoTracks, { windows: null });
  t.true(codesOf(plan).includes('speech_not_measured'));
  t.deepEqual(plan.gaps, []);
  t.deepEqual(plan.withoutSpeech, []);
});

test('cues that are trimmed, joined or over dialogue are remarks, with the texts that are in no line', async (t) => {
  const every = [0, 1000, 2000, 3000].map((startMs, at) => ({ startMs, endMs: startMs + 1001, text: `line ${at}` }));
  const plan = await plannedWith([
    korean,
    { ...english, cues: every.map((cue) => ({ ...cue, endMs: Math.min(cue.endMs, 4000) })) },
  ]);
  t.deepEqual(plan.remarks.find(({ code }) => code === 'cues_trimmed')?.params, { side: 'target', cues: 3 });
  const sign = { startMs: 0, endMs: 4000, text: 'BAKERY' };
  const withSign = await plannedWith([korean, { ...english, cues: [sign, ...english.cues] }]);
  t.deepEqual(withSign.apart, [{ ...sign, side: 'target' }]);
  t.true(codesOf(withSign).includes('texts_apart'));
});

test('bug: the lines that a recognizer doubted were read in the order of the film, if at all', (t) => {
  const { doubtful } = recognizedPlan([
    [
      ['we', 0.9],
      ['fail', 0.45],
      ['here.', 0.8],
    ],
    [
      ['So', 0.5],
      ['go', 0.9],
      ['home.', 0.9],
    ],
    [
      ['He', 0.13],
      ['was', 0.4],
      ['late.', 0.9],
    ],
  ]);
  t.like(doubtful, { belowMilli: 500 });
  t.deepEqual(doubtful?.first[0]?.lowestMilli, 130, 'the most doubtful one is first');
  const words = doubtful?.first.flatMap((line) => line.words).toSorted();
  t.deepEqual(words, ['He', 'fail', 'was'], 'a word at the threshold is not doubtful');
  const sure = recognizedPlan([
    [
      ['we', 0.9],
      ['begin.', 0.9],
    ],
  ]);
  t.false('doubtful' in sure);
  t.false('doubtful' in planOf(), 'lines of tracks have no confidence');
});

test('the doubtful lines of a plan are in the order of their doubt, and counted', (t) => {
  const many = Array.from({ length: 15 }, (_, at) => [[`word${at}.`, (15 + at) / 100] as const]);
  const { doubtful } = recognizedPlan(many);
  const first = doubtful?.first ?? [];
  t.true(first.length > 0);
  t.is(first.length, doubtful?.lines ?? 0);
  t.deepEqual(
    first.map(({ lowestMilli }) => lowestMilli).toSorted((one, other) => one - other),
    first.map((line) => line.lowestMilli),
  );
});

test('lists of a plan are cut, and its counts are whole', async (t) => {
  const cues = Array.from({ length: 600 }, (_, at) => ({ startMs: at * 6, endMs: at * 6 + 5, text: `${at}` }));
  const plan = await plannedWith([{ ...korean, cues }]);
  t.is(plan.counts.leftOut, 600);
  t.is(plan.leftOut.length, longestPlanList);
});

test('a record has room for a plan with lists of the longest texts', async (t) => {
  const cue = (at: number, text: string) => ({ startMs: at * 6, endMs: at * 6 + 5, text });
  const cues = Array.from({ length: 600 }, (_, at) => cue(at, `${at} ${'안'.repeat(1200)}`));
  const plan = await plannedWith([{ ...korean, cues }]);
  t.is(plan.leftOut[0]?.text?.length, 201);
  t.true((recordPlan(run, { approval: review.approval, plan }).objects[0]?.bytes.length ?? 0) < maximumPlanBytes);
});

test('a plan that no captions can follow has the obstacle', async (t) => {
  const one = await plannedWith([korean]);
  t.deepEqual(
    one.obstacles.map(({ code }) => code),
    ['method_does_not_translate'],
  );
  const cues = Array.from({ length: 65 }, (_, at) => ({ startMs: at * 60, endMs: at * 60 + 50, text: `${at}` }));
  const many = await plannedWith([
    { ...korean, cues },
    { ...english, cues },
  ]);
  t.deepEqual(many.obstacles, [{ code: 'captions_over_limit', params: { of: 'lines', found: 65, limit: 64 } }]);
  const bell = await plannedWith([korean, { ...english, cues: [{ startMs: 0, endMs: 900, text: 'a\u0007b' }] }]);
  t.deepEqual(bell.obstacles, [{ code: 'text_not_writable', params: { side: 'target', startMs: 0 } }]);
});

test('bug: captions by all lines or none began although a line lacked a text', async (t) => {
  const other = await captionedStudy(
    storedStudy({ ...shape, tracks: [korean, { ...english, cues: english.cues.slice(1) }] }),
  );
  const embedded = { ...captionMeans['embedded-subtitles'], allowance: defaultCaptionAllowance };
  const plan = resultOfSteps(captionPlanBySteps(other, embedded, noChoices));
  t.deepEqual(plan.obstacles, [{ code: 'lines_withhold_captions', params: { lines: 1 } }]);
});

test('a chosen track that the study does not have is a fault, and one in no known language is a side', async (t) => {
  t.throws(() => planOf({ tracks: [9] }), { instanceOf: PlanFault, message: /9 is another one/ });
  const unknown: StoredTrack = { ...english, trackIndex: 5, taggedLanguage: null, code: null };
  const other = await captionedStudy(storedStudy({ ...shape, tracks: [korean, unknown] }));
  const plan = resultOfSteps(captionPlanBySteps(other, grouped, { ...noChoices, tracks: [2, 5] }));
  t.like(plan.sides.target.choice?.chosen, { trackIndex: 5, reason: 'chosen_by_person' });
  t.is(plan.lines.count, 3);
});

test('a track that a person chose against its language gives no text', async (t) => {
  const french: StoredTrack = { ...english, trackIndex: 5, taggedLanguage: 'fr', code: null };
  const other = await captionedStudy(storedStudy({ ...shape, tracks: [korean, english, french] }));
  const plan = resultOfSteps(captionPlanBySteps(other, grouped, { ...noChoices, tracks: [2, 5] }));
  t.is(plan.sides.target.choice?.chosen?.trackIndex, 5);
  t.deepEqual([...new Set(plan.leftOut.map(({ reasonCode }) => reasonCode))], ['language_mismatch']);
  t.is(plan.lines.count, 0);
  t.not(plan.obstacles.length, 0);
});

// The record of a plan, in the journal of an approved study.

const review = reviewOf(study, approval);
const { run } = captioned;

/** The study with an approval of this plan, and the commits behind it. */
function approvedWith(plan: CaptionPlan, ...tail: Tail) {
  const record = recordPlan(run, { approval: review.approval, plan });
  const objects = [...review.objects, ...record.objects];
  return { objects, commits: [review.started, [...review.recorded, ...record.events], ...tail] };
}

test('a recorded plan is derived again, and captions are made under it', async (t) => {
  const plan = planOf({ tracks: [2, 4] });
  const steps = captionSteps({
    study: underPlan(captioned, { plan, digest: '' }),
    attempt: 0,
    classification: 'grouped_subtitle_tracks',
  });
  const { objects, commits } = approvedWith(plan, steps.started, steps.recorded, steps.checked);
  const { runtime, checked } = await reopened(...goingOn(study, [...objects, ...steps.objects], ...commits));
  t.deepEqual(runtime.execution?.study.tail.plan, { plan, digest: contentIdOfJson(plan) });
  const link = checked.find((each) => each.link === 'caption_plan');
  t.like(link, { detail: '3 lines', judgement: { check: 'judged_again' } });
  t.is(runtime.execution?.study.tail.captions.caption?.artifact.body.lines.length, 3);
});

test('captions of another executor than that of the plan are damage', async (t) => {
  const steps = captionSteps({ study: captioned, attempt: 0, classification: 'embedded_subtitle_tracks' });
  const { objects, commits } = approvedWith(planOf(), steps.started, steps.recorded);
  const fault = await faultOf(...goingOn(study, [...objects, ...steps.objects], ...commits));
  t.regex(fault?.place ?? '', /data\.executor/);
});

test('a plan comes once, after an approval and before captions', async (t) => {
  const plan = planOf();
  const { objects, commits } = approvedWith(plan);
  const record = recordPlan(run, { approval: review.approval, plan }).events;
  const steps = captionSteps({ study: captioned, attempt: 0, classification: 'grouped_subtitle_tracks' });
  const rejected = reviewOf(study, rejection);
  const all = [...objects, ...steps.objects, ...rejected.objects];
  const faultAfter = async (...tail: Tail) => (await faultOf(...goingOn(study, all, ...tail)))?.link;
  t.is(await faultAfter(...commits), undefined);
  t.is(await faultAfter(record), 'journal', 'before a decision');
  t.is(await faultAfter(...commits, record), 'journal', 'twice');
  t.is(await faultAfter(rejected.started, rejected.recorded, record), 'journal', 'of a rejection');
  t.is(await faultAfter(review.started, review.recorded, steps.started, record), 'journal', 'while captions are made');
});

test('every change of a recorded plan is caught, though its digests, its receipt and its event follow', async (t) => {
  // With signs, lines left out and gaps, so that each list has an entry.
  const sign = { startMs: 0, endMs: 3990, text: 'BAKERY' };
  const tracks = [korean, { ...english, cues: [sign, ...english.cues.slice(1)] }];
  const other = storedStudy({ ...shape, tracks });
  const otherStudy = await captionedStudy(other);
  const plan = resultOfSteps(captionPlanBySteps(otherStudy, grouped, noChoices));
  const decided = reviewOf(other, approval);
  const reopen = (recorded: CaptionPlan) => {
    const record = recordPlan(otherStudy.run, { approval: decided.approval, plan: recorded });
    const objects = [...decided.objects, ...record.objects];
    return faultOf(...goingOn(other, objects, decided.started, [...decided.recorded, ...record.events]));
  };
  t.is(await reopen(plan), null);
  const unseen: string[] = [];
  let seen = 0;
  for (const { at, value } of changesOf(plan)) {
    const changed = captionPlan.safeParse(value);
    if (!changed.success) continue;
    const fault = await reopen(changed.data);
    if (fault === null) unseen.push(at);
    else seen += 1;
  }
  t.true(seen > 50, `${seen} changes keep the shape`);
  // A plan of other rules is checked for its form alone, as it says.
  t.deepEqual(unseen, ['.rules.captions', '.rules.alignment', '.rules.trackChoice', '.rules.gaps.version']);
});

test('a plan of other rules is checked for its form, and says so', async (t) => {
  const plan = { ...planOf(), rules: { ...planOf().rules, captions: 6 } };
  const { objects, commits } = approvedWith(plan);
  const { checked } = await reopened(...goingOn(study, objects, ...commits));
  const judgement = checked.find(({ link }) => link === 'caption_plan')?.judgement;
  t.like(judgement, { rules: { name: 'caption rules', version: 6 }, check: 'form_checked' });
  const faults: readonly [place: string, change: Partial<CaptionPlan>][] = [
    ['plan.runId', { runId: 'runtime:other' }],
    ['plan.asked.to', { asked: { ...noChoices, to: 'fr' } }],
    ['plan.asked.tracks', { asked: { ...noChoices, tracks: [9] } }],
    ['plan.counts.gaps', { counts: { ...plan.counts, gaps: 7 } }],
    ['plan.gaps[0]', { counts: { ...plan.counts, gaps: 1 }, gaps: [{ startMs: 0, endMs: 9000 }] }],
    ['plan.obstacles', { obstacles: [{ code: 'no_recognizer', params: {} }] }],
  ];
  for (const [place, change] of faults) {
    const damaged = approvedWith({ ...plan, ...change });
    const fault = await faultOf(...goingOn(study, damaged.objects, ...damaged.commits));
    t.is(fault?.place, place);
  }
});

test('captions by the default tracks are the same under a plan without choices', (t) => {
  const job = { attempt: 0, classification: 'grouped_subtitle_tracks' } as const;
  const under = underPlan(captioned, { plan: planOf(), digest: '' });
  t.deepEqual(captionsOf({ ...job, study: under }), captionsOf({ ...job, study: captioned }));
});
