import test from 'ava';
import { runtimeRequest } from '../../../contract/study/plan.ts';
import { clipBody } from '../../receipts/sources/korean-clip.ts';

const read = (changes: object) => runtimeRequest.safeParse({ ...clipBody, ...changes });
const language = (mode: string, languages: unknown, reason: unknown = null) => ({
  requestedSourceLanguage: { mode, languages, reason },
});
const without = (key: string) => Object.fromEntries(Object.entries(clipBody).filter(([name]) => name !== key));

test('a request without options gets all seven at their defaults', (t) => {
  const defaults = {
    speechScope: 'foreground',
    includeLyrics: false,
    speaker: null,
    honorifics: 'preserve',
    translationStyle: 'natural',
    captionDensity: 'balanced',
    slowAnalysis: false,
  };
  t.deepEqual(runtimeRequest.parse(clipBody).options, defaults);
  t.deepEqual(runtimeRequest.parse({ ...clipBody, options: {} }).options, defaults);
  t.deepEqual(runtimeRequest.parse({ ...clipBody, options: { captionDensity: 'compact' } }).options, {
    ...defaults,
    captionDensity: 'compact',
  });
});

const accepted: [string, object][] = [
  ['one declared language', language('declared', ['ko-KR'])],
  ['two mixed languages', language('mixed', ['ko', 'en'])],
  ['an automatic language', language('automatic', [])],
  ['an unknown language', language('unknown', [])],
  ['a withheld language with its reason', language('withheld', [], 'the speaker asked for it')],
  ['a reason with a whole surrogate pair', language('withheld', [], 'a😀b')],
  ['a reason of 256 characters', language('withheld', [], 'r'.repeat(256))],
  ['a language pack', { selectedLanguagePackId: 'pack:ko-en' }],
  ['the depth of captions', { outputDepth: 'captions' }],
  ['a client request id', { clientRequestId: 'attempt-2' }],
  ['a null materialization', { materializationId: null }],
  ['a named speaker', { options: { speaker: 'speaker:1' } }],
  ['a range that begins at zero', { range: { startMs: 0, endMs: 1 } }],
];

for (const [what, changes] of accepted) {
  test(`a request may have ${what}`, (t) => t.true(read(changes).success));
}

const refused: [string, object][] = [
  ['the name of a language in place of its tag', { targetLanguage: 'English' }],
  ['the name of a language that is declared', language('declared', ['Korean'])],
  ['an unknown key', { runtimeId: null }],
  ['an identity that begins with a colon', { sourceSessionId: ':session' }],
  ['an identity of 161 characters', { sourceRevisionId: 'r'.repeat(161) }],
  ['an empty identity', { sourceRevisionId: '' }],
  ['a range without its end', { range: { startMs: 0 } }],
  ['an empty range', { range: { startMs: 5, endMs: 5 } }],
  ['a range that runs backwards', { range: { startMs: 6, endMs: 5 } }],
  ['a range that begins before zero', { range: { startMs: -1, endMs: 5 } }],
  ['a range of fractions', { range: { startMs: 0, endMs: 1.5 } }],
  ['a range past the safe integers', { range: { startMs: 0, endMs: 2 ** 53 } }],
  ['a range with another key', { range: { startMs: 0, endMs: 1, unit: 'ms' } }],
  ['a range of texts', { range: { startMs: '0', endMs: '1' } }],
  ['an unknown language mode', language('guessed', [])],
  ['a declared mode without a language', language('declared', [])],
  ['two declared languages', language('declared', ['ko', 'en'])],
  ['one mixed language', language('mixed', ['ko'])],
  ['a mixed language twice', language('mixed', ['ko', 'en', 'ko'])],
  ['an automatic mode with a language', language('automatic', ['ko'])],
  ['an unknown mode with a language', language('unknown', ['ko'])],
  ['a withheld mode with a language', language('withheld', ['ko'], 'no')],
  ['a withheld mode without a reason', language('withheld', [])],
  ['a withheld mode with an empty reason', language('withheld', [], '')],
  ['a reason with half of a surrogate pair', language('withheld', [], 'a\ud800b')],
  ['a withheld mode with 257 characters of reason', language('withheld', [], 'r'.repeat(257))],
  ['a reason with a declared language', language('declared', ['ko'], 'because')],
  ['a malformed tag', language('declared', ['k'])],
  ['a language without its reason key', { requestedSourceLanguage: { mode: 'automatic', languages: [] } }],
  [
    'a language with another key',
    { requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null, score: 1 } },
  ],
  ['a target that is no tag', { targetLanguage: 'en_US' }],
  ['a target of null', { targetLanguage: null }],
  ['a language pack that is no identity', { selectedLanguagePackId: 'a b' }],
  ['an unknown depth', { outputDepth: 'everything' }],
  ['options of null', { options: null }],
  ['an unknown option', { options: { volume: 1 } }],
  ['an option outside its set', { options: { honorifics: 'drop' } }],
  ['an option of null', { options: { slowAnalysis: null } }],
  ['a speaker that is no identity', { options: { speaker: '' } }],
  ['a client request id of null', { clientRequestId: null }],
  ['a client request id that is no identity', { clientRequestId: 'second attempt' }],
  ['a materialization', { materializationId: 'materialization:1' }],
];

for (const [what, changes] of refused) {
  test(`a request must not have ${what}`, (t) => t.false(read(changes).success));
}

for (const key of Object.keys(clipBody)) {
  test(`a request must not leave out ${key}`, (t) => t.false(runtimeRequest.safeParse(without(key)).success));
}
