import test from 'ava';
import type { LanguageExplanationList } from '../../../contract/explanations/explanation.ts';
import { explanationStarted } from '../../../receipts/explanations/explanation.ts';
import type { VerifiedRuntime } from '../../../receipts/fold.ts';
import { draftEvent } from '../../../receipts/journal.ts';
import { languageExplanationsBytes } from '../../../receipts/published/explanations.ts';
import { causeOf } from '../../../receipts/study-run.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { fieldOf } from '../../fields.ts';
import { captionedClip, embeddedJob, goingOn, type Tail, tailIn } from '../captions/captioned-studies.ts';
import { placeOf, reopened } from '../reopening/reopened.ts';
import { type Asked, explanationJob, explanationSteps } from './explained-captions.ts';

const { study, captioned, review, steps: captions, made, objects: captionObjects } = await captionedClip();
const captioning = { study: captioned, ...embeddedJob };
const stepsOf = (asked: Asked = {}) => explanationSteps(explanationJob(captioning, asked));
const asked: Readonly<Record<string, ReturnType<typeof stepsOf>>> = {
  '0': stepsOf(),
  '1': stepsOf({ attempt: 1 }),
  '2': stepsOf({ attempt: 2 }),
  Model: stepsOf({ executor: { model: 'other' } }),
  Other: stepsOf({ line: 2, side: 'target', start: 1, end: 5, facetKinds: ['word', 'meaning'] }),
};
const objects = [
  ...captionObjects,
  ...Object.entries(asked).flatMap(([name, { settings, objects }]) => [
    ...(name === '0' ? settings : []),
    ...(name === 'Model' ? [] : objects),
  ]),
];
const end = [...study.commits, ...made].flat().length;

/** Possible next events of a journal; a number is that of the attempt. */
const entries: Readonly<Record<string, readonly EventDraft[]>> = {
  reviewing: review.started,
  approved: review.recorded,
  producing: captions.started,
  checked: captions.checked,
  withdrawing: review.revocationStarted,
  kept: review.revocationFailed,
  withdrawn: review.revoked,
  ...Object.fromEntries(
    Object.entries(asked).flatMap(([name, { started, failed, recorded }]) => [
      [`begun${name}`, started],
      [`failed${name}`, failed],
      [`given${name}`, recorded],
    ]),
  ),
};

const tailOf = (names: string): Tail => tailIn(entries, names);
const goneOn = (names: string) => goingOn(study, objects, ...made, ...tailOf(names));

const ways: Readonly<Record<string, readonly [string, readonly string[], number]>> = {
  'nobody was asked': ['', [], 0],
  'an attempt is under way': ['begun0', ['started'], 0],
  'an attempt failed': ['begun0 failed0', ['failed'], 0],
  'an explanation was given': ['begun0 given0', ['completed'], 1],
  'the second attempt was answered': ['begun0 failed0 begun1 given1', ['failed', 'completed'], 1],
  'the third attempt was answered': [
    'begun0 failed0 begun1 failed1 begun2 given2',
    ['failed', 'failed', 'completed'],
    1,
  ],
  'two requests were answered in turn': ['begun0 begunOther givenOther given0', ['completed', 'completed'], 2],
  'one of two is under way': ['begun0 begunOther givenOther', ['started', 'completed'], 1],
  'the captions were checked meanwhile': ['begun0 checked given0', ['completed'], 1],
  'the approval was withdrawn afterwards': ['begun0 given0 withdrawing withdrawn', ['completed'], 1],
  'a withdrawal failed before': ['withdrawing kept begun0 given0', ['completed'], 1],
};

for (const [what, [tail, states, results]] of Object.entries(ways)) {
  test(`a fold follows that ${what}`, async (t) => {
    const { runtime } = await reopened(...goneOn(tail));
    const answer: LanguageExplanationList = JSON.parse(
      Buffer.concat(languageExplanationsBytes(runtime)).toString('utf8'),
    );
    t.deepEqual(fieldOf(answer.attempts, 'status'), states);
    t.is(answer.results.length, results);
    t.true(answer.attempts.every(({ status, failure }) => (status === 'failed') === (failure !== null)));
  });
}

test('an answer has the same bytes however much was written before; earlier ones keep theirs', async (t) => {
  const { runtime } = await reopened(...goneOn('begun0 failed0 begunOther givenOther begun1'));
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
    t.deepEqual(fieldOf((JSON.parse(answer) as LanguageExplanationList).attempts, 'jobId'), fieldOf(list, 'jobId'));
  }
});

const impossible: readonly (readonly [string, string, number])[] = [
  ['begun twice at once', 'begun0 begun0', 2],
  ['given without being begun', 'given0', 3],
  ['failed without being begun', 'failed0', 1],
  ['given twice', 'begun0 given0 given0', 7],
  ['failed after it was given', 'begun0 given0 failed0', 5],
  ['given after it failed', 'begun0 failed0 given0', 5],
  ['begun again after it was given', 'begun0 given0 begun1', 5],
  ['begun while the approval is being withdrawn', 'withdrawing begun0', 2],
  ['begun after the approval was withdrawn', 'withdrawing withdrawn begun0', 4],
  ['under way while the approval is withdrawn', 'begun0 withdrawing', 2],
  ['tried a fourth time', 'begun0 failed0 begun1 failed1 begun2 failed2 begun2', 7],
];

for (const [what, tail, at] of impossible) {
  test(`an explanation cannot be ${what}`, async (t) => {
    t.is(await placeOf(...goneOn(tail)), `journal: event ${end + at}: type`);
  });
}

test('missing captions cannot be explained', async (t) => {
  for (const names of ['', 'reviewing approved', 'reviewing approved producing']) {
    const before = [...study.commits, ...tailOf(names)].flat().length;
    const place = await placeOf(...goingOn(study, objects, ...tailOf(`${names} begun0`)));
    t.is(place, `journal: event ${before + 1}: type`);
  }
});

test('an attempt goes by its own number, and ends under the name under which it began', async (t) => {
  const at = (event: number, place: string) => new RegExp(`^journal: event ${end + event}: data\\.${place}`);
  const place = async (names: string) => (await placeOf(...goneOn(names))) ?? '';
  t.regex(await place('begun1'), at(1, 'grant.attempt'));
  t.regex(await place('begun0 failed0 begun0'), at(3, 'grant.attempt'));
  t.is(await place('begun0 failed1'), `journal: event ${end + 2}: type`);
  t.is(await place('begun0 givenOther'), `journal: event ${end + 4}: type`);
});

test('the selected words must be words of these captions, at this place', async (t) => {
  const job = explanationJob(captioning);
  const { selection, caption } = job.request;
  const asking = async (request: object) => {
    const started = explanationStarted({ ...job, request: { ...job.request, ...request } });
    return (await placeOf(...goingOn(study, objects, ...made, [started]))) ?? '';
  };
  const fault = `journal: event ${end + 1}: data.request.`;
  t.is(await asking({ lineId: 'nothing' }), `${fault}selection`);
  t.is(await asking({ selection: { ...selection, start: 1, end: 3 } }), `${fault}selection`);
  t.is(await asking({ selection: { ...selection, side: 'target' } }), `${fault}selection`);
  t.is(await asking({ caption: { ...caption, contentId: `sha256:${'0'.repeat(64)}` } }), `${fault}caption`);
});

test('an executor is the model that its configuration names', async (t) => {
  t.is(await placeOf(...goneOn('begunModel')), 'explanation_configuration: model');
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
