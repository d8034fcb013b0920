import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { languageRanges } from '../../../contract/sources/languages.ts';
import { speechActivity } from '../../../contract/sources/media-probe.ts';
import { readSampleGold, sampleFolder, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { contentIdOfBytes, contentIdOfJson } from '../../../formats/canonical-json.ts';

const readRecord = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(sampleFolder, name), 'utf8'));

const overlapMs = (a: { startMs: number; endMs: number }, b: { startMs: number; endMs: number }): number =>
  Math.max(0, Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs));

test('the labels are those of the committed media', async (t) => {
  const gold = await readSampleGold();
  const bytes = await readFile(sampleMedia);
  t.deepEqual(gold.media, {
    path: 'source/media/sample.mp4',
    contentId: contentIdOfBytes(bytes),
    bytes: bytes.length,
  });
  t.true(bytes.length < 1_000_000);
  t.is(gold.durationMs, 50_000);
});

test('both subtitle tracks hold every utterance at its time, each in its own language', async (t) => {
  const { utterances, subtitleTracks } = await readSampleGold();
  t.deepEqual(
    subtitleTracks.map(({ taggedLanguage }) => taggedLanguage),
    ['kor', 'eng'],
  );
  for (const { taggedLanguage, cues } of subtitleTracks) {
    t.deepEqual(
      cues.map(({ startMs, endMs }) => [startMs, endMs]),
      utterances.map(({ startMs, endMs }) => [startMs, endMs]),
    );
    for (const [index, { text }] of cues.entries()) {
      t.is(/\p{Script=Hangul}/u.test(text), taggedLanguage === 'kor', text);
      if (utterances[index]?.language === taggedLanguage.slice(0, 2)) t.is(text, utterances[index]?.text);
    }
  }
});

test('the pinned speech is where the utterances are, and not in tone or noise', async (t) => {
  const gold = await readSampleGold();
  const record = speechActivity.parse(await readRecord('speech-activity.json'));
  const spans = record.speech_windows.map((window) => ({
    startMs: window.start_sample / 16,
    endMs: window.end_sample / 16,
  }));
  const both = spans.reduce(
    (sum, span) => sum + gold.utterances.reduce((part, said) => part + overlapMs(span, said), 0),
    0,
  );
  const total = [...spans, ...gold.utterances].reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  t.true((2 * both) / total >= 0.95);
  for (const passage of gold.nonSpeech) {
    t.true(spans.every((span) => overlapMs(span, passage) === 0));
  }
});

test('the pinned languages state that they were not measured, and name the script', async (t) => {
  const gold = await readSampleGold();
  const record = languageRanges.parse(await readRecord('language-ranges.json'));
  t.is(record.producer, 'studio.fixture-script');
  t.deepEqual(record.run, { tools: [], models: [] });
  t.is(record.configuration.scriptContentId, contentIdOfJson(gold.utterances));
  t.is(record.ranges.length, gold.utterances.length);
  for (const { start_sample, end_sample, scores, decision } of record.ranges) {
    const range = { startMs: start_sample / 16, endMs: end_sample / 16 };
    const said = gold.utterances.find((utterance) => overlapMs(range, utterance) > 0);
    t.deepEqual(scores, []);
    t.deepEqual(decision, {
      status: 'classified',
      code: said?.language ?? '',
      token_id: null,
      probability: null,
      margin: null,
      reason: null,
    });
  }
});
