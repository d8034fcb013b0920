import test from 'ava';
import { noEngines } from '../../actors/engines/engine-choices.ts';
import { featuresOf, optionsOf, serveFlags, serveOptions } from '../../cli/options/serve-options.ts';
import { type Settings, withCommandSettings, withSettings } from '../../cli/settings/settings-file.ts';
import { withEnginesOf } from '../../features/feature.ts';
import { parseFlags } from '../../options/flags.ts';

const flagsWith = (settings: Settings) => withSettings(parseFlags([], serveFlags), withCommandSettings(settings));
const optionsWith = (settings: Settings) => optionsOf(flagsWith(settings));

/** The engines that the features of the host name. */
const enginesWith = (settings: Settings) => withEnginesOf(featuresOf(flagsWith(settings), {}), noEngines);

test('the host of a command makes captions of subtitle tracks, with no model and for a whole film', (t) => {
  const options = optionsWith(new Map());
  t.is(options.captionExecutor.classification, 'grouped_subtitle_tracks');
  t.deepEqual(options.limits.captionAllowance, { maxDurationMs: 14_400_000, maxLines: 8192 });
  t.is(options.limits.maximumStudyRangeMs, 14_400_000);
  const { recognizer, translator } = enginesWith(new Map());
  t.deepEqual([recognizer, translator], [null, null]);
  t.is(serveOptions([]).captionExecutor.classification, 'recorded_real_pipeline_fixture');
});

test('what the settings of a data root say replaces what the host of a command has without them', (t) => {
  const settings = new Map<string, string | number | boolean>([
    ['caption-executor', 'recognized'],
    ['allow-recognized-captions', true],
    ['maximum-caption-lines', 100],
  ]);
  const options = optionsWith(settings);
  t.is(options.captionExecutor.classification, 'recognised_transcript');
  t.is(options.limits.captionAllowance.maxLines, 100);
  t.is(options.limits.captionAllowance.maxDurationMs, 14_400_000);
});
