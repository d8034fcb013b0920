import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import {
  type EngineFailureCode,
  engineFailureCodes,
  failingEngines,
  withSaid,
} from '../../contract/causes/engine-failures.ts';
import {
  engineFailureOf,
  refusalCauseOf,
  stepFailureOf,
  translationFailureOf,
} from '../../contract/causes/stored-failures.ts';
import { causeText, type Reader } from '../../contract/causes/wording.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Messages in the journals of 1.0, each with the cause that it has today. */
const stored: Readonly<Record<string, EngineFailureCode>> = {
  'http_400: the server refused the request; a model without times needs --semantic-recognizer-response-format json':
    'engine_request_refused',
  'http_401: the server refused the request': 'engine_key_refused',
  'http_403: the server refused the request': 'engine_forbidden',
  'http_404: the server refused the request': 'engine_path_missing',
  'http_422: the server refused the request': 'engine_request_refused',
  'http_429: the server refused the request': 'engine_busy',
  'http_500: the server refused the request': 'engine_error',
  'http_503: the server refused the request': 'engine_busy',
  'timeout: no answer within 120000 ms': 'engine_late',
  'unreachable: no connection, or none that lasted to the end of the answer': 'engine_unreachable',
  'redirected: the server answered with a redirect': 'engine_redirected',
  'too_large: the answer passes 1048576 bytes': 'engine_answer_too_large',
  'invalid_output: the answer is not JSON': 'engine_answered_text',
  "invalid_output: the answer has another shape at 'segments'": 'engine_answered_other_json',
  'invalid_output: times of the answer cannot be: segment 1 ends at 9 s and begins at 1 s': 'engine_answer_impossible',
  'model_changed: the recognizer or its model has changed since the start; restart the host': 'engine_changed',
  'not_permitted: the permission for this server was withdrawn': 'engine_not_permitted',
  'uneven_sound: the audio track changes its form in a region': 'sound_unreadable',
  'worker_failed: tool_exit: whisper-cli exited with code 3': 'engine_stopped',
  'worker_failed: 3 results of workers did not count': 'engine_stopped',
  'tool_exit: whisper-cli exited with code 3': 'engine_stopped',
  'tool_exit: ended without its result region.json (ENOENT)': 'engine_stopped',
  'tool_exit: ffmpeg exited with code 1': 'sound_unreadable',
  'tool_signal: pocketsphinx_continuous was killed by SIGKILL': 'engine_stopped',
  'deadline: whisper-cli took longer than 900000 ms': 'engine_late',
  'tool_missing: whisper-cli is not an executable file': 'engine_gone',
};

for (const [message, code] of Object.entries(stored)) {
  test(`a journal of 1.0 with “${message}” has the cause ${code}`, (t) => {
    t.is(stepFailureOf({ code: 'executor_failed', message }, 'openai').code, code);
  });
}

test('a study that stopped in the middle of a step has its own cause, and not one of the engine', (t) => {
  const of = { of: 'study' };
  const causeFor = (code: string, message: string) => stepFailureOf({ code, message }, 'whisper-cli');
  t.deepEqual(causeFor('executor_failed', 'deadline: the study used up its time'), { code: 'deadline', params: of });
  t.deepEqual(causeFor('executor_interrupted', 'canceled: a client canceled the study'), {
    code: 'canceled',
    params: of,
  });
  t.deepEqual(causeFor('executor_failed', 'aborted: the launcher is closed'), { code: 'aborted', params: of });
  t.is(causeFor('executor_interrupted', 'the recognizer of the host changed').code, 'executor_interrupted');
  t.is(causeFor('executor_failed', 'tool_output: the detector answered nonsense').code, 'tool_output');
});

test('a second word names one cause of several, and the words of a server are at the end', (t) => {
  const message = `http_404: engine_model_missing: ${withSaid('the server refused the request', 'no such model')}`;
  t.deepEqual(engineFailureOf(message, 'openai'), {
    code: 'engine_model_missing',
    params: { engine: 'openai', status: 404, said: 'no such model' },
  });
  t.is(engineFailureOf('executor_failed', 'openai'), null);
  t.is(engineFailureOf('http_40: x', 'openai'), null);
});

test('an attempt at a translation has the cause of its server; that of a production has none', (t) => {
  const message = 'translator: http_404: the provider refused the request; 3 answers are kept for the next attempt';
  t.deepEqual(translationFailureOf(message), {
    code: 'engine_path_missing',
    params: { engine: 'translation', status: 404 },
  });
  t.deepEqual(refusalCauseOf('caption_translation_failed', message), translationFailureOf(message));
  t.is(refusalCauseOf('illegal_caption_transition', message), null);
  t.is(
    translationFailureOf('translator: no line passed the gates: translation_repeated')?.code,
    'no_translation_passed',
  );
  t.is(translationFailureOf('timeout: the production took more than 60 seconds'), null);
  t.is(translationFailureOf('translator: refused: http_400: the provider refused')?.code, 'engine_request_refused');
});

test('each failure has other words, and a remedy for every reader', (t) => {
  for (const engine of failingEngines) {
    const words = engineFailureCodes.map((code) => causeText({ code, params: { engine } }, 'terminal').what);
    t.is(new Set(words).size, engineFailureCodes.length, engine);
    for (const code of engineFailureCodes) {
      for (const reader of ['terminal', 'page', 'agent'] satisfies Reader[])
        t.not(causeText({ code, params: { engine } }, reader).remedy, null, `${code} for the ${reader}`);
    }
  }
});

test('the page of errors has every failure of an engine', (t) => {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `((?:engine|sound)_[a-z_]+)` \|/gm)].map(([, code]) => code ?? '');
  t.deepEqual(
    engineFailureCodes.filter((code) => !rows.includes(code)),
    [],
  );
});
