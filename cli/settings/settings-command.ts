import { HostError } from '../../client/host-error.ts';
import { messageOf } from '../../contract/base/errors.ts';
import { engineFailureOf } from '../../contract/causes/stored-failures.ts';
import { recognizerEngines } from '../../contract/recognition.ts';
import type { HostSetting } from '../../contract/settings.ts';
import { StartError, startTextsOf } from '../../options/failures.ts';
import { type GivenFlags, parseFlags } from '../../options/flags.ts';
import { type ExitCode, exitCodes } from '../../options/outputs.ts';
import { dataRootOf } from '../options/data-root.ts';
import { engineChoicesOf, featuresOf, optionsOf, serveFlags } from '../options/serve-options.ts';
import { MissingArgument, programAsTyped, terminalText, WrongCall } from '../terminal/call.ts';
import { findHost, hasHost } from '../terminal/running-host.ts';
import type { Terminal } from '../terminal/terminal.ts';
import {
  changeSettings,
  chosenEngines,
  inSettingNames,
  readSettings,
  type SettingChanges,
  type Settings,
  type SettingValue,
  settingFault,
  settingFlags,
  settingOf,
  settingsAfter,
  settingsPath,
  triedRoomsOf,
  withoutCredentials,
  withoutLeftovers,
  withServerSetting,
  withSettings,
} from './settings-file.ts';
import { demandServer, demandStart, serversOf } from './start-trial.ts';

const verbs = ['show', 'set', 'unset'] as const;
type Verb = (typeof verbs)[number];

/** `name=value` words, by name; an option that may be repeated takes all of its values. */
function changesOf(verb: Verb, words: readonly string[]): SettingChanges {
  if (words.length === 0) throw new MissingArgument(verb === 'set' ? 'NAME=VALUE' : 'NAME');
  if (verb === 'unset') {
    const unknown = words.find((name) => !Object.hasOwn(settingFlags, name));
    if (unknown !== undefined) settingOf(unknown, []);
    return new Map(words.map((name) => [name, undefined]));
  }
  const values = new Map<string, string[]>();
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals < 1) throw new WrongCall(`${word}: give NAME=VALUE, such as caption-executor=grouped-subtitles`);
    const name = word.slice(0, equals);
    values.set(name, [...(values.get(name) ?? []), word.slice(equals + 1)]);
  }
  return new Map([...values].map(([name, given]) => [name, settingOf(name, given)]));
}

/** Tries what a host with these settings needs. Throws what the start of that host would be refused with. */
async function demandWorking(settings: Settings, isTried: (room: HostSetting['room']) => boolean): Promise<void> {
  const flags = withSettings(parseFlags([], serveFlags), settings);
  const options = optionsOf(flags);
  const configured = featuresOf(flags, process.env);
  engineChoicesOf(options, configured);
  const servers = serversOf(configured);
  // The address of all servers is a setting of captions.
  if (isTried('captions') || servers.some(({ room }) => isTried(room)))
    for (const { provider } of servers) await demandServer(provider);
  await demandStart(options, configured, process.env, isTried);
}

/** Why a host would not start with settings, in their names, with the remedy of an engine that is not there. */
function refusalOf(error: unknown, settings: Settings): string {
  const engine = recognizerEngines.find((each) => chosenEngines(settings).includes(each));
  const failure = engine === undefined ? null : engineFailureOf(messageOf(error), engine);
  // A program that is not there has its place in the sentence of its start.
  if (failure !== null && failure.code !== 'engine_gone') {
    const { what, remedy } = terminalText(failure);
    return remedy === null ? what : `${what}; ${remedy}`;
  }
  const { code, text, remedy } = startTextsOf(error);
  const refusal = inSettingNames(withServerSetting(text, settings));
  if (error instanceof StartError) return refusal;
  return `${code}${refusal}${remedy === null ? '' : `; ${inSettingNames(remedy)}`}`;
}

/** The settings after a change are refused, and nothing is changed. */
class RefusedChange extends Error {
  readonly exitCode: ExitCode;
  constructor(cause: unknown, after: Settings) {
    super(refusalOf(cause, after), { cause });
    this.exitCode = cause instanceof StartError ? cause.exitCode : exitCodes.failed;
  }
}

