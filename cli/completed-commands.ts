import { commandsOf } from '../features/feature.ts';
import { features } from '../features/features.ts';
import { hostCommands } from './commands/host-commands.ts';
import { commands, mcpWords } from './commands.ts';
import { type CompletedCommands, completionsWords } from './completions.ts';
import { storeCommands } from './store-commands.ts';

/** The commands that a shell completes. */
export const completedCommands: CompletedCommands = {
  serve: commands.start,
  ...hostCommands,
  ...storeCommands,
  verify: commands.verify,
  mcp: mcpWords,
  ...Object.fromEntries(Object.entries(commandsOf(features)).map(([name, { words }]) => [name, words(features)])),
  completions: completionsWords,
};
