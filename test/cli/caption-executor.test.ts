import { join } from 'node:path';
import test from 'ava';
import { translatorOf } from '../../cli/options/caption-executor.ts';
import { serveOptions } from '../../cli/options/serve-options.ts';
import { StartError } from '../../cli/options/start-error.ts';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const seam = ['--caption-executor', 'deterministic-test', '--allow-deterministic-caption-test-seam'];
const embedded = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];

const grouped = ['--caption-executor', 'grouped-subtitles', '--allow-embedded-subtitle-captions'];
const recognized = ['--caption-executor', 'recognized', '--allow-recognized-captions'];
const translated = [
  ...['--caption-executor', 'recognized-translated', '--allow-real-caption-production'],
  ...['--caption-translation-model', 'llama3.2:3b'],
];

/** What each way to start a host makes of it: who makes captions, and how the line on stdout names it. */
const choices: readonly (readonly [readonly string[], string, string])[] = [
  [[], 'recorded_real_pipeline_fixture', 'recorded-real-pipeline-fixture-adapter'],
  [['--caption-executor=recorded'], 'recorded_real_pipeline_fixture', 'recorded-real-pipeline-fixture-adapter'],
  [seam, 'deterministic_current_run_test_seam', 'deterministic-current-run-test-seam-no-cognition'],
  [embedded, 'embedded_subtitle_tracks', 'embedded-subtitle-tracks-no-model'],
  [grouped, 'grouped_subtitle_tracks', 'grouped-subtitle-tracks-no-model'],
  [recognized, 'recognised_transcript', 'recognised-transcript-same-language'],
];

test('each executor of captions is chosen by its name and its permission', (t) => {
  for (const [flags, classification, announced] of choices) {
    t.like(serveOptions(flags).captionExecutor, { classification, announced });
  }
  const split = ['--allow-embedded-subtitle-captions', '--caption-executor=embedded-subtitles'];
  t.is(serveOptions(split).captionExecutor.classification, 'embedded_subtitle_tracks');
});

const codeOf = (flags: readonly string[]): string => {
  try {
    serveOptions(flags);
    return 'started';
  } catch (error) {
    if (error instanceof StartError) return `${error.exitCode} ${error.code}: ${error.message}`;
    throw error;
  }
};

test('an executor of captions needs its own permission, and says which', (t) => {
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

test('a translator needs the name of its model, and a model somebody who translates', (t) => {
  t.regex(codeOf(translated.slice(0, 3)), /^2 executor_not_allowed: .*needs --caption-translation-model/);
  t.regex(codeOf(['--caption-translation-model', 'm']), /^2 executor_not_allowed: .*needs --caption-executor recogn/);
  t.regex(codeOf([...translated.slice(0, 4), 'a b']), /^2 invalid_flags: .*not the name of a model/);
  const chosen = serveOptions(translated).captionExecutor;
  const remote = { OPENAI_BASE_URL: 'http://192.0.2.1/v1' };
  const refusal = {
    instanceOf: StartError,
    code: 'invalid_translation_provider',
    message: /https outside this machine/,
  };
  t.throws(() => translatorOf(chosen, remote), refusal);
  t.like(chosen, {
    classification: 'recognised_transcript_translated',
    announced: 'recognised-transcript-translator-opt-in',
  });
  const local = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
  t.like(translatorOf(chosen, local), { model: 'llama3.2:3b', isAskedOnce: false });
  const once = [...translated, '--caption-translation-asked-once'];
  t.like(translatorOf(serveOptions(once).captionExecutor, local), { isAskedOnce: true });
  t.regex(codeOf(once.slice(-1)), /^2 executor_not_allowed: .*needs --caption-executor recognized-translated/);
});

test('leave for an executor of captions that was not chosen is refused, and says whose it is', (t) => {
  const [seamPermission = '', embeddedPermission = ''] = [seam[2], embedded[2]];
  for (const [flags, permission, name] of [
    [[], seamPermission, 'deterministic-test'],
    [[], embeddedPermission, 'embedded-subtitles'],
    [seam, embeddedPermission, 'embedded-subtitles'],
    [embedded, seamPermission, 'deterministic-test'],
  ] as const) {
    const said = codeOf([...flags, permission]);
    t.true(said.startsWith('2 executor_not_allowed: '), said);
    t.true(said.endsWith(`${permission} needs --caption-executor ${name}`), said);
  }
});

test('an executor of captions that nobody knows is refused, whatever was allowed', (t) => {
  for (const name of ['openai', '', 'Recorded', 'embedded', 'toString', '__proto__', 'constructor']) {
    const said = codeOf([`--caption-executor=${name}`, ...seam.slice(2), ...embedded.slice(2)]);
    t.true(said.startsWith('2 invalid_flags: '), `${name}: ${said}`);
  }
  t.regex(codeOf(['--caption-executor=openai']), /one of recorded, deterministic-test, embedded-subtitles/);
  t.regex(codeOf(['--caption-executor']), /^2 invalid_flags/);
  t.regex(codeOf([...seam, '--caption-executor=recorded']), /^2 invalid_flags/);
});

test('a host says on stdout who makes captions, and one that may not does not start', async (t) => {
  const folder = await scratchFolder(t);
  for (const [index, [flags, , announced]] of choices.slice(1).entries()) {
    const host = new RunningHost({ flags: ['--port', '0', '--data-root', join(folder, `${index}`), ...flags] });
    t.teardown(() => host.kill());
    t.is((await host.announced()).captionExecutor, announced);
    await host.stop();
  }
  const refused = new RunningHost({
    flags: ['--port', '0', '--data-root', join(folder, 'refused'), '--caption-executor', 'deterministic-test'],
  });
  t.teardown(() => refused.kill());
  t.deepEqual(await refused.ended, { code: 2, signal: null });
  t.is(refused.stdout, '');
  t.regex(refused.stderr, /executor_not_allowed: /);
});
