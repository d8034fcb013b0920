import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { facetKinds } from '../../../contract/explanations/executor.ts';
import { languageExplanations } from '../../../contract/explanations/explanation.ts';
import { mostExplanationsAtOnce } from '../../../features/explanations/language-explanations.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { held } from '../../actors/captions/caption-bench.ts';
import { newDataRoot, store } from '../../actors/reopening/stored-studies.ts';
import { quiet } from '../../actors/supervision/bench.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { type StoredTrack, twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import {
  type ExplanationBenchOptions,
  openExplanationBench,
  questionIn,
  type ScriptedExplainer,
  scriptedExplainer,
} from './explanation-bench.ts';

/** An answer to a request for explanations, as a client reads it. */
const listed = (parts: readonly Buffer[]) =>
  languageExplanations.parse(JSON.parse(Buffer.concat(parts).toString('utf8')));

interface Setting extends Partial<ExplanationBenchOptions> {
  readonly tracks?: readonly StoredTrack[];
}

/** A host with captions that can be explained. */
async function captioned(t: ExecutionContext, { tracks = twoTracks, definition }: Setting = {}) {
  const root = await newDataRoot(t);
  const explainer: ScriptedExplainer = scriptedExplainer();
  const bench = await openExplanationBench(t, root, { explainer, ...(definition === undefined ? {} : { definition }) });
  const runtimeId = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks }));
  const approval = await bench.approve(runtimeId);
  await bench.captions.produce(runtimeId, { approval });
  const request = await questionIn(bench, runtimeId);
  const { seq: after } = bench.ledger.journalHead(runtimeId);
  const ask = () => bench.explanations.explain(runtimeId, request);
  const list = async () => listed(await bench.explanations.list(runtimeId));
  return { root, bench, explainer, runtimeId, approval, request, after, ask, list };
}

const given = ['started', 'artifact.recorded', 'artifact.recorded', 'completed'];

const withdrawn = ['revocation_started', 'artifact.recorded', 'revocation_completed'];

/** Asks and then waits until the test continues. */
function atWork(explainer: ScriptedExplainer) {
  const work = held();
  const { answer } = explainer;
  explainer.answer = async (signal) => {
    await work.wait();
    return answer(signal);
  };
  return work;
}

test('the host requests an explanation after its start is on disk, and returns it once', async (t) => {
  const { bench, explainer, runtimeId, after, ask, list } = await captioned(t);
  const work = atWork(explainer);
  const asking = ask();
  await work.reached;
  t.deepEqual(await bench.said(runtimeId, after), ['started']);
  t.is((await list()).attempts[0]?.status, 'started');
  work.release();
  await asking;
  t.deepEqual(await bench.said(runtimeId, after), given);
  t.is(explainer.questions.length, 1);
  t.deepEqual(explainer.questions[0]?.kinds, ['meaning', 'word']);
  t.deepEqual(bench.reports, []);
  t.deepEqual(bench.supervisor.liveRows('language-explanation'), []);
});

test('lines with more text than a model may be shown are not explained', async (t) => {
  // Three bytes a letter, each in the script of its track.
  const letters = ['가나다', 'ạẹị'];
  const tracks = twoTracks.map((track, of) => ({
    ...track,
    // Equal texts in a row would be one caption that stays.
    cues: track.cues.map((cue, at) => ({ ...cue, text: (letters[of] ?? '').charAt(at).repeat(2700) })),
  }));
  const { explainer, bench, runtimeId, after, ask } = await captioned(t, { tracks });
  await t.throwsAsync(ask(), {
    code: 'illegal_language_explanation_transition',
    message: 'the lines around the selection hold 48600 bytes of text',
  });
  t.is(explainer.questions.length, 0);
  t.deepEqual(await bench.said(runtimeId, after), []);
});

