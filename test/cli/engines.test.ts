import test from 'ava';
import { announcedExplainer, explainerNotice, explainerOf } from '../../cli/options/engines.ts';
import { serveOptions } from '../../cli/options/serve-options.ts';
import type { StartCode } from '../../options/failures.ts';
import { choices, embedded, seam } from './caption-choices.ts';
import { complaintOf } from './configured-host.ts';

test('each executor of captions is chosen by its name and its permission', (t) => {
  for (const [flags, classification, announced] of choices) {
    t.like(serveOptions(flags).captionExecutor, { classification, announced });
  }
  const split = ['--allow-embedded-subtitle-captions', '--caption-executor=embedded-subtitles'];
  t.is(serveOptions(split).captionExecutor.classification, 'embedded_subtitle_tracks');
});

const codeOf = (flags: readonly string[]): string => complaintOf(() => serveOptions(flags));

test('an executor of captions needs its own permission, and the message names it', (t) => {
  const [seamPermission = '', embeddedPermission = ''] = [seam[2], embedded[2]];
  for (const [name, permission, other] of [
    ['deterministic-test', seamPermission, embeddedPermission],
    ['embedded-subtitles', embeddedPermission, seamPermission],
  ] as const) {
    for (const flags of [[`--caption-executor=${name}`], [`--caption-executor=${name}`, other]]) {
      const said = codeOf(flags);
      t.true(said.startsWith('2 executor_not_allowed: '), said);
      t.true(said.endsWith(`--caption-executor ${name} needs ${permission}`), said);
    }
    t.is(codeOf([`--caption-executor=${name}`, permission]), 'started');
  }
});

test('leave for an executor of captions that was not chosen is refused, and says whose it is', (t) => {
  const [seamPermission = '', embeddedPermission = ''] = [seam[2], embedded[2]];
  for (const [flags, permission, name] of [
    [[], seamPermission, 'deterministic-test'],
    [[], embeddedPermission, 'embedded-subtitles or grouped-subtitles'],
    [seam, embeddedPermission, 'embedded-subtitles or grouped-subtitles'],
    [embedded, seamPermission, 'deterministic-test'],
  ] as const) {
    const said = codeOf([...flags, permission]);
    t.true(said.startsWith('2 executor_not_allowed: '), said);
    t.true(said.endsWith(`${permission} needs --caption-executor ${name}`), said);
  }
});

test('an unknown executor of captions is refused, whatever was allowed', (t) => {
  for (const name of ['openai', '', 'Recorded', 'embedded', 'toString', '__proto__', 'constructor']) {
    const said = codeOf([`--caption-executor=${name}`, ...seam.slice(2), ...embedded.slice(2)]);
    t.true(said.startsWith('2 invalid_flags: '), `${name}: ${said}`);
  }
  t.regex(codeOf(['--caption-executor=openai']), /one of recorded, deterministic-test, embedded-subtitles/);
  t.regex(codeOf(['--caption-executor']), /^2 invalid_flags/);
  t.regex(codeOf([...seam, '--caption-executor=recorded']), /^2 invalid_flags/);
});

const executor = '--language-explanation-executor=openai';
const explainPermission = '--allow-real-language-explanation';
const model = '--language-explanation-model=org/small:1b';
const key = 'sk-secret-of-the-test';

test('no model explains unless all three flags allow it', (t) => {
  t.is(serveOptions([]).explainerModel, null);
  t.is(serveOptions(['--language-explanation-executor', 'unavailable']).explainerModel, null);
  t.is(serveOptions([executor, explainPermission, model]).explainerModel, 'org/small:1b');
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
      [executor, explainPermission, '--language-explanation-model=two words'],
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
  const said = complaintOf(() => explainerOf('m', {}));
  t.true(said.startsWith('2 invalid_explanation_provider: OPENAI_API_KEY'), said);
  const leaky = complaintOf(() =>
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
