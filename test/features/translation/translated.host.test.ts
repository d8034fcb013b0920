import test, { type ExecutionContext } from 'ava';
import { mostTranslatedAtOnce } from '../../../actors/captions/captions.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { translationLimits } from '../../../contract/captions/caption-translation.ts';
import { type HostedChat, NoCompletion } from '../../../executors/model-server/hosted-chat.ts';
import { ModelFailure } from '../../../executors/model-server/hosted-provider.ts';
import { CaptionTranslations } from '../../../features/translation/caption-translations.ts';
import { translationLabels } from '../../../fixtures/translations/labels.ts';
import { gatesOver, type PresentGates } from '../../../rules/translation/plan.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { approvedStudy, checked, openCaptionBench } from '../../actors/captions/caption-bench.ts';
import { translators } from '../../actors/engines/named-engines.ts';
import { store } from '../../actors/reopening/stored-studies.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';

const korean =
  translationLabels()
    .find(({ sourceLanguage }) => sourceLanguage === 'ko')
    ?.lines.slice(0, 24) ?? [];
const english = new Map(korean.map(({ source, translation }) => [source, translation]));

/** A film of which nothing is in English: its lines are three questions together, and eleven apart. */
const tracks = [
  {
    ...{ trackIndex: 2, taggedLanguage: 'ko', code: 'ko' },
    cues: korean.map(({ source: text }, at) => ({ startMs: at * 160, endMs: at * 160 + 150, text })),
  },
];
const [together, apart] = [3, 11];

const detector = { identify: async (texts: readonly string[]) => texts.map(() => ({ isCovered: false, odds: [] })) };

/** The fate of a question, counted from 1: null for an answer. */
type Fate = (nth: number, lines: number) => ModelFailure | 'hangs' | null;

/** A model that translates correctly, unless a fate says otherwise; a host translates with it. */
function scripted(first: Fate, gates: PresentGates = gatesOver.twoAnswers) {
  const script = { fate: first, isEmpty: false, isAbsent: false };
  const asked: string[] = [];
  const chat: HostedChat = {
    async ask({ user }, signal) {
      const { lines } = JSON.parse(user) as { lines: Readonly<Record<string, string>> };
      const fate = script.fate(asked.push(user), Object.keys(lines).length);
      if (fate === 'hangs') {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }
      if (fate instanceof ModelFailure) throw fate;
      const answers = Object.entries(lines).map(([id, source]) => [
        id,
        { source, translation: script.isEmpty ? '' : (english.get(source) ?? '') },
      ]);
      const text = JSON.stringify({ lines: Object.fromEntries(answers) });
      return { text, responseId: null, model: null, inputTokens: null, outputTokens: null };
    },
  };
  const translator = (ledger: Ledger) =>
    new CaptionTranslations({
      ...{ ...translators.here, chat, detector, gates, ledger },
      isAbsent: async () => script.isAbsent,
    });
  return { script, asked, translator };
}

const translating = (t: ExecutionContext, { translator }: ReturnType<typeof scripted>) =>
  approvedStudy(t, { classification: 'subtitle_tracks_translated', translator }, { tracks });

type Approved = Awaited<ReturnType<typeof translating>>;