/** Throws `RefusedChange` for a value that no host takes, and unless a host would start with the settings after a change. */
async function demandChange(after: Settings, verb: Verb, names: readonly string[]): Promise<void> {
  try {
    for (const name of names) {
      const value = after.get(name);
      const fault = value === undefined ? null : settingFault(name, value);
      if (fault !== null) throw new StartError('invalid_settings', fault);
    }
    const rooms = triedRoomsOf(names);
    // Of several faults in a file, one after the other can be taken out.
    await demandWorking(after, verb === 'set' ? () => true : (room) => rooms.includes(room));
  } catch (error) {
    throw new RefusedChange(error, after);
  }
}

/** A value as it is shown to people and to programs: a terminal and a log keep what they get. */
const shown = (value: SettingValue): SettingValue => (typeof value === 'string' ? withoutCredentials(value) : value);

const lineOf = ([name, value]: readonly [string, SettingValue]): string =>
  `${name}: ${typeof value === 'object' ? value.join(', ') : value}`;

function show(terminal: Terminal, path: string, settings: Settings | null): void {
  const values = [...(settings ?? [])].map(([name, value]) => [name, shown(value)] as const);
  const lines =
    values.length === 0
      ? [`${path} sets nothing: every option has its default, see ${programAsTyped()} serve --help`]
      : [`settings in ${path}:`, ...values.map(lineOf)];
  terminal.result({ path, settings: Object.fromEntries(values) }, lines);
}

/** The refusals by which a host says that it did not take its file. */
const refusalsOfSettings: readonly string[] = ['invalid_settings_change', 'settings_unreadable'];

/** Has the host that runs on a data root take its settings. Returns the result as a line for people. */
async function takenBy(dataRoot: string): Promise<string> {
  const host = 'a host runs on this data root';
  try {
    const { client } = await findHost(dataRoot, () => undefined, { environment: {} });
    const { afterRestart } = await client.settings.change({ fromFile: true });
    return afterRestart.length === 0
      ? `${host}, and has taken the change`
      : `${host}: restart it to apply ${afterRestart.join(', ')}`;
  } catch (error) {
    if (error instanceof HostError && refusalsOfSettings.includes(error.code)) {
      return `${host}, and did not take the change: ${error.message}. Correct the settings, or restart the host`;
    }
    // One of an earlier version takes no such request.
    return `${host}: restart it to apply the change`;
  }
}

/**
 * Changes settings after a trial, and has a running host take them. The terminal gets the reason of a refusal; nothing is changed
 * then. Returns the settings afterwards, or the exit code of the refusal.
 */
export async function changeTried(
  { path, dataRoot }: { readonly path: string; readonly dataRoot: string },
  verb: Verb,
  asked: SettingChanges,
  terminal: Pick<Terminal, 'remark'>,
): Promise<{ readonly after: Settings } | { readonly refused: ExitCode }> {
  try {
    const { after, changes } = await changeSettings(path, async (before) => {
      const changes = withoutLeftovers(before, asked);
      await demandChange(settingsAfter(before, changes), verb, [...changes.keys()]);
      return changes;
    });
    const others = [...changes.keys()].filter((name) => !asked.has(name));
    if (others.length > 0) terminal.remark(`also unset, because nothing uses it any more: ${others.join(', ')}`);
    if (await hasHost(dataRoot)) terminal.remark(await takenBy(dataRoot));
    return { after };
  } catch (error) {
    if (!(error instanceof RefusedChange)) throw error;
    terminal.remark(`nothing was changed: ${error.message}`);
    return { refused: error.exitCode };
  }
}

/** `media-study settings`: shows and changes the settings of a data root. Throws `WrongCall` and `StartError`. */
export async function settingsCommand(given: GivenFlags, terminal: Terminal): Promise<ExitCode> {
  const dataRoot = dataRootOf(given);
  const path = settingsPath(given);
  const [word = 'show', ...words] = given.positional;
  const verb = verbs.find((each) => each === word);
  if (verb === undefined) throw new WrongCall(`${word}: one of ${verbs.join(', ')}`);
  if (verb === 'show' && words.length > 0) {
    throw new WrongCall(`${words.join(' ')}: settings show takes no names; it shows all settings`);
  }
  const settings = await readSettings(path, terminal.remark);
  if (verb === 'show') {
    show(terminal, path, settings);
    return exitCodes.done;
  }
  const changed = await changeTried({ path, dataRoot }, verb, changesOf(verb, words), terminal);
  if ('refused' in changed) return changed.refused;
  show(terminal, path, changed.after);
  return exitCodes.done;
}
