import test from 'ava';
import { noEngines } from '../../../actors/engines/engine-choices.ts';
import { featuresOf, optionsOf, serveFlags } from '../../../cli/options/serve-options.ts';
import { withCommandSettings, withSettings } from '../../../cli/settings/settings-file.ts';
import { withEnginesOf } from '../../../features/feature.ts';
import { parseFlags } from '../../../options/flags.ts';

test('a model that a person permitted for requests leaves the host of a command its subtitle tracks', (t) => {
  const server = 'http://127.0.0.1:11434/v1';
  const settings = new Map<string, string | readonly string[]>([
    ['model-server', server],
    ['caption-translation-model', 'small'],
    ['permit-server', [server]],
  ]);
  const flags = withSettings(parseFlags([], serveFlags), withCommandSettings(settings));
  t.is(optionsOf(flags).captionExecutor.classification, 'grouped_subtitle_tracks');
  t.is(withEnginesOf(featuresOf(flags, {}), noEngines).translator?.model, 'small');
});
