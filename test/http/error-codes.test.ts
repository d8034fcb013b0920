import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { type ErrorCode, errorCodes, reservedErrorCodes } from '../../contract/base/errors.ts';
import { absentCodes, hasFeature } from '../features/codes.ts';

/** Codes that no test of a host provokes, and why. */
const unprovoked: Partial<Record<ErrorCode, string>> = {
  owned_ingest_unavailable: 'owned ingests cannot be switched off',
  internal_failure: 'no fault of the program is known that a request could provoke',
  ingest_identity_failed: 'ids are random and the host gives none twice',
};

/** Codes of the core that only the tests of a feature provoke: they take its engine. */
const provokedWith: Partial<Record<ErrorCode, string>> = {
  caption_translation_failed: 'recognition',
  runtime_in_production: 'explanations',
};

const exempt = new Set<string>([...reservedErrorCodes, ...Object.keys(unprovoked)]);

const testFolder = new URL('../', import.meta.url);

const textsIn = (folder: URL): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('-codes.test.ts'))
    .map((path) => readFileSync(new URL(path, folder), 'utf8'));

/** The tests that ask hosts: each expects its refusals by `refused`, with codes that are written out there or in a table. */
const asking = ['http/', 'features/']
  .flatMap((folder) => textsIn(new URL(folder, testFolder)))
  .filter((text) => /\brefused\w*\(/.test(text))
  .join('\n');

/** True if the tests that provoke a code are in this checkout. */
const hasProvoking = (code: string): boolean => {
  const feature = provokedWith[code as ErrorCode];
  return !absentCodes.has(code) && (feature === undefined || hasFeature(feature));
};

for (const code of Object.keys(errorCodes).filter(hasProvoking)) {
  if (exempt.has(code)) {
    test(`no test expects ${code}`, (t) => t.false(asking.includes(`'${code}'`)));
  } else if (code === 'caption_translation_failed') {
    // It takes a recognizer, which the tests of recognition have.
    test(`a test of recognition provokes ${code}`, (t) => {
      t.true(textsIn(new URL('features/', testFolder)).some((text) => text.includes(`t.is(failed.code, '${code}')`)));
    });
  } else {
    test(`a test provokes ${code}`, (t) => t.true(asking.includes(`'${code}'`)));
  }
}
