import test from 'ava';
import { serveOptions } from '../../cli/options/serve-options.ts';
import { ownHostFlags } from '../../cli/terminal/own-host-flags.ts';

test('the host of a command makes captions of subtitle tracks, with no model and for a whole film', (t) => {
  const options = serveOptions(ownHostFlags());
  t.is(options.captionExecutor.classification, 'grouped_subtitle_tracks');
  t.deepEqual(options.captionAllowance, { maxDurationMs: 14_400_000, maxLines: 8192 });
  t.is(options.maximumStudyRangeMs, 14_400_000);
  t.deepEqual([options.recognizer, options.explainerModel, options.captionExecutor.model], [null, null, null]);
  t.is(serveOptions([]).captionExecutor.classification, 'recorded_real_pipeline_fixture');
});

test('what is asked of the host of a command replaces what it has without that', (t) => {
  const recognized = ['--caption-executor', 'recognized', '--allow-recognized-captions'];
  const options = serveOptions(ownHostFlags([...recognized, '--maximum-caption-lines=100']));
  t.is(options.captionExecutor.classification, 'recognised_transcript');
  t.is(options.captionAllowance.maxLines, 100);
  t.is(options.captionAllowance.maxDurationMs, 14_400_000);
});
