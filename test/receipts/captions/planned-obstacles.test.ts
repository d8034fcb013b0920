import test from 'ava';
import type { CaptionClassification } from '../../../contract/captions/caption-executor.ts';
import { standingAllowance } from '../../../receipts/captions/caption-allowance.ts';
import { type PlannedCaptions, plannedObstaclesOf } from '../../../receipts/captions/planned-obstacles.ts';

const trackOf = (kind: 'audio' | 'video' | 'subtitle', index: number) => ({
  ...{ id: `stream:${index}`, index, kind, codec: 'any', durationMs: null },
});

const film: PlannedCaptions = {
  range: { startMs: 0, endMs: 60_000 },
  requested: { mode: 'declared', languages: ['ko'], reason: null },
  targetLanguage: 'en',
  source: {
    tracks: [trackOf('video', 0), trackOf('audio', 1), trackOf('subtitle', 2)],
    trackLanguages: [{ index: 2, language: 'kor' }],
  },
  recognizes: true,
};

const reasons = (classification: CaptionClassification, others: Partial<PlannedCaptions> = {}): string[] =>
  plannedObstaclesOf({ ...film, ...others }, { classification, allowance: standingAllowance }).map(
    ({ reason }) => reason,
  );

const silent = { ...film.source, tracks: [trackOf('video', 0), trackOf('subtitle', 2)] };
const taggedAs = (language: string) => ({ ...film.source, trackLanguages: [{ index: 2, language }] });

test('a plan says of each executor what keeps captions from coming of it', (t) => {
  t.deepEqual(reasons('recorded_real_pipeline_fixture'), ['no_caption_executor']);
  t.deepEqual(reasons('deterministic_current_run_test_seam'), []);
  for (const executor of ['embedded_subtitle_tracks', 'grouped_subtitle_tracks'] as const) {
    t.deepEqual(reasons(executor), []);
    t.deepEqual(reasons(executor, { source: { tracks: [trackOf('audio', 1)], trackLanguages: [] } }), [
      'no_text_tracks',
    ]);
    t.deepEqual(reasons(executor, { source: taggedAs('fra') }), ['no_text_track_in_language']);
    // Only the study identifies these.
    t.deepEqual(reasons(executor, { source: taggedAs('und') }), []);
    t.deepEqual(reasons(executor, { source: { ...film.source, trackLanguages: [] } }), []);
  }
  t.deepEqual(reasons('recognised_transcript'), ['no_translator']);
  t.deepEqual(reasons('recognised_transcript', { targetLanguage: 'ko-KR' }), []);
  t.deepEqual(reasons('recognised_transcript_translated'), []);
  t.deepEqual(reasons('recognised_transcript_translated', { recognizes: false }), ['no_recognizer']);
  t.deepEqual(reasons('recognised_transcript_translated', { source: silent }), ['no_audio_track']);
});

test('a range that is too long and a language that is not declared are said beside it', (t) => {
  const others: Partial<PlannedCaptions> = {
    range: { startMs: 0, endMs: 120_001 },
    requested: { mode: 'automatic', languages: [], reason: null },
  };
  t.deepEqual(reasons('recognised_transcript_translated', others), ['source_language_not_declared', 'range_too_long']);
  const allowance = { maxDurationMs: 600_000, maxLines: 64 };
  const classification = 'recognised_transcript_translated';
  t.deepEqual(
    plannedObstaclesOf({ ...film, range: { startMs: 0, endMs: 120_001 } }, { classification, allowance }),
    [],
  );
});
