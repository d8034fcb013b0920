import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { demandEngine, languageData, type Resolve } from '../../../executors/screentext/language-data.ts';

const nowhere: Resolve = (specifier) => {
  throw new Error(`Cannot find module '${specifier}'`);
};

test('a package that is missing, or of another version, is named by one code', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'language-data-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, 'tesseract.js'));
  await writeFile(path.join(folder, 'tesseract.js', 'package.json'), '{"version":"6.0.0"}');
  const code = 'screen_text_unavailable';
  await t.throwsAsync(demandEngine(nowhere), {
    code,
    message: /^screen_text_unavailable: .*tesseract\.js is not installed/,
  });
  await t.throwsAsync(
    demandEngine((specifier) => path.join(folder, specifier)),
    { code, message: /tesseract\.js is 6\.0\.0, not 7\.0\.0/ },
  );
  await t.throwsAsync(languageData('xyz'), { code, message: /@tesseract\.js-data\/xyz is not installed/ });
});

test('the data of a language come with their digest', async (t) => {
  const { fileName, bytes, tool } = await languageData('kor');
  t.is(fileName, 'kor.traineddata.gz');
  t.true(bytes.length > 1_000_000);
  t.like(tool, { name: '@tesseract.js-data/kor', version: '1.0.0 4.0.0_best_int' });
  t.regex(tool.digest, /^sha256:[a-f0-9]{64}$/);
});