test('a broken executor and a full disk fail the attempt, and say why to people alone', async (t) => {
  const { bench, explainer, runtimeId, after, ask } = await captioned(t);
  const { answer } = explainer;
  explainer.answer = () => Promise.reject(new TypeError('a fault of its own'));
  const message = 'not_recorded: it could not be written down';
  await t.throwsAsync(ask(), { code: 'internal_failure', message });
  explainer.answer = async (signal) => {
    bench.hook.storing = () => Promise.reject(new Error('no space'));
    return answer(signal);
  };
  await t.throwsAsync(ask(), { code: 'internal_failure', message });
  t.deepEqual(bench.reports, ['language explanation: a fault of its own', 'language explanation: no space']);
  bench.hook.storing = () => undefined;
  explainer.answer = answer;
  await ask();
  const failed = ['started', `failed ${message}`];
  t.deepEqual(await bench.said(runtimeId, after), [...failed, ...failed, ...given]);
});

test('a disk that is full before the first request leaves no attempt', async (t) => {
  const { bench, explainer, runtimeId, after, ask } = await captioned(t);
  bench.hook.storing = () => Promise.reject(new Error('no space'));
  await t.throwsAsync(ask(), { message: 'no space' });
  bench.hook.storing = () => undefined;
  t.deepEqual(await bench.said(runtimeId, after), []);
  t.is(explainer.questions.length, 0);
  await ask();
  t.deepEqual(await bench.said(runtimeId, after), given);
});

test('an actor that crashes with its answer in hand does not ask again', async (t) => {
  const { bench, explainer, runtimeId, after, ask, list } = await captioned(t, {
    definition: ({ writes }) => ({
      writes: (change) => {
        if (change.emissions.some(({ type }) => type === 'commit')) throw new Error('its entries cannot be worked out');
        return writes(change);
      },
    }),
  });
  const asking = ask();
  while (bench.reports.length === 0) await new Promise((resolve) => setImmediate(resolve));
  bench.clock.advance(100);
  const message = 'interrupted: the attempt was cut short';
  await t.throwsAsync(asking, { code: 'internal_failure', message });
  t.deepEqual(await bench.said(runtimeId, after), ['started', `failed ${message}`]);
  t.is((await list()).attempts[0]?.failure, message);
  t.is(explainer.questions.length, 1);
});

test('an attempt that an earlier process left is closed at recovery, also without an explainer', async (t) => {
  const { root, bench, explainer, runtimeId, after, ask } = await captioned(t);
  const work = atWork(explainer);
  ask().catch(() => undefined);
  await work.reached;
  await bench.close();
  const again = await openExplanationBench(t, root, { explainer: null });
  const { ended, resumed } = await again.recover();
  t.is(resumed, 0);
  t.regex(ended.join(), /^language-explanation:[a-f0-9]{64}: what was under way is not taken up again$/);
  t.deepEqual(await again.said(runtimeId, after), ['started', 'failed interrupted: the attempt was cut short']);
  const [attempt] = listed(await again.explanations.list(runtimeId)).attempts;
  t.like(attempt, { status: 'failed', attempt: 0 });
  t.is(explainer.questions.length, 1);
  work.release();
  await quiet(again);
  t.deepEqual(listed(await again.explanations.list(runtimeId)).attempts, [attempt]);
});

test('the host verifies the basis of an explanation again before each request', async (t) => {
  const { root, bench, explainer, request, ask, list } = await captioned(t);
  const hex = request.caption.contentId.slice('sha256:'.length);
  const path = join(dataRootAt(root).objects, hex.slice(0, 2), hex);
  const bytes = await readFile(path);
  bench.hook.storing = () => rm(path);
  await t.throwsAsync(ask(), {
    code: 'stored_content_inconsistent',
    message: 'damaged: what the explanation rests on does not verify',
  });
  t.is(explainer.questions.length, 0);
  await t.throwsAsync(list(), { code: 'stored_content_inconsistent' });
  bench.hook.storing = () => undefined;
  await writeFile(path, bytes, { mode: 0o600 });
  t.like((await list()).attempts[0], {
    status: 'failed',
    failure: 'damaged: what the explanation rests on does not verify',
  });
  await ask();
  t.is((await list()).results.length, 1);
});

