import path from 'node:path';
import test from 'ava';
import type { Range } from '../../contract/base/grammar.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import { spokenFilm } from '../../lab/cases/spoken-film.ts';
import { alignedBySteps } from '../../rules/alignment.ts';
import { artifactOf, detect, openDetectionBench, spansOf } from '../executors/evidence/detection-for-tests.ts';

const bench = await openDetectionBench();

const file = path.join(bench.folder, 'spoken.wav');
const sentences = spokenFilm(file, 1, 70);
const lengthMs = (sentences.at(-1)?.endMs ?? 0) + 3000;
const other = spokenFilm(path.join(bench.folder, 'other.wav'), 2, 70);
const detections = await detect(bench, file, [0, lengthMs], { audioTrackIndex: 0, videoTrackIndex: null });
test.after.always(() => bench.close());

/** Subtitles as people write them: a little before the voice, on the screen until after it. */
const subtitlesOf = (said: readonly Range[]): Range[] =>
  said.map(({ startMs, endMs }, at) => ({
    startMs: startMs - 40 - ((at * 37) % 120),
    endMs: Math.min(endMs + 300 + ((at * 91) % 500), (said[at + 1]?.startMs ?? endMs + 2000) - 80),
  }));

const right = subtitlesOf(sentences);
const movedBy = (rate: number, ms: number) =>
  right.map(({ startMs, endMs }) => ({ startMs: startMs * rate + ms, endMs: endMs * rate + ms }));

function verdictOf(t: Parameters<typeof artifactOf>[0], cues: readonly Range[]) {
  const speech = spansOf(artifactOf(t, detections, 'speech_activity'), 'speech_window');
  const windows = speech.map(([startMs, endMs]) => ({ startMs, endMs }));
  return resultOfSteps(alignedBySteps(windows, cues, lengthMs));
}

test('subtitles that are in time with the speech are in sync', (t) => {
  t.like(verdictOf(t, right), { verdict: 'in_sync', numerator: 1, denominator: 1 });
});

test('bug: subtitles 2.3 s late were accepted without a word', (t) => {
  const late = verdictOf(t, movedBy(1, 2300));
  t.true(late.verdict === 'shifted' && Math.abs(late.offsetMs + 2300) <= 150, JSON.stringify(late));
  const early = verdictOf(t, movedBy(1, -1500));
  t.true(early.verdict === 'shifted' && Math.abs(early.offsetMs - 1500) <= 150, JSON.stringify(early));
});

test('bug: subtitles that drift by 4 % were accepted without a word', (t) => {
  t.like(verdictOf(t, movedBy(960 / 1001, 0)), { verdict: 'drifts', numerator: 1001, denominator: 960 });
  t.like(verdictOf(t, movedBy(25 / 24, 0)), { verdict: 'drifts', numerator: 24, denominator: 25 });
  t.like(verdictOf(t, movedBy(1.04, 0)), { verdict: 'drifts' });
});

test('subtitles of another film, and subtitles backwards, are unknown', (t) => {
  t.like(verdictOf(t, subtitlesOf(other)), { verdict: 'unknown', reason: 'no_better_than_chance' });
  const backwards = right.map(({ startMs, endMs }) => ({ startMs: lengthMs - endMs, endMs: lengthMs - startMs }));
  t.is(verdictOf(t, backwards.toReversed()).verdict, 'unknown');
});
