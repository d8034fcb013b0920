import type { CommandParts, SettingValues } from '../../features/feature.ts';
import { type GivenFlags, parseFlags } from '../../options/flags.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { dataRootOf } from '../options/data-root.ts';
import { environmentOf, featuresOf, optionsOf, serveFlags } from '../options/serve-options.ts';
import { asTyped, programAsTyped } from '../terminal/call.ts';
import { isAgreed } from '../terminal/question.ts';
import { processTerminal, type Terminal } from '../terminal/terminal.ts';
import { changeTried } from './settings-command.ts';
import { readSettings, type SettingChanges, settingsAfter, withoutLeftovers, withSettings } from './settings-file.ts';
import { withLauncher } from './start-trial.ts';

/** The settings of the data root that a call names, and its terminal, for a command of a feature. */
export function commandParts(
  given: GivenFlags,
  terminal: Terminal = processTerminal({ json: given.has('json'), program: programAsTyped() }),
): CommandParts {
  const dataRoot = dataRootOf(given);
  const path = dataRootAt(dataRoot).settings;
  return {
    terminal: { ...terminal, agreed: (question) => isAgreed(terminal, question), typed: (words) => asTyped(words) },
    settings: {
      dataRoot,
      configured: async (changes: SettingValues = {}, unset: readonly string[] = []) => {
        const before = (await readSettings(path, terminal.remark)) ?? new Map();
        const asked: SettingChanges = new Map([
          ...Object.entries(changes),
          ...unset.map((name) => [name, undefined] as const),
        ]);
        const settings = settingsAfter(before, withoutLeftovers(before, asked));
        const flags = withSettings(parseFlags([], serveFlags), settings);
        const environment = environmentOf(optionsOf(flags), process.env);
        return { settings: Object.fromEntries(settings), features: featuresOf(flags, process.env), environment };
      },
      change: async (set, unset = []) => {
        const asked: SettingChanges = new Map([
          ...Object.entries(set),
          ...unset.map((name) => [name, undefined] as const),
        ]);
        const verb = Object.keys(set).length > 0 ? 'set' : 'unset';
        return 'after' in (await changeTried({ path, dataRoot }, verb, asked, terminal));
      },
      withLauncher: (run) => withLauncher(async (launcher) => run(await launcher())),
    },
  };
}
