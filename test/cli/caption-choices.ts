/** Flags by which a host makes captions in one way or another. */
export const seam = ['--caption-executor', 'deterministic-test', '--allow-deterministic-caption-test-seam'];
export const embedded = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
const grouped = ['--caption-executor', 'grouped-subtitles', '--allow-embedded-subtitle-captions'];
const recognized = ['--caption-executor', 'recognized', '--allow-recognized-captions'];
const either = ['--caption-executor', 'subtitles-or-recognized', '--allow-recognized-captions'];

export const translated = [
  ...['--caption-executor', 'recognized-translated', '--allow-real-caption-production'],
  ...['--caption-translation-model', 'llama3.2:3b'],
];

/** The result of each way to start a host: the maker of captions, and its name in the line on stdout. */
export const choices: readonly (readonly [readonly string[], string, string])[] = [
  [[], 'recorded_real_pipeline_fixture', 'recorded-real-pipeline-fixture-adapter'],
  [['--caption-executor=recorded'], 'recorded_real_pipeline_fixture', 'recorded-real-pipeline-fixture-adapter'],
  [seam, 'deterministic_current_run_test_seam', 'deterministic-current-run-test-seam-no-cognition'],
  [embedded, 'embedded_subtitle_tracks', 'embedded-subtitle-tracks-no-model'],
  [grouped, 'grouped_subtitle_tracks', 'grouped-subtitle-tracks-no-model'],
  [recognized, 'recognised_transcript', 'recognised-transcript-same-language'],
  [either, 'recognised_transcript', 'subtitle-tracks-or-recognised-transcript'],
];
