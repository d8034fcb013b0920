import test from 'ava';
import { TranslationAsker } from '../../../actors/captions/translation-asks.ts';
import type { HostedChat } from '../../../executors/explanations/hosted-chat.ts';
import { verdictsOf } from '../../../receipts/captions/translation-plan.ts';

const german = new Map([
  ['Who opened the old window?', 'Wer hat das alte Fenster geöffnet?'],
  ['My sister needs some fresh air.', 'Meine Schwester braucht etwas frische Luft.'],
  ['Please bring her a glass of water.', 'Bitte bringen Sie ihr ein Glas Wasser.'],
]);
const lines = [...german.keys()].map((text, at) => ({ id: `line-${at}`, text }));
const wanted = { lines, sourceLanguage: 'en', targetLanguage: 'de' };
const detector = { identify: async (texts: readonly string[]) => texts.map(() => ({ isCovered: false, odds: [] })) };

/** Translates rightly, and says what stood around the lines of each question. */
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

test('a model is asked twice for each line, or once, and the record says by which gates it is judged', async (t) => {
  for (const [gates, questions] of [
    [5, 4],
    [4, 1],
  ] as const) {
    const { chat, around } = model();
    const asker = new TranslationAsker({ chat, detector, gates });
    const answered = await asker.answers(wanted, new AbortController().signal);
    t.is(answered.gates, gates);
    t.is(answered.asks.length, questions);
    t.true(around.every((count) => count === 0));
    const verdicts = [...verdictsOf({ ...wanted, ...answered }).values()];
    t.deepEqual(
      verdicts,
      [...german.values()].map((text) => ({ text })),
    );
  }
});
