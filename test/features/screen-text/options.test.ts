import test from 'ava';
import { screenTextFlags, screenTextNotice, screenTextOf } from '../../../features/screen-text/options.ts';
import { parseFlags } from '../../../options/flags.ts';

const chosen = (...flags: string[]) => screenTextOf(parseFlags(flags, screenTextFlags));

test('the screen is not read unless a host is started for it', (t) => {
  t.is(chosen(), null);
  t.is(chosen('--screen-text', 'unavailable'), null);
  const usual = chosen('--screen-text', 'tesseract');
  t.deepEqual(usual, { engine: 'tesseract', languages: ['eng', 'kor'] });
  t.is(usual && screenTextNotice(usual), 'text on the screen: tesseract with eng, kor, on this machine');
  const other = chosen('--screen-text', 'tesseract', '--screen-text-languages', 'deu+chi_sim');
  t.deepEqual(other?.languages, ['deu', 'chi_sim']);
});

test('flags that do not agree, and languages that are none, are refused with their code', (t) => {
  const refusals = [
    [['--screen-text-languages', 'eng'], 'executor_not_allowed'],
    [['--screen-text', 'other'], 'invalid_flags'],
    ...['', 'eng,kor', 'eng+eng', '../eng', 'ENG', Array.from('abcdefghi', (sign) => `aa${sign}`).join('+')].map(
      (codes) => [['--screen-text', 'tesseract', '--screen-text-languages', codes], 'invalid_flags'] as const,
    ),
  ] as const;
  for (const [flags, code] of refusals) t.throws(() => chosen(...flags), { code }, flags.join(' '));
});
