import test from 'ava';
import type { LineTranslator } from '../../../actors/engines/engine-choices.ts';
import { EngineRefusal } from '../../../features/engines/engine-refusal.ts';
import { translatorTested, translatorTestLines } from '../../../features/engines/translator-test.ts';

const { signal } = new AbortController();

/** A translator of this function, which takes so many ms for each line. */
function translatorOf(
  translate: (line: string, at: number, all: readonly string[]) => string | null,
  more: Partial<LineTranslator> & { readonly msPerLine?: number; readonly tokens?: number } = {},
) {
  const { msPerLine = 100, tokens = null } = more;
  let ms = 0;
  const asked: number[] = [];
  const translator: LineTranslator = {
    from: 'es',
    to: 'pt',
    asksPerLine: 1,
    translate: async (lines) => {
      ms += lines.length * msPerLine;
      asked.push(lines.length);
      return {
        translations: lines.map(translate),
        outputTokens: tokens === null ? null : tokens * lines.length,
        isSchemaKept: tokens === null ? null : true,
        isThinking: tokens === null ? null : false,
      };
    },
    close: async () => undefined,
    ...more,
  };
  return { translator, now: () => ms, asked };
}

test('a translator is asked for one line, then for eight, and its speed is that of a film', async (t) => {
  const { translator, now, asked } = translatorOf((line) => `Pt: ${line}`);
  const result = await translatorTested(translator, now, signal);
  t.deepEqual(asked, [1, 8]);
  t.like(result, { lines: 9, answered: 9, unchanged: 0, numbersKept: 9, isSchemaKept: null, tokensPerSecond: null });
  t.deepEqual(translatorTestLines(result), [
    'es to pt: 9 of 9 lines translated, such as "Pt: El tren sale a las 7."; numbers kept in 9',
    'first line after 0.1 s; 88 lines take about 9 seconds',
  ]);
});

test('a model is tried with its tokens, the form of its answers and each line twice', async (t) => {
  const { translator, now } = translatorOf((line) => `Pt: ${line}`, { asksPerLine: 2, msPerLine: 2000, tokens: 40 });
  const lines = translatorTestLines(await translatorTested(translator, now, signal));
  t.deepEqual(lines.slice(1), [
    'form of answers kept: yes; thinks before it answers: no',
    'speed: 20.0 tokens a second',
    'first line after 2.0 s; 88 lines take about 6 minutes',
  ]);
});

test('what cannot work is refused with its reason', async (t) => {
  const refusal = async (...given: Parameters<typeof translatorOf>) => {
    const { translator, now } = translatorOf(...given);
    const error = await t.throwsAsync(translatorTested(translator, now, signal), { instanceOf: EngineRefusal });
    return (error as EngineRefusal).message;
  };
  t.is(await refusal(() => null), 'nothing_translated: it answered 0 of 9 lines from es to pt');
  t.is(
    await refusal((_, at) => (at === 0 ? 'Sim 7' : ' ')),
    'nothing_translated: it answered 2 of 9 lines from es to pt',
  );
  t.regex(await refusal((line) => line), /^not_translated: it gave every line back as it was, such as "El tren/);
  t.regex(
    await refusal((line, at, all) => (all.length === 1 ? `x ${line}` : `x ${all[(at + 1) % all.length]}`)),
    /^lines_exchanged: only 1 of 9 translations have the number of their line/,
  );
  const failing = { translate: () => Promise.reject(new Error('http_404: no such model')) };
  t.is(await refusal(() => '', failing), 'engine_failed: http_404: no such model');
});

test('a language without lines of its own is tried with English ones', async (t) => {
  const { translator, now } = translatorOf((line) => `is: ${line}`, { from: 'is-IS', to: 'sv' });
  t.is((await translatorTested(translator, now, signal)).text, 'is: The train leaves at 7.');
});
