import test from 'ava';
import {
  announcedExplainer,
  explainerModel,
  explainerNotice,
  explainerOf,
  explanationFlags,
} from '../../../features/explanations/options.ts';
import { type StartCode, StartError } from '../../../options/failures.ts';
import { parseFlags } from '../../../options/flags.ts';

/** How a start is refused: its exit code, its code and its message. */
const complaint = (start: () => unknown): string => {
  try {
    start();
    return 'started';
  } catch (error) {
    if (error instanceof StartError) return `${error.exitCode} ${error.code}: ${error.message}`;
    throw error;
  }
};

const modelOf = (flags: readonly string[]) => explainerModel(parseFlags(flags, explanationFlags));

const codeOf = (flags: readonly string[]): string => complaint(() => modelOf(flags));

const executor = '--language-explanation-executor=openai';
const explainPermission = '--allow-real-language-explanation';
const model = '--language-explanation-model=org/small:1b';
const key = 'sk-secret-of-the-test';

test('no model explains unless all three flags allow it', (t) => {
  t.is(modelOf([]), null);
  t.is(modelOf(['--language-explanation-executor', 'unavailable']), null);
  t.is(modelOf([executor, explainPermission, model]), 'org/small:1b');
  const refused: readonly [readonly string[], StartCode, string][] = [
    [[executor], 'executor_not_allowed', 'allow-real-language-explanation'],
    [[executor, model], 'executor_not_allowed', 'allow-real-language-explanation'],
    [[executor, explainPermission], 'executor_not_allowed', 'language-explanation-model'],
    [[explainPermission], 'executor_not_allowed', 'language-explanation-executor openai'],
    [[model], 'executor_not_allowed', 'language-explanation-executor openai'],
    [[explainPermission, model], 'executor_not_allowed', 'language-explanation-executor openai'],
    [
      ['--language-explanation-executor=other', explainPermission, model],
      'invalid_flags',
      'one of unavailable, openai',
    ],
    [
      [executor, explainPermission, '--language-explanation-model=two\nlines'],
      'invalid_flags',
      'not the name of a model',
    ],
    [[executor, explainPermission, `--language-explanation-model=${'m'.repeat(201)}`], 'invalid_flags', 'not the name'],
    [[executor, explainPermission, explainPermission, model], 'invalid_flags', 'may be given once'],
    [[executor, `${explainPermission}=yes`, model], 'invalid_flags', 'takes no value'],
  ];
  for (const [flags, code, words] of refused) {
    const said = codeOf(flags);
    t.true(said.startsWith(`2 ${code}: `) && said.includes(words), `${flags.join(' ')}: ${said}`);
  }
});

test('the provider comes from the environment, and a start without one is refused', (t) => {
  t.is(explainerOf(null, {}), null);
  const local = explainerOf('m', { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' });
  t.deepEqual(local, {
    model: 'm',
    provider: { baseUrl: 'http://127.0.0.1:11434/v1', apiKey: null, isLocal: true },
  });
  const said = complaint(() => explainerOf('m', {}));
  t.true(said.startsWith('2 invalid_explanation_provider: OPENAI_API_KEY'), said);
  const leaky = complaint(() =>
    explainerOf('m', { OPENAI_BASE_URL: `https://me:${key}@a.example`, OPENAI_API_KEY: key }),
  );
  t.true(leaky.startsWith('2 invalid_explanation_provider: ') && !leaky.includes(key), leaky);
});

test('stdout names the explainer and stderr the destination of text, without the key', (t) => {
  t.is(announcedExplainer(null), 'unavailable-no-fixture-fallback');
  t.is(announcedExplainer('org/small:1b'), 'current-run-openai-opt-in:org/small:1b');
  const notice = (isLocal: boolean, baseUrl: string) =>
    explainerNotice({ model: 'm', provider: { baseUrl, apiKey: key, isLocal } });
  t.regex(
    notice(false, 'https://a.example/v1'),
    /asked of m at https:\/\/a\.example\/v1, outside this machine: .*cost money/,
  );
  t.regex(notice(true, 'http://127.0.0.1:1/v1'), /asked of m at http:\/\/127\.0\.0\.1:1\/v1, a server on this machine/);
  t.false(notice(false, 'https://a.example/v1').includes(key));
});
