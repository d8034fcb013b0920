import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { type ErrorCode, errorCodes } from '../../contract/base/error-codes.ts';

const here = new URL('./', import.meta.url);

/** The text of all tests in a folder, and of those whose media ffmpeg makes. */
async function testsIn(folder: string): Promise<string> {
  const names = await readdir(new URL(`${folder}/`, here));
  const tests = names.filter((name) => name.endsWith('.test.ts')).map((name) => `${folder}/${name}`);
  const texts = [...tests, 'made-media.process.test.ts'].map((name) => readFile(new URL(name, here), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

const all = Object.keys(errorCodes) as ErrorCode[];

/** Codes, by the folder whose tests provoke each of them. */
const rows: readonly (readonly [folder: string, count: number, codes: readonly ErrorCode[]])[] = [
  [
    'captions',
    9,
    all.filter(
      (code) =>
        /caption_qc|^export_|^signing_/.test(code) ||
        // Only what was recognised is translated: the tests of recognition provoke that it fails.
        (/^[a-z]+_caption_[^q]|^caption_/.test(code) && code !== 'caption_translation_failed'),
    ),
  ],
  ['explanations', 6, all.filter((code) => code.includes('language_'))],
  ['playback', 10, all.filter((code) => code.includes('private_playback'))],
  [
    'videohost',
    6,
    [
      'videohost_local_ingest_unavailable',
      'invalid_ingest_request',
      'invalid_rights_attestation',
      'ingest_range_too_large',
      'unknown_ingest',
      'ingest_already_terminal',
    ],
  ],
];

for (const [folder, count, codes] of rows) {
  test(`a test in ${folder}/ provokes every code of its own`, async (t) => {
    const text = await testsIn(folder);
    t.is(codes.length, count, codes.join());
    t.deepEqual(
      codes.filter((code) => !text.includes(`'${code}'`)),
      [],
    );
  });
}