test('bug: a host sent any number of paid questions to a model at once', async (t) => {
  const { bench, explainer, runtimeId, request, approval } = await captioned(t);
  const { answer } = explainer;
  const answers: (() => void)[] = [];
  explainer.answer = async (signal) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return answer(signal);
  };
  const reached = async (count: number) => {
    while (answers.length < count) await new Promise((resolve) => setImmediate(resolve));
    await quiet(bench);
    t.is(answers.length, count);
  };
  const about = (facetKinds: typeof request.facetKinds) =>
    bench.explanations.explain(runtimeId, { ...request, facetKinds });
  const asked = facetKinds.map((kind) => about([kind]));
  await reached(mostExplanationsAtOnce);
  const { attempts } = listed(await bench.explanations.list(runtimeId));
  t.is(attempts.length, mostExplanationsAtOnce);
  // A refusal does not wait, and a copy of a question that waits is refused in its turn.
  await t.throwsAsync(about(['meaning']), { message: 'the same explanation is under way' });
  const copy = about(facetKinds.slice(-1));
  copy.catch(() => undefined);
  await quiet(bench);
  for (const release of answers.slice(0, 2)) release();
  await t.throwsAsync(copy, { message: 'the same explanation is under way' });
  await reached(facetKinds.length);
  // Questions that wait when the captions lose their approval are never sent.
  const last = facetKinds.slice(1).map((kind) => about(['meaning', kind]));
  await reached(facetKinds.length + 1);
  await bench.revoke(runtimeId, approval);
  const ended = await Promise.allSettled([...asked, ...last]);
  t.is(ended.filter(({ status }) => status === 'fulfilled').length, 2);
  t.is(explainer.questions.length, facetKinds.length + 1);
  t.deepEqual(bench.reports, []);
});

test('a withdrawal during a request stops it, and nothing comes after it', async (t) => {
  const { bench, explainer, runtimeId, approval, after, ask, list } = await captioned(t);
  let aborted = false;
  const work = held();
  explainer.answer = async (signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    await work.wait();
    signal.throwIfAborted();
    throw new Error('it was not stopped');
  };
  const asking = ask();
  await work.reached;
  const revoking = bench.revoke(runtimeId, approval);
  const message = 'revoked: the approval of the captions was withdrawn';
  await t.throwsAsync(asking, { code: 'language_explanation_caption_authority_required', message });
  await revoking;
  t.true(aborted);
  work.release();
  await quiet(bench);
  t.deepEqual(await bench.said(runtimeId, after), ['started', `failed ${message}`, ...withdrawn]);
  t.deepEqual((await list()).results, []);
  await t.throwsAsync(ask(), { code: 'language_explanation_caption_authority_required' });
  t.deepEqual(bench.reports, []);
});

test('an answer whose commit is on its way is on disk before the withdrawal is', async (t) => {
  const { bench, explainer, runtimeId, approval, after, ask, list } = await captioned(t);
  const { ledger } = bench;
  const work = atWork(explainer);
  const asking = ask();
  await work.reached;
  const before = ledger.commits.length;
  ledger.shut();
  work.release();
  while (ledger.commits.length === before) await new Promise((resolve) => setImmediate(resolve));
  const revoking = bench.revoke(runtimeId, approval);
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
  t.is(ledger.commits.length, before + 1);
  ledger.open();
  await Promise.all([asking, revoking]);
  t.deepEqual(await bench.said(runtimeId, after), [...given, ...withdrawn]);
  t.is((await list()).results.length, 1);
});

test('concurrent questions and withdrawals leave a runtime that reopens, in any order', async (t) => {
  for (const isRevokedFirst of [true, false]) {
    const { bench, runtimeId, approval, after, ask, list } = await captioned(t);
    const revoke = () => bench.revoke(runtimeId, approval);
    const order = isRevokedFirst ? [revoke, ask, ask] : [ask, revoke, ask];
    await Promise.allSettled(order.map((run) => run()));
    const said = await bench.said(runtimeId, after);
    t.is(said.filter((word) => word === 'revocation_completed').length, 1);
    t.is(said.filter((word) => word === 'started').length, isRevokedFirst ? 0 : 1);
    t.is((await list()).results.length, said.includes('completed') ? 1 : 0);
  }
});