/** The code and the message of a refusal; the result of captions that were made. */
async function outcomeOf({ bench, runtimeId, approval }: Pick<Approved, 'bench' | 'runtimeId' | 'approval'>) {
  try {
    return (await bench.captions.produce(runtimeId, { approval })).captions[0]?.result;
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const whole = { status: 'completed', lineCount: 24, targetAvailableCount: 24 };

const busy = new ModelFailure('http_429', 'the provider refused the request');

test('bug: a server that refused in the middle used up the approval for captions of the lines before', async (t) => {
  for (const gates of [gatesOver.oneAnswer, gatesOver.twoAnswers]) {
    const failing = gates === gatesOver.oneAnswer ? together : together + apart;
    const model = scripted((nth) => (nth === failing ? busy : null), gates);
    const approved = await translating(t, model);
    const kept = failing - 1;
    t.is(
      await outcomeOf(approved),
      `caption_translation_failed: translator: http_429: the provider refused the request; ${kept} answers are kept for the next attempt`,
    );
    // The same approval goes on with the question that failed.
    t.like(await outcomeOf(approved), whole);
    t.is(model.asked.length, failing + 1);
    t.is(new Set(model.asked).size, failing);
    const failed = (await approved.bench.journal(approved.runtimeId, approved.after)).slice(0, 2);
    t.is(failed[0], 'started');
    t.regex(failed[1] ?? '', /^failed translator: http_429: /);
  }
});

test('bug: a production whose time was up lost the answers that it had paid for', async (t) => {
  const model = scripted((nth) => (nth === 3 ? 'hangs' : null));
  const approved = await translating(t, model);
  const first = outcomeOf(approved);
  while (model.asked.length < 3) await new Promise((resolve) => setImmediate(resolve));
  approved.bench.clock.advance(translationLimits.maxWallMs);
  t.is(await first, 'illegal_caption_transition: timeout: not made within 14400000 ms');
  t.like(await outcomeOf(approved), whole);
  t.is(model.asked.length, together + apart + 1);
});

test('a host that ended in the middle keeps the answers for the next one, and none behind its captions', async (t) => {
  const model = scripted((nth) => (nth === 10 ? busy : null));
  const { translator } = model;
  const approved = await translating(t, model);
  const { root, bench, runtimeId, approval } = approved;
  t.regex(String(await outcomeOf(approved)), /; 9 answers are kept for the next attempt$/);
  const rows = async (ledger: Ledger) => (await ledger.list('operation')).length;
  t.is(await rows(bench.ledger), 9);
  await bench.close();
  const next = await openCaptionBench(t, root, { classification: 'subtitle_tracks_translated', translator });
  await next.recover();
  t.like(await outcomeOf({ bench: next, runtimeId, approval }), whole);
  t.is(model.asked.length, together + apart + 1);
  t.is(await rows(next.ledger), 0);
});

test('bug: three requests while no model server ran used up every attempt under an approval', async (t) => {
  const model = scripted(() => null);
  model.script.isAbsent = true;
  const approved = await translating(t, model);
  for (let nth = 0; nth < 4; nth += 1) {
    t.is(await outcomeOf(approved), 'caption_translation_failed: translator: unreachable: no model server answers');
  }
  t.deepEqual(await approved.bench.journal(approved.runtimeId, approved.after), []);
  model.script.isAbsent = false;
  t.like(await outcomeOf(approved), whole);
});

test('answers of which no line passes the gates are not kept', async (t) => {
  const model = scripted(() => null);
  model.script.isEmpty = true;
  const approved = await translating(t, model);
  t.regex(String(await outcomeOf(approved)), /no line passed the gates: translator_missing_line/);
  t.is((await approved.bench.ledger.list('operation')).length, 0);
  model.script.isEmpty = false;
  t.like(await outcomeOf(approved), whole);
});

test('bug: a server that never sends a completion got a question for every line', async (t) => {
  const model = scripted(() => new NoCompletion('the answer is not a chat completion'));
  const approved = await translating(t, model);
  t.is(
    await outcomeOf(approved),
    'caption_translation_failed: translator: invalid_output: the answer is not a chat completion',
  );
  t.is(model.asked.length, 8);
});

test('a model whose every answer is of no use gets eight single lines, and one that fails at batches all of them', async (t) => {
  const garbage = new ModelFailure('invalid_output', 'the text of the answer is not JSON');
  const useless = scripted(() => garbage);
  t.regex(String(await outcomeOf(await translating(t, useless))), /translator: invalid_output: the text of the answer/);
  t.is(useless.asked.length, together + 8);
  const weak = scripted((nth) => (nth <= together ? garbage : null));
  t.like(await outcomeOf(await translating(t, weak)), whole);
  t.is(weak.asked.length, together + korean.length + apart);
});

test('a question that the filter of a provider refuses costs its lines alone', async (t) => {
  const filtered = new ModelFailure('http_400', 'the provider refused the request');
  const model = scripted((nth, lines) => (nth === 2 || (lines === 1 && nth === together + 1) ? filtered : null));
  const approved = await translating(t, model);
  t.like(await outcomeOf(approved), { status: 'partial', targetAvailableCount: 23, withheldCount: 1 });
  const refused = scripted(() => filtered);
  t.is(
    await outcomeOf(await translating(t, refused)),
    'caption_translation_failed: translator: http_400: the provider refused the request',
  );
  t.is(refused.asked.length, 1);
});

test('bug: any number of productions sent questions to one server at once', async (t) => {
  const model = scripted(() => 'hangs');
  const approved = await translating(t, model);
  const { bench } = approved;
  const all = [approved];
  for (let at = 0; at < mostTranslatedAtOnce; at += 1) {
    const attempt = `study-${at}`;
    const runtimeId = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks, attempt }));
    all.push({ ...approved, runtimeId, approval: await bench.approve(runtimeId) });
  }
  const headOf = (runtimeId: string) => bench.ledger.journalHead(runtimeId).seq;
  const before = new Map(all.map(({ runtimeId }) => [runtimeId, headOf(runtimeId)]));
  const outcomes = all.map(outcomeOf);
  while (model.asked.length < mostTranslatedAtOnce) await new Promise((resolve) => setImmediate(resolve));
  // Their lines are prepared in slices of time, so any of them may be the one that waits.
  const place = all.findIndex(({ runtimeId }) => headOf(runtimeId) === before.get(runtimeId));
  const waiting = all[place]?.runtimeId ?? '';
  const seq = headOf(waiting);
  // One that is refused now does not wait.
  const wrong = { ...(all[place] ?? approved).approval, receiptContentId: `sha256:${'0'.repeat(64)}` };
  t.regex(String(await outcomeOf({ bench, runtimeId: waiting, approval: wrong })), /^caption_authority_required/);
  t.is(model.asked.length, mostTranslatedAtOnce);
  t.is(headOf(waiting), seq);
  model.script.fate = () => null;
  bench.clock.advance(translationLimits.maxWallMs);
  const answers = await Promise.all(outcomes);
  t.is(answers.filter((answer) => /timeout: not made/.test(String(answer))).length, mostTranslatedAtOnce);
  t.like(answers[place], whole);
  const recorded = ['artifact.recorded', 'artifact.recorded', 'artifact.recorded'];
  t.deepEqual(await bench.journal(waiting, seq), ['started', ...recorded, 'completed', ...checked]);
});
