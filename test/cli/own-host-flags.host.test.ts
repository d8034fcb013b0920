import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { parseFlags } from '../../cli/options/flags.ts';
import { optionsOf, serveFlags, serveOptions } from '../../cli/options/serve-options.ts';
import { ownHostFlags, startSettings, withSettings } from '../../cli/settings/settings-file.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

test('the host of a command makes captions of subtitle tracks, with no model and for a whole film', async (t) => {
  const options = serveOptions(await ownHostFlags(join(await scratchFolder(t), 'root')));
  t.is(options.captionExecutor.classification, 'grouped_subtitle_tracks');
  t.deepEqual(options.limits.captionAllowance, { maxDurationMs: 14_400_000, maxLines: 8192 });
  t.is(options.limits.maximumStudyRangeMs, 14_400_000);
  t.deepEqual([options.recognizer, options.explainerModel, options.captionExecutor.model], [null, null, null]);
  t.is(serveOptions([]).captionExecutor.classification, 'recorded_real_pipeline_fixture');
});

test('what the settings of a data root say replaces what the host of a command has without them', async (t) => {
  const root = join(await scratchFolder(t), 'root');
  await mkdir(root);
  const settings = {
    'caption-executor': 'recognized',
    'allow-recognized-captions': true,
    'maximum-caption-lines': 100,
  };
  await writeFile(join(root, 'settings.json'), JSON.stringify(settings));
  const given = parseFlags(['--data-root', root, ...(await ownHostFlags(root))], serveFlags);
  const options = optionsOf(withSettings(given, await startSettings(given)));
  t.is(options.captionExecutor.classification, 'recognised_transcript');
  t.is(options.limits.captionAllowance.maxLines, 100);
  t.is(options.limits.captionAllowance.maxDurationMs, 14_400_000);
});
