import test from 'ava';
import { announcedExplainer, explainerNotice, explainerOf } from '../../cli/options/language-explainer.ts';
import { serveOptions } from '../../cli/options/serve-options.ts';
import type { StartCode } from '../../cli/options/start-codes.ts';
import { StartError } from '../../cli/options/start-error.ts';

const executor = '--language-explanation-executor=openai';
const permission = '--allow-real-language-explanation';
const model = '--language-explanation-model=org/small:1b';
const key = 'sk-secret-of-the-test';

const complaint = (run: () => unknown): string => {
  try {
    run();
    return '';
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return `${error.code} ${error.exitCode}: ${error.message}`;
  }
};

test('nobody explains unless all three flags say so', (t) => {
  t.is(serveOptions([]).explainerModel, null);
  t.is(serveOptions(['--language-explanation-executor', 'unavailable']).explainerModel, null);
  t.is(serveOptions([executor, permission, model]).explainerModel, 'org/small:1b');
  const refused: readonly [readonly string[], StartCode, string][] = [
    [[executor], 'executor_not_allowed', 'allow-real-language-explanation'],
    [[executor, model], 'executor_not_allowed', 'allow-real-language-explanation'],
    [[executor, permission], 'executor_not_allowed', 'language-explanation-model'],
    [[permission], 'executor_not_allowed', 'language-explanation-executor openai'],
    [[model], 'executor_not_allowed', 'language-explanation-executor openai'],
    [[permission, model], 'executor_not_allowed', 'language-explanation-executor openai'],
    [['--language-explanation-executor=other', permission, model], 'invalid_flags', 'one of unavailable, openai'],
    [[executor, permission, '--language-explanation-model=two words'], 'invalid_flags', 'not the name of a model'],
    [[executor, permission, `--language-explanation-model=${'m'.repeat(201)}`], 'invalid_flags', 'not the name'],
    [[executor, permission, permission, model], 'invalid_flags', 'may be given once'],
    [[executor, `${permission}=yes`, model], 'invalid_flags', 'takes no value'],
  ];
  for (const [flags, code, words] of refused) {
    const said = complaint(() => serveOptions(flags));
    t.true(said.startsWith(`${code} 2: `) && said.includes(words), `${flags.join(' ')}: ${said}`);
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
  t.true(said.startsWith('invalid_explanation_provider 2: OPENAI_API_KEY'), said);
  const leaky = complaint(() =>
    explainerOf('m', { OPENAI_BASE_URL: `https://me:${key}@a.example`, OPENAI_API_KEY: key }),
  );
  t.true(leaky.startsWith('invalid_explanation_provider 2: ') && !leaky.includes(key), leaky);
});

test('whoever explains is named on stdout, and where caption text goes on stderr, without the key', (t) => {
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
