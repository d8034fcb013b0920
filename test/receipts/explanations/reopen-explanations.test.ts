import test from 'ava';
import type { LanguageExplanations } from '../../../contract/explanations/language-explanation-answers.ts';
import { draftEvent } from '../../../receipts/core/event-draft.ts';
import { causeOf } from '../../../receipts/core/study-run.ts';
import { explanationStarted } from '../../../receipts/explanations/language-explanation.ts';
import { languageExplanationsBytes } from '../../../receipts/reopening/published-explanations.ts';
import type { VerifiedRuntime } from '../../../receipts/reopening/reopen-runtime.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { captionedStudy, captionSteps, goingOn } from '../captions/captioned-studies.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { placeOf, reopened } from '../reopening/reopened.ts';
import { approval, reviewOf } from '../review/review-steps.ts';
import { type Asked, explanationJob, explanationSteps } from './explained-captions.ts';

type Tail = readonly (readonly EventDraft[])[];

const study = storedStudy({ version: 1, windows: 4, tracks: twoTracks });
const review = reviewOf(study, approval);
const captioning = {
  study: await captionedStudy(study),
  attempt: 0,
  classification: 'embedded_subtitle_tracks',
} as const;
const captions = captionSteps(captioning);
const stepsOf = (asked: Asked = {}) => explanationSteps(explanationJob(captioning, asked));
const [first, second, third, fourth] = [
  stepsOf(),
  stepsOf({ attempt: 1 }),
  stepsOf({ attempt: 2 }),
  stepsOf({ executor: { model: 'other' } }),
];
const other = stepsOf({ line: 2, side: 'target', start: 1, end: 5, facetKinds: ['word', 'meaning'] });
const before = [review.started, review.recorded, captions.started, captions.recorded];
const { revocationStarted, revocationFailed, revoked } = review;
const objects = [
  ...[...review.objects, ...captions.objects, ...first.settings],
  ...[first, second, third, other].flatMap((steps) => steps.objects),
];
const end = [...study.commits, ...before].flat().length;
const goneOn = (...tail: Tail) => goingOn(study, objects, ...before, ...tail);

const ways: Readonly<Record<string, readonly [Tail, readonly string[], number]>> = {
  'nobody was asked': [[], [], 0],
  'an attempt is under way': [[first.started], ['started'], 0],
  'an attempt failed': [[first.started, first.failed], ['failed'], 0],
  'an explanation was given': [[first.started, first.recorded], ['completed'], 1],
  'the second attempt was answered': [
    [first.started, first.failed, second.started, second.recorded],
    ['failed', 'completed'],
    1,
  ],
  'the third attempt was answered': [
    [first.started, first.failed, second.started, second.failed, third.started, third.recorded],
    ['failed', 'failed', 'completed'],
    1,
  ],
  'two requests were answered in turn': [
    [first.started, other.started, other.recorded, first.recorded],
    ['completed', 'completed'],
    2,
  ],
  'one of two is under way': [[first.started, other.started, other.recorded], ['started', 'completed'], 1],
  'the captions were checked meanwhile': [[first.started, captions.checked, first.recorded], ['completed'], 1],
  'the approval was withdrawn afterwards': [
    [first.started, first.recorded, revocationStarted, revoked],
    ['completed'],
    1,
  ],
  'a withdrawal failed before': [
    [revocationStarted, revocationFailed, first.started, first.recorded],
    ['completed'],
    1,
  ],
};

for (const [what, [tail, states, results]] of Object.entries(ways)) {
  test(`a journal after which ${what} is followed to its end`, async (t) => {
    const { runtime } = await reopened(...goneOn(...tail));
    const answer: LanguageExplanations = JSON.parse(Buffer.concat(languageExplanationsBytes(runtime)).toString('utf8'));
    t.deepEqual(
      answer.attempts.map(({ status }) => status),
      states,
    );
    t.is(answer.results.length, results);
    t.true(answer.attempts.every(({ status, failure }) => (status === 'failed') === (failure !== null)));
  });
}

