import test from 'ava';
import { checkLanguage, meantLanguage } from '../../cli/terminal/language-tag.ts';

test('bug: the name of a language was refused, and its tag was not named', (t) => {
  t.throws(() => checkLanguage('German', '--language'), {
    message: '--language: German is no tag of a language, did you mean de (German)?',
  });
  t.is(meantLanguage('Deutsch'), 'de');
  t.is(meantLanguage('한국어'), 'ko');
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
