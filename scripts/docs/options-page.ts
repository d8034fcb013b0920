import { allHostCommands } from '../../cli/commands/host-commands.ts';
import { commands } from '../../cli/commands.ts';
import { storeCommands } from '../../cli/store-commands.ts';
import { commandsOf, verbWords } from '../../features/feature.ts';
import { features } from '../../features/features.ts';
import type { CommandWords, Flag } from '../../options/flags.ts';

const intro = `# Options

\`npm run docs\` writes this page from the tables that the commands read and that \`--help\` prints; a test compares them.

\`--option value\` and \`--option=value\` are the same. You may repeat an option with an "…". A switch takes no value. An option that is unknown, lacks its
value or is repeated ends the command with exit code 2. \`--help\` and \`--version\` print their answer and exit with 0.

A feature that costs money or sends data off the machine is off until a switch allows it. The line on stdout of the host shows these switches.
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');

const rowOf = ([name, { form, value, preset, help }]: [string, Flag]): string => {
  const call = `\`--${name}${value === null ? '' : ` ${value}`}\`${form === 'repeated' ? ' …' : ''}`;
  const without = preset ?? (form === 'switch' ? 'off' : 'none');
  return `| ${call} | ${cell(without)} | ${cell(help)} |`;
};

const sectionOf = ([name, { usage, purpose, flags }]: [string, CommandWords]): string => `
## ${name}

\`${usage}\`

${purpose}

| option | default | meaning |
| --- | --- | --- |
${Object.entries(flags).map(rowOf).join('\n')}
`;

/** The page of all options of all commands, in Markdown. */
export const optionsPage = async (): Promise<string> =>
  intro +
  Object.entries({
    ...commands,
    ...(await allHostCommands()),
    ...storeCommands,
    ...Object.fromEntries(Object.entries(commandsOf(features)).map(([name, { words }]) => [name, words(features)])),
    ...verbWords(features),
  })
    .map(sectionOf)
    .join('');
