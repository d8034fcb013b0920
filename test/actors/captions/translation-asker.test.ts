import test from 'ava';
import { TranslationAsker } from '../../../actors/captions/translation-asker.ts';
import type { HostedChat } from '../../../executors/model-server/hosted-chat.ts';
import { ModelFailure } from '../../../executors/model-server/hosted-provider.ts';
import { ModelNotReady } from '../../../executors/model-server/streamed-chat.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { plannedAsks, verdictsOf } from '../../../rules/translation/plan.ts';

const german = new Map([
  ['Who opened the old window?', 'Wer hat das alte Fenster geöffnet?'],
  ['My sister needs some fresh air.', 'Meine Schwester braucht etwas frische Luft.'],
  ['Please bring her a glass of water.', 'Bitte bringen Sie ihr ein Glas Wasser.'],
]);

const lines = [...german.keys()].map((text, at) => ({ id: `line-${at}`, text }));

const wanted = { lines, sourceLanguage: 'en', targetLanguage: 'de' };

const detector = { identify: async (texts: readonly string[]) => texts.map(() => ({ isCovered: false, odds: [] })) };

/** Translates correctly, and returns the lines around those of each question. */
function model() {
  const around: number[] = [];
  const chat: HostedChat = {
    async ask({ user }) {
      const {
        lines: asked,
        before,
        after,
      } = JSON.parse(user) as {
        lines: Readonly<Record<string, string>>;
        before: readonly string[];
        after: readonly string[];
      };
      around.push(before.length + after.length);
      const answers = Object.entries(asked).map(([id, source]) => [
        id,
        { source, translation: german.get(source) ?? '' },
      ]);
      const text = JSON.stringify({ lines: Object.fromEntries(answers) });
      return { text, responseId: null, model: null, inputTokens: null, outputTokens: null };
    },
  };
  return { chat, around };
}

test('a model answers twice for each line, or once, and the record names the gates', async (t) => {
  for (const [gates, questions] of [
    [7, 4],
    [6, 1],
  ] as const) {
    const { chat, around } = model();
    const asker = new TranslationAsker({ chat, detector, gates });
    const answered = await asker.answers(wanted, new AbortController().signal);
    t.is(answered.gates, gates);
    t.is(answered.asks.length, questions);
    t.true(around.every((count) => count === 0));
    const verdicts = [...resultOfSteps(verdictsOf({ ...wanted, ...answered })).values()];
    t.deepEqual(
      verdicts,
      [...german.values()].map((text) => ({ text })),
    );
  }
});

/** A film of many unlike lines, and a model whose answers are late for more lines than it can do in time. */
function slowModel(most: number) {
  const words = ['door', 'river', 'garden', 'letter', 'winter', 'kitchen', 'doctor', 'bridge', 'morning', 'village'];
  const german = ['Tür', 'Fluss', 'Garten', 'Brief', 'Winter', 'Küche', 'Arzt', 'Brücke', 'Morgen', 'Dorf'];
  const film = words.map((word, at) => ({ id: `line-${at}`, text: `Tell me about the ${word} over there.` }));
  const sizes: number[] = [];
  const chat: HostedChat = {
    async ask({ user }) {
      const { lines: asked } = JSON.parse(user) as { lines: Readonly<Record<string, string>> };
      sizes.push(Object.keys(asked).length);
      if (Object.keys(asked).length > most) throw new ModelFailure('timeout', 'no answer within 180000 ms');
      const answers = Object.entries(asked).map(([id, source]) => {
        const at = film.findIndex((line) => line.id === id);
        return [id, { source, translation: `Erzähl mir etwas über ${german[at]} dort drüben.` }];
      });
      const text = JSON.stringify({ lines: Object.fromEntries(answers) });
      return { text, responseId: null, model: null, inputTokens: null, outputTokens: null };
    },
  };
  return { film, chat, sizes };
}

test('bug: a late answer ended the attempt; the lines are halved within it, and later questions stay small', async (t) => {
  const { film, chat, sizes } = slowModel(2);
  const slow = { lines: film, sourceLanguage: 'en', targetLanguage: 'de' };
  const asker = new TranslationAsker({ chat, detector, gates: 6 });
  const answered = await asker.answers(slow, new AbortController().signal);
  t.deepEqual(sizes, [8, 4, 2, 2, 2, 2, 2]);
  t.deepEqual(
    answered.asks.map(({ failure }) => failure !== null),
    [true, true, false, false, false, false, false],
  );
  const verdicts = resultOfSteps(verdictsOf({ ...slow, ...answered }));
  t.true([...verdicts.values()].every((verdict) => 'text' in verdict));
  // The same questions follow from the record alone.
  const planned = resultOfSteps(plannedAsks({ ...slow, ...answered }));
  t.deepEqual(
    planned.map(({ members }) => members.map(({ id }) => id)),
    answered.asks.map(({ lineIds }) => lineIds),
  );
});

test('a server that is late for two single lines in a row ends the attempt, and so does a model that never loads', async (t) => {
  const { film, chat, sizes } = slowModel(0);
  const slow = { lines: film, sourceLanguage: 'en', targetLanguage: 'de' };
  const signal = new AbortController().signal;
  const late = new TranslationAsker({ chat, detector, gates: 6 }).answers(slow, signal);
  t.is((await t.throwsAsync(late)).message, 'translator: timeout: no answer within 180000 ms');
  t.deepEqual(sizes, [8, 4, 2, 1, 1]);
  const never: HostedChat = {
    ask: async () => {
      throw new ModelNotReady(600_000);
    },
  };
  const absent = new TranslationAsker({ chat: never, detector, gates: 6 }).answers(slow, signal);
  t.is((await t.throwsAsync(absent)).message, 'translator: timeout: the model was not ready within 600000 ms');
});
