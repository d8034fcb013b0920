import test from 'ava';
import type { Environment } from '../../../executors/process/tools.ts';
import { flagsOf } from '../../../features/feature.ts';
import { translation } from '../../../features/translation/feature.ts';
import { translationModelOf, translatorNotice, translatorOf } from '../../../features/translation/options.ts';
import { captionFlags } from '../../../options/caption-executor.ts';
import { StartError } from '../../../options/failures.ts';
import { parseFlags } from '../../../options/flags.ts';
import { permissionFlags } from '../../../options/permissions.ts';
import { translated } from '../../cli/caption-choices.ts';
import { complaintOf } from '../../cli/configured-host.ts';

const table = { ...captionFlags, ...permissionFlags, ...flagsOf([translation], ['engine', 'study', 'host']) };
const given = (flags: readonly string[]) => parseFlags(flags, table);
const codeOf = (flags: readonly string[]): string => complaintOf(() => translationModelOf(given(flags)));

function modelOf(flags: readonly string[]) {
  const model = translationModelOf(given(flags));
  if (model === null) throw new Error('a model was named');
  return model;
}

/** The feature of a host with these options. */
function configuredWith(flags: readonly string[], environment: Environment = {}) {
  const configured = translation.options?.(given(flags))(environment);
  if (configured === undefined) throw new Error('translation has options');
  return configured;
}

test('a translator needs the name of its model, and a model needs a translator', (t) => {
  t.regex(codeOf(translated.slice(0, 3)), /^2 executor_not_allowed: .*needs --caption-translation-model/);
  t.regex(
    codeOf(['--caption-translation-model', 'm']),
    /^2 executor_not_allowed: .*needs --caption-executor subtitles-translated or recogn/,
  );
  t.regex(codeOf([...translated.slice(0, 4), ' a']), /^2 invalid_flags: .*not the name of a model/);
  const chosen = modelOf(translated);
  const remote = { OPENAI_BASE_URL: 'http://192.0.2.1/v1' };
  const refusal = {
    instanceOf: StartError,
    code: 'invalid_translation_provider',
    message: /https outside this machine/,
  };
  t.throws(() => translatorOf(chosen, remote, []), refusal);
  t.like(chosen.executor, {
    classification: 'recognised_transcript_translated',
    announced: 'recognised-transcript-translator-opt-in',
  });
  const local = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
  t.like(translatorOf(chosen, local, []), { model: 'llama3.2:3b', isAskedOnce: false });
  const once = [...translated, '--caption-translation-asked-once'];
  t.like(translatorOf(modelOf(once), local, []), { isAskedOnce: true });
  t.regex(
    codeOf(once.slice(-1)),
    /^2 executor_not_allowed: .*needs --caption-executor subtitles-translated or recognized-translated/,
  );
});

const baseUrl = 'http://127.0.0.1:9/v1';
const here = { OPENAI_BASE_URL: baseUrl };
const provider = { baseUrl, apiKey: null, isLocal: true };

test('the registry of a host knows a translator by its server, its model and how often it asks', (t) => {
  t.is(configuredWith([]).engines?.translator, null);
  const { engines, servers, engineNotices } = configuredWith(translated, here);
  const fixed = { place: baseUrl, model: 'llama3.2:3b', provider };
  t.like(engines?.translator, { ...fixed, settings: { isAskedOnce: false } });
  const once = configuredWith([...translated, '--caption-translation-asked-once'], here);
  t.like(once.engines?.translator, { ...fixed, settings: { isAskedOnce: true } });
  t.deepEqual(once.engines?.translator?.identity, engines?.translator?.identity);
  t.like(servers?.[0], { use: 'translator', sent: 'the text of captions', model: 'llama3.2:3b', provider });
  t.deepEqual(engineNotices, [translatorNotice({ provider, model: 'llama3.2:3b' })]);
  t.regex(engineNotices?.[0] ?? '', /^caption translation: asked of llama3.2:3b at http:\S+, a server on this machine/);
});

test('a model that only requests may name needs the permission for its server', (t) => {
  const named = ['--caption-translation-model', 'm'];
  const permitted = [...named, '--permit-server', baseUrl];
  t.like(configuredWith(permitted, here).engines?.translator, { model: 'm', place: baseUrl });
  const other = complaintOf(() => configuredWith([...named, '--permit-server', 'http://127.0.0.1:8/v1'], here));
  t.is(
    other,
    `2 executor_not_allowed: --caption-translation-model needs --permit-server ${baseUrl}, or --caption-executor subtitles-translated or recognized-translated`,
  );
});
