import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { openRecognizer } from '../../../../features/recognition/engine/open-recognizer.ts';
import { sentences } from '../../../../fixtures/speech/sentences.ts';
import { openDetectionBench, realClock } from '../../../executors/evidence/detection-for-tests.ts';
import { inventNothing } from '../engine/inventions.ts';
import { recognizeFile } from '../engine/recognized-file.ts';

const hour = 3_600_000;

test('of 32 minutes of silence, noise, tones, music and applause no line passes', async (t) => {
  t.timeout(hour, 'a recogniser on a busy machine');
  await inventNothing(t, 240);
});

/** Words of one text that are in another, as a share of the longer one; enough to distinguish right lines from wrong ones. */
function sharedWords(one: string, other: string): number {
  const [these, those] = [one.split(' '), other.split(' ')];
  const shared = these.filter((word) => those.includes(word)).length;
  return shared / Math.max(these.length, those.length);
}

test('of the lines that were recognized right, the gates withhold at most 3 in 100', async (t) => {
  t.timeout(hour, 'a recogniser on a busy machine');
  const folder = mkdtempSync(join(tmpdir(), 'sentences-'));
  const bench = await openDetectionBench();
  t.teardown(async () => {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const opening = { launcher: bench.launcher, environment: process.env, clock: realClock };
  const recognizer = await openRecognizer({ engine: 'pocketsphinx', model: null }, opening);
  let right = 0;
  let withheld = 0;
  for (const [at, sentence] of sentences.entries()) {
    const [said, file] = [join(folder, `${at}.wav`), join(folder, `${at}-padded.wav`)];
    execFileSync('flite', ['-voice', 'kal16', '-t', sentence, '-o', said]);
    const padded = ['-af', 'adelay=700,apad=pad_dur=0.7', '-ar', '16000', '-ac', '1', '-c:a', 'pcm_s16le'];
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-i',
      said,
      ...padded,
      '-fflags',
      '+bitexact',
      '-flags:a',
      '+bitexact',
      file,
    ]);
    for (const { text, outcome } of (await recognizeFile(t, bench, file, { recognizer })).lines) {
      if (sharedWords(text, sentence) < 0.8) continue;
      right += 1;
      if (outcome === 'withheld') withheld += 1;
    }
  }
  t.log(`${withheld} of ${right} right lines withheld, of ${sentences.length} sentences`);
  t.true(right > sentences.length / 2);
  t.true(withheld <= 0.03 * right);
});
