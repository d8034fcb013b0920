import { commandsOf, verbsOf } from '../features/feature.ts';
import { features } from '../features/features.ts';
import { allHostCommands } from './commands/host-commands.ts';
import { commands, mcpWords } from './commands.ts';
import { type CompletedCommands, completionsWords } from './completions.ts';
import { storeCommands } from './store-commands.ts';

/** The commands of the host, each with the verbs and the flags that features add. */
const withVerbs: CompletedCommands = Object.fromEntries(
  Object.entries(await allHostCommands()).map(([name, words]) => {
    const verbs = Object.entries(verbsOf(features, name) ?? {});
    if (verbs.length === 0) return [name, words];
    const flags = Object.assign({}, ...verbs.map(([, verb]) => verb.words.flags), words.flags);
    return [name, { ...words, flags, choices: [...(words.choices ?? []), ...verbs.map(([verb]) => verb)] }];
  }),
);

/** The commands that a shell completes. */
export const completedCommands: CompletedCommands = {
  serve: commands.start,
  ...withVerbs,
  ...storeCommands,
  verify: commands.verify,
  mcp: mcpWords,
  ...Object.fromEntries(Object.entries(commandsOf(features)).map(([name, { words }]) => [name, words(features)])),
  completions: completionsWords,
};
