import test from 'ava';
import { requestedLanguage } from '../../cli/commands/study.ts';
import { checkLanguage, meantLanguage } from '../../cli/terminal/language-tag.ts';
import { HostError } from '../../client/host-error.ts';
import type { StudyRequest } from '../../client/studies.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import type { PlanWarningList } from '../../contract/study/start.ts';

/** A command at a host that knows these languages of a source, and what the command said. */
function commandAt(found: readonly string[], basis = 'detected') {
  const said: string[] = [];
  const warnings = async (_source: unknown, { range }: StudyRequest): Promise<PlanWarningList> => {
    if (range !== undefined && range.endMs - range.startMs > 600_000) {
      throw new HostError({ status: 413, code: 'study_range_too_large', message: 'long', retryAfterSeconds: null });
    }
    const differs = { code: 'declared_language_differs', text: 'x', declared: ['zxx'], found, basis };
    return { warnings: found.length === 0 ? [] : [differs] } as unknown as PlanWarningList;
  };
  const call = { host: { warnings }, terminal: { remark: (text: string) => void said.push(text) } };
  const ask = (tag?: string) =>
    requestedLanguage(
      call,
      {} as SourceSessionRow,
      { targetLanguage: 'en' },
      { range: { startMs: 0, endMs: 3_600_000 }, tag },
    );
  return { said, ask };
}

const declared = (tag: string) => ({ mode: 'declared', languages: [tag], reason: null });
const automatic = { mode: 'automatic', languages: [], reason: null };

test('bug: the spoken language that was identified was not used, and captions were refused for want of it', async (t) => {
  const { said, ask } = commandAt(['kor']);
  t.deepEqual(await ask(), declared('ko'));
  t.deepEqual(said, ['spoken language: ko, as it was identified in the sound; --language TAG names another']);
});

test('a language that the person names is requested, without any message', async (t) => {
  const { said, ask } = commandAt(['ko']);
  t.deepEqual(await ask('de'), declared('de'));
  t.deepEqual(said, []);
});

test('of several languages none is chosen, and the flag that chooses is named', async (t) => {
  const { said, ask } = commandAt(['eng', 'deu'], 'container');
  t.deepEqual(await ask(), automatic);
  t.deepEqual(said, ['spoken languages: en, de, as the file states; captions need one: --language TAG names it']);
  const unknown = commandAt([]);
  t.deepEqual(await unknown.ask(), automatic);
  t.deepEqual(unknown.said, []);
});

test('bug: the name of a language was refused, and its tag was not named', (t) => {
  t.throws(() => checkLanguage('German', '--language'), {
    message: '--language: German is not a language tag, did you mean de (German)?',
  });
  t.is(meantLanguage('Deutsch'), 'de');
  t.is(meantLanguage('한국어'), 'ko');
  t.is(meantLanguage('한국어'.normalize('NFD')), 'ko');
  t.is(meantLanguage('Portugese'), 'pt');
});

test('the code of a country is answered with its language', (t) => {
  t.is(meantLanguage('jp'), 'ja');
  t.is(meantLanguage('cz'), 'cs');
  t.throws(() => checkLanguage('xyzzyqq', '--language'), { message: /give one such as ko, en or pt-BR$/ });
});

test('a tag of a language passes', (t) => {
  for (const tag of ['de', 'pt-BR', 'yue', 'zh-Hant']) t.notThrows(() => checkLanguage(tag, '--language'));
});