test('an answer has the same bytes however much of it was written before, and an earlier one keeps its own', async (t) => {
  const { runtime } = await reopened(
    ...goneOn(first.started, first.failed, other.started, other.recorded, second.started),
  );
  const { execution } = runtime;
  const attempts = execution?.study.tail.explanations.attempts ?? [];
  if (execution === null || attempts.length !== 3) return t.fail('there are not three attempts');
  const after = (of: typeof attempts): VerifiedRuntime => {
    const { study } = execution;
    const tail = { ...study.tail, explanations: { ...study.tail.explanations, attempts: of } };
    return { ...runtime, execution: { ...execution, study: { ...study, tail } } };
  };
  const [failed, given, open] = attempts;
  if (failed === undefined || given === undefined || open === undefined) return t.fail('an attempt is missing');
  const lists = [
    [],
    [failed],
    [failed, given],
    [failed, given, open],
    [failed],
    [given, open, failed],
    [failed, given, open],
  ];
  const answers = lists.map((list) => languageExplanationsBytes(after(list)));
  for (const [at, list] of lists.entries()) {
    // Copies were never written before.
    const anew = languageExplanationsBytes(after(list.map((each) => ({ ...each }))));
    const answer = Buffer.concat(answers[at] ?? []).toString('utf8');
    t.is(answer, Buffer.concat(anew).toString('utf8'));
    t.deepEqual(
      (JSON.parse(answer) as LanguageExplanations).attempts.map(({ jobId }) => jobId),
      list.map(({ jobId }) => jobId),
    );
  }
});

const impossible: readonly (readonly [string, Tail, number])[] = [
  ['begun twice at once', [first.started, first.started], 2],
  ['given without being begun', [first.recorded], 3],
  ['failed without being begun', [first.failed], 1],
  ['given twice', [first.started, first.recorded, first.recorded], 7],
  ['failed after it was given', [first.started, first.recorded, first.failed], 5],
  ['given after it failed', [first.started, first.failed, first.recorded], 5],
  ['begun again after it was given', [first.started, first.recorded, second.started], 5],
  ['begun while the approval is being withdrawn', [revocationStarted, first.started], 2],
  ['begun after the approval was withdrawn', [revocationStarted, revoked, first.started], 4],
  ['under way while the approval is withdrawn', [first.started, revocationStarted], 2],
  [
    'tried a fourth time',
    [first.started, first.failed, second.started, second.failed, third.started, third.failed, third.started],
    7,
  ],
];

for (const [what, tail, at] of impossible) {
  test(`an explanation cannot be ${what}`, async (t) => {
    t.is(await placeOf(...goneOn(...tail)), `journal: event ${end + at}: type`);
  });
}

test('nobody explains captions that are not there', async (t) => {
  const at = (tail: Tail) => [...study.commits, ...tail].flat().length;
  for (const tail of [[], [review.started, review.recorded], [review.started, review.recorded, captions.started]]) {
    const place = await placeOf(...goingOn(study, objects, ...tail, first.started));
    t.is(place, `journal: event ${at(tail) + 1}: type`);
  }
});

test('an attempt goes by its own number, and ends under the name under which it began', async (t) => {
  const at = (event: number, place: string) => new RegExp(`^journal: event ${end + event}: data\\.${place}`);
  const place = async (...tail: Tail) => (await placeOf(...goneOn(...tail))) ?? '';
  t.regex(await place(second.started), at(1, 'grant.attempt'));
  t.regex(await place(first.started, first.failed, first.started), at(3, 'grant.attempt'));
  t.is(await place(first.started, second.failed), `journal: event ${end + 2}: type`);
  t.is(await place(first.started, other.recorded), `journal: event ${end + 4}: type`);
});

test('what was asked has to be words of these captions, at this place', async (t) => {
  const job = explanationJob(captioning);
  const { selection, caption } = job.request;
  const asking = async (request: object) => {
    const started = explanationStarted({ ...job, request: { ...job.request, ...request } });
    return (await placeOf(...goneOn([started]))) ?? '';
  };
  const fault = `journal: event ${end + 1}: data.request.`;
  t.is(await asking({ lineId: 'nothing' }), `${fault}selection`);
  t.is(await asking({ selection: { ...selection, start: 1, end: 3 } }), `${fault}selection`);
  t.is(await asking({ selection: { ...selection, side: 'target' } }), `${fault}selection`);
  t.is(await asking({ caption: { ...caption, contentId: `sha256:${'0'.repeat(64)}` } }), `${fault}caption`);
});

test('an executor is the model that its configuration names', async (t) => {
  t.is(await placeOf(...goneOn(fourth.started)), 'explanation_configuration: model');
});

test('a failure says its cause first', (t) => {
  const failed = (reason: { code: 'timeout'; message: string }) =>
    draftEvent(
      'language.explanation_failed',
      { jobId: `language-explanation:${'0'.repeat(64)}`, reason },
      causeOf(study.run),
    );
  t.notThrows(() => failed({ code: 'timeout', message: 'timeout: too long' }));
  t.throws(() => failed({ code: 'timeout', message: 'too long' }), { name: 'ZodError' });
  t.throws(() => failed({ code: 'http_999' as 'timeout', message: 'http_999: no' }), { name: 'ZodError' });
});
