import { escapedText } from '../contract/base/grammar.ts';
import { commandsOf, type FeatureCommands } from '../features/feature.ts';
import { answersQuestion, nearestName, parseFlags, storedPath } from '../options/flags.ts';
import { type ExitCode, exitCodes, keepFilesPrivate, outliveReaders } from '../options/outputs.ts';
import { allHostCommands, hostCommandNames, hostCommandOf } from './commands/host-commands.ts';
import { calledVerb } from './commands/verbs.ts';
import { completionScript, completionsWords, shells } from './completions.ts';
import { dataRootOf, hasDataRoot } from './options/data-root.ts';
import { runOnStore, storeCommands } from './store-commands.ts';
import { asTyped, type HostCommand, programAsTyped } from './terminal/call.ts';
import { failedEnd } from './terminal/failed-call.ts';
import { findOrStartHost, NoHost, namedHost } from './terminal/running-host.ts';
import { processTerminal, type Terminal } from './terminal/terminal.ts';

/** The commands that are programs of their own. */
const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  serve: () => import('./serve.ts'),
  verify: () => import('./verify.ts'),
  mcp: () => import('./mcp.ts'),
};

/** The first clause of a purpose, for the list of commands. */
const firstClause = (purpose: string): string => {
  const [clause = ''] = purpose.split(/[.:;]/);
  return clause.charAt(0).toLowerCase() + clause.slice(1);
};

async function helpOf(ofFeatures: FeatureCommands): Promise<string> {
  const ownRows = Object.entries({ ...(await allHostCommands()), ...storeCommands });
  const rows = {
    serve: 'runs the host',
    ...Object.fromEntries(ownRows.map(([each, { purpose }]) => [each, firstClause(purpose)])),
    verify: 'verifies a study, a data root or a bundle',
    mcp: 'serves an agent over the Model Context Protocol',
    completions: 'prints the completions of a shell',
    ...Object.fromEntries(Object.entries(ofFeatures).map(([each, { row }]) => [each, row])),
  };
  return `usage: media-study COMMAND [flags]
Studies media on this machine, with evidence.

${Object.entries(rows)
  .map(([each, purpose]) => `  ${each.padEnd(12)}  ${purpose}`)
  .join('\n')}

media-study COMMAND --help shows the flags of a command.
`;
}

function unknownCommand(ofFeatures: FeatureCommands): string {
  const others = [storeCommands, programs, ofFeatures].flatMap(Object.keys);
  const known = [...hostCommandNames, ...others, 'completions'];
  const near = nearestName(name, known);
  const meant = near === null ? '' : `, did you mean ${near}?`;
  return `media-study: there is no command ${name}${meant}; ${programAsTyped()} --help lists them\n`;
}

/** There is nothing to read yet, so that a host would be started for nothing, perhaps at a path with a typing error. */
const nothingIn = (dataRoot: string): NoHost =>
  new NoHost(`no host has ever kept its data in ${dataRoot}; ${asTyped('study FILE')} takes media in and studies it`);

/** How the call names its study; undefined for a command that has none. */
function studyIn({ flags, positionals, studyAt }: HostCommand, args: readonly string[]): string | undefined {
  if (studyAt === undefined) return undefined;
  try {
    const { positional } = parseFlags(args, flags, positionals);
    return studyAt === 'last' ? positional.at(-1) : positional[studyAt];
  } catch {
    return undefined;
  }
}

async function runThroughHost(command: HostCommand, args: readonly string[]): Promise<ExitCode> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('interrupted')));
  let terminal: Terminal = processTerminal({
    json: args.includes('--json'),
    program: programAsTyped(),
    signal: stop.signal,
  });
  try {
    const parsed = parseFlags(args, command.flags, command.positionals);
    const given = { ...parsed, positional: parsed.positional.map(storedPath) };
    terminal = processTerminal({ json: given.has('json'), program: programAsTyped(), signal: stop.signal });
    await command.check?.(given, terminal);
    const dataRoot = dataRootOf(given);
    if (!command.beginsData && namedHost(process.env) === null && !hasDataRoot(given)) throw nothingIn(dataRoot);
    const found = await findOrStartHost(dataRoot, terminal.remark, {
      signal: stop.signal,
      isRootNamed: given.has('data-root'),
    });
    try {
      const isOwnHost = () => found.isOwn();
      return await command.run({ given, terminal, signal: stop.signal, host: found.client, isOwnHost });
    } finally {
      await found.close();
    }
  } catch (error) {
    const { line, exit } = failedEnd(error, { ...named, signal: stop.signal, study: studyIn(command, args) });
    const isCutShort = exit === exitCodes.interrupted && command.interrupted !== undefined;
    terminal.remark(isCutShort ? `${line}: ${command.interrupted?.()}` : line);
    return exit;
  }
}

const [name = '', ...args] = process.argv.slice(2);
const command = await hostCommandOf(name);
const verb = command?.takesVerbs ? await calledVerb(name, args) : null;
const print = (text: string): void => void process.stdout.write(text);
const onStore = Object.hasOwn(storeCommands, name) ? storeCommands[name] : undefined;
const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
const named = { command: verb === null ? name : `${name} ${args[0]}`, usage: (verb ?? command ?? onStore)?.usage };
keepFilesPrivate();
outliveReaders();
if (verb !== null) {
  if (!answersQuestion(args, verb, print)) {
    const exit = await runThroughHost(verb, args);
    // What such a command finds out is exit code 1: a refusal is another one.
    process.exitCode = exit === exitCodes.failed && !verb.hasEnded() ? exitCodes.usage : exit;
  }
} else if (command !== null) {
  if (!answersQuestion(args, command, print)) process.exitCode = await runThroughHost(command, args);
} else if (onStore !== undefined) {
  if (!answersQuestion(args, onStore, print)) {
    process.exitCode = await runOnStore(onStore, args).catch((error: unknown) => {
      const { line, exit } = failedEnd(error, named);
      process.stderr.write(`${escapedText(line)}\n`);
      return exit;
    });
  }
} else if (program !== undefined) {
  // Each reads its own flags from the arguments after its name.
  process.argv.splice(2, 1);
  await program();
} else if (name === 'completions') {
  const [shell] = args;
  const known = shells.find((each) => each === shell);
  if (answersQuestion(args, completionsWords, print)) process.exitCode = exitCodes.done;
  else if (known !== undefined && args.length === 1) {
    // The flags of hosts and workers name what they choose from, which is a good part of the program.
    const { completedCommands } = await import('./completed-commands.ts');
    print(completionScript(known, completedCommands));
  } else {
    process.stderr.write(`SHELL is one of ${shells.join(', ')}\n`);
    process.exitCode = exitCodes.usage;
  }
} else {
  // The features name what they choose from, which is a good part of the program.
  const { features } = await import('../features/features.ts');
  const ofFeatures = commandsOf(features);
  const own = Object.hasOwn(ofFeatures, name) ? ofFeatures[name] : undefined;
  if (own !== undefined) {
    if (!answersQuestion(args, own.words(features), print))
      await own.run(args, features, (await import('./settings/command-parts.ts')).commandParts);
  } else if (['--help', '-h', 'help'].includes(name)) print(await helpOf(ofFeatures));
  else {
    process.stderr.write(name === '' ? await helpOf(ofFeatures) : escapedText(unknownCommand(ofFeatures)));
    process.exitCode = exitCodes.usage;
  }
}
