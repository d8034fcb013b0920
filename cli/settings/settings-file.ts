import { applyEdits, modify, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { messageOf } from '../../contract/base/errors.ts';
import { longestCaptions } from '../../contract/captions/caption-production.ts';
import type { HostSetting } from '../../contract/settings.ts';
import { addressFault } from '../../executors/model-server/hosted-provider.ts';
import { StartError, type StartFailure, startTextsOf } from '../../options/failures.ts';
import { type Flag, type FlagTable, type GivenFlags, parseFlags, pathOption, suggestion } from '../../options/flags.ts';
import type { StartText } from '../../options/start-text.ts';
import { dataRootAt, shellPath } from '../../storage/objects/data-root.ts';
import { changeSmallFile, isBlank, readSmallFile } from '../../storage/objects/small-file.ts';
import { dataRootOf } from '../options/data-root.ts';
import { optionsOf, serveFlags } from '../options/serve-options.ts';
import { asTyped, WrongCall } from '../terminal/call.ts';

/** Every option that a settings file may hold, by its name. */
export const settingFlags: FlagTable = Object.fromEntries(
  Object.entries<Flag>(serveFlags).filter(([, { setting }]) => setting !== undefined),
);

const settingRoomOf = (name: string): HostSetting['room'] | undefined => settingFlags[name]?.setting?.room;

/** The groups of settings whose engines a change needs. A permission changes no engine, and has to be withdrawn also from a broken one. */
export const triedRoomsOf = (names: readonly string[]): readonly (HostSetting['room'] | undefined)[] =>
  names.filter((name) => settingFlags[name]?.setting?.role !== 'permission').map(settingRoomOf);

/** A value as the file holds it: a text or a number, `true` for a switch, a list for an option that may be repeated. */
export type SettingValue = string | number | boolean | readonly string[];

/** The content of a settings file, by the names of the options. */
export type Settings = ReadonlyMap<string, SettingValue>;

/** A settings file that cannot be read; `detail` has the place and the fault, without the file. */
export class UnreadableSettings extends StartError {
  constructor(
    path: string,
    readonly detail: string,
  ) {
    super('invalid_settings', `${path}: ${detail}`);
  }
}

const refused = (path: string, detail: string) => new UnreadableSettings(path, detail);

/** `12:3` for an offset: the line and the column, both from 1. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** Why a value does not fit its option; null if it does. */
export function misfitOf({ form }: Flag, value: unknown): string | null {
  if (form === 'switch') return typeof value === 'boolean' ? null : 'true or false is needed';
  if (form === 'repeated') {
    const isList =
      Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && each !== '');
    return isList ? null : 'a list of one or more texts is needed';
  }
  const isText = typeof value === 'string' && value !== '';
  return isText || typeof value === 'number' ? null : 'a text or a number is needed';
}

/** True for the address of a model server. */
export const namesServer = (name: string): boolean =>
  name === 'model-server' || settingFlags[name]?.setting?.keyedBy !== undefined;

/**
 * The fault of a value that fits its option, as a sentence with the name of the setting; null if it has none. Only a host with a model
 * reads the address of its server, perhaps long after it was set.
 */
export function settingFault(name: string, value: SettingValue): string | null {
  const fault = namesServer(name) ? addressFault(String(value)) : null;
  return fault === null ? null : `${name} ${fault}`;
}

/** A value without the name and the password in it, if it is an address. One that is not encoded may hold any sign. */
export const withoutCredentials = (value: string): string => value.replace(/^([a-z][a-z+.-]*:\/\/).*@/is, '$1');

function plainValue(node: Node | undefined): unknown {
  return node?.type === 'array' ? node.children?.map(({ value }) => value) : node?.value;
}

/**
 * Reads settings: JSON with comments and trailing commas. Throws `StartError` `invalid_settings` with the place of the fault.
 * Faults are text that is not JSON, an unknown name, a name given twice and a value that does not fit.
 */
export function parseSettings(text: string, path: string): Settings {
  const faults: ParseError[] = [];
  const root = parseTree(text, faults, { allowTrailingComma: true });
  const [fault] = faults;
  if (fault !== undefined) {
    throw refused(path, `${placeOf(text, fault.offset)}: ${printParseErrorCode(fault.error)}: not JSON with comments`);
  }
  if (root?.type !== 'object') throw refused(path, 'one object with settings is needed, such as { "port": 4312 }');
  const settings = new Map<string, SettingValue>();
  for (const { offset, children: [key, node] = [] } of root.children ?? []) {
    const name = String(key?.value);
    const at = placeOf(text, offset);
    // Editors take the schema from this field.
    if (name === '$schema') continue;
    const flag = Object.hasOwn(settingFlags, name) ? settingFlags[name] : undefined;
    if (flag === undefined) {
      throw refused(path, `${at}: unknown setting "${name}"${suggestion(name, Object.keys(settingFlags), '')}`);
    }
    if (settings.has(name)) throw refused(path, `${at}: "${name}" is given twice; remove one of them`);
    const value = plainValue(node);
    const misfit = misfitOf(flag, value);
    if (misfit !== null) throw refused(path, `${at}: "${name}": ${misfit}`);
    settings.set(name, value as SettingValue);
  }
  return settings;
}

/**
 * Reads a settings file; null if there is none. An empty file, which a loss of power can leave, sets nothing: `report` gets a line that
 * names it. Throws `StartError` `invalid_settings`.
 */
export async function readSettings(
  path: string,
  report: (line: string) => void = () => undefined,
): Promise<Settings | null> {
  const text = await settingsText(path);
  if (text === '')
    report(`${path} is empty, perhaps since a loss of power: it sets nothing, and every option has its default`);
  return text === null ? null : settingsIn(text, path);
}

const settingsIn = (text: string | null, path: string): Settings =>
  text === null || text === '' ? new Map() : parseSettings(text, path);

/** The text of a settings file; empty if there is none in it, and null if there is no file. */
async function settingsText(path: string, read = () => readSmallFile(path)): Promise<string | null> {
  try {
    const bytes = await read();
    if (bytes === null) return null;
    return isBlank(bytes) ? '' : bytes.toString('utf8');
  } catch (error) {
    throw refused(path, messageOf(error));
  }
}

/** The settings file of a start: the one that `--settings` names, else that of the data root. */
export const settingsPath = (given: GivenFlags): string =>
  pathOption(given, 'settings') ?? dataRootAt(dataRootOf(given)).settings;

/** The settings of a start. Throws `StartError` `invalid_settings`, also if the file that was named is not there. */
export async function startSettings(given: GivenFlags, report?: (line: string) => void): Promise<Settings> {
  const path = settingsPath(given);
  const settings = await readSettings(path, report);
  if (settings === null && given.has('settings')) throw refused(path, 'there is no such file');
  return settings ?? new Map();
}

/** True if two settings only make sense together. */
function areGrouped(one: Flag | undefined, other: Flag): boolean {
  if (one?.setting?.isGrouped !== true || other.setting?.isGrouped !== true) return false;
  return one.setting.room === other.setting.room;
}

/** True if the command line leaves a setting without effect: by the option itself, or by another one of its group. */
export const isReplaced = (given: GivenFlags, name: string): boolean =>
  given.has(name) ||
  Object.entries(settingFlags).some(([other, flag]) => given.has(other) && areGrouped(settingFlags[name], flag));

/** The options of a call with those of the settings behind them: what was given on the command line holds. */
export function withSettings(given: GivenFlags, settings: Settings): GivenFlags {
  const valuesOf = (name: string): readonly string[] => {
    if (isReplaced(given, name)) return given.all(name);
    const value = settings.get(name);
    if (value === undefined || value === false) return [];
    if (value === true) return [''];
    return typeof value === 'object' ? value : [String(value)];
  };
  return {
    positional: given.positional,
    single: (name) => valuesOf(name)[0],
    all: valuesOf,
    has: (name) => valuesOf(name).length > 0,
  };
}

/** A text that writes settings by their names, without the dashes of a command line. */
export const inSettingNames = (text: StartText): string =>
  text.in((name) => (Object.hasOwn(settingFlags, name) ? name : `--${name}`));

/** A text about an address that a setting gave in the place of a variable of the environment. */
export const withServerSetting = (text: StartText, given: Pick<GivenFlags, 'has'> | Settings): StartText =>
  given.has('model-server') ? text.ofOption('model-server') : text;

/** The sources of the options of a start: its command line, and the settings that were read from `path`. */
interface StartSources {
  readonly given: GivenFlags;
  readonly settings: Settings;
  readonly path: string;
}

/**
 * A failed start, as `startFailureOf`. If a value of the settings file is the cause, the message names the file. The remedy of a refused
 * value is the command that corrects it.
 */
export function settingsFailure(error: unknown, { given, settings, path }: StartSources): StartFailure {
  const isFromFile = (name: string): boolean => settings.has(name) && !isReplaced(given, name);
  const flags = withSettings(given, settings);
  const { code, ...texts } = startTextsOf(error);
  const text = withServerSetting(texts.text, flags);
  const { remedy } = texts;
  const wrong = [...text.options, ...(remedy?.options ?? [])].find(isFromFile);
  if (wrong === undefined) return { message: `${code}${text}`, remedy: remedy === null ? null : String(remedy) };
  const message = `${code}${path}: ${inSettingNames(text)}`;
  if (!(error instanceof StartError && error.exitCode === 2)) {
    return { message, remedy: remedy === null ? null : inSettingNames(remedy) };
  }
  // The remedy of the code is about flags.
  const lacking = text.options.filter((name) => Object.hasOwn(settingFlags, name) && !isFromFile(name));
  const changed = lacking.length > 0 || isSwitch(wrong) ? lacking : [wrong];
  const values = changed.map((name) => `${name}=${isSwitch(name) ? 'true' : 'VALUE'}`);
  const file = given.has('settings') ? ` --settings ${shellPath(path)}` : '';
  const [first, ...others] = [...(values.length === 0 ? [] : [`set ${values.join(' ')}`]), `unset ${wrong}`];
  const commands = [asTyped(`settings ${first}${file}`), ...others].join(', or ');
  return { message, remedy: `correct it by ${commands}` };
}

const isSwitch = (name: string): boolean => settingFlags[name]?.form === 'switch';

/** The new values of settings: a value, or `undefined` to take one out. */
export type SettingChanges = ReadonlyMap<string, SettingValue | undefined>;

/** Settings after changes. */
export function settingsAfter(settings: Settings, changes: SettingChanges): Settings {
  const after = new Map(settings);
  for (const [name, value] of changes) {
    if (value === undefined) after.delete(name);
    else after.set(name, value);
  }
  return after;
}

/** The engines that settings choose, as their values name them. */
export const chosenEngines = (settings: Settings): readonly SettingValue[] =>
  [...settings].flatMap(([name, value]) => (settingFlags[name]?.setting?.role === 'choice' ? [value] : []));

/** The settings about a choice that changes replace: the model of another recognizer is another kind of name. */
const settingsOfReplaced = (settings: Settings, changes: SettingChanges): readonly string[] =>
  [...settings.keys()].filter((name) => {
    const choice = settingFlags[name]?.setting?.of;
    return choice !== undefined && changes.has(choice) && changes.get(choice) !== settings.get(choice);
  });

/**
 * Changes that also take out the settings of an engine that is replaced, or not permitted any more. These are the settings with which no
 * host starts.
 */
export function withoutLeftovers(settings: Settings, changes: SettingChanges): SettingChanges {
  // The other settings of these rooms are about the engines that are chosen or permitted there.
  const rooms = [...changes.keys()]
    .filter((name) => settingFlags[name]?.setting?.role !== undefined)
    .map(settingRoomOf);
  const all = new Map(changes);
  for (const name of settingsOfReplaced(settings, changes)) if (!changes.has(name)) all.set(name, undefined);
  for (;;) {
    const refused = refusedSetting(settingsAfter(settings, all));
    if (refused === null || changes.has(refused) || !rooms.includes(settingRoomOf(refused))) return all;
    all.set(refused, undefined);
  }
}

/** The setting that does not fit the others; null if all fit, or if something else is wrong with them. */
function refusedSetting(settings: Settings): string | null {
  try {
    optionsOf(withSettings(parseFlags([], serveFlags), settings));
    return null;
  } catch (error) {
    if (!(error instanceof StartError) || error.code !== 'executor_not_allowed') return null;
    return error.text.options.find((name) => settings.has(name)) ?? null;
  }
}

/** The text of a settings file with changes; comments and the order of the others stay. */
export function changedSettings(text: string | null, changes: SettingChanges): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  return [...changes].reduce(
    (before, [name, value]) => applyEdits(before, modify(before, [name], value, { formattingOptions })),
    text ?? '{}\n',
  );
}

/**
 * Changes settings of a file. `changesOf` gets the settings and gives the changes, and may take its time. If another process has changed
 * the file by then, it is called again with the new settings. A reader finds the file before or after the change, which is on disk at
 * the end. `place` is called before the file is written. Throws `StartError` `invalid_settings`, and the errors of `changesOf`, `place`
 * and `changeSmallFile`; nothing is changed then.
 */
export async function changeSettings(
  path: string,
  changesOf: (before: Settings) => Promise<SettingChanges>,
  place: () => void = () => undefined,
): Promise<{ readonly changes: SettingChanges; readonly after: Settings }> {
  for (;;) {
    const text = await settingsText(path);
    const before = settingsIn(text, path);
    const changes = await changesOf(before);
    place();
    const isWritten = await changeSmallFile(path, async (held) => {
      if ((await settingsText(path, held.read)) !== text) return false;
      place();
      await held.replace(Buffer.from(changedSettings(text || null, changes)));
      return true;
    });
    if (isWritten) return { changes, after: settingsAfter(before, changes) };
  }
}

/** A text that a number says just as well: `007` is a name, and not the number 7. */
export const plainNumber = /^(?:0|[1-9]\d{0,14})$/;

/** The value that words of a command line stand for. Throws `WrongCall`. */
export function settingOf(name: string, words: readonly string[]): SettingValue {
  const flag = Object.hasOwn(settingFlags, name) ? settingFlags[name] : undefined;
  if (flag === undefined) {
    const near = suggestion(name, Object.keys(settingFlags), '');
    throw new WrongCall(`unknown setting "${name}"${near}; the options of ${asTyped('serve --help')} are the settings`);
  }
  if (flag.form === 'repeated' && words.length > 0) return words;
  const [word = '', ...others] = words;
  if (word === '' || others.length > 0) throw new WrongCall(`"${name}" takes one value`);
  if (flag.form !== 'switch') return plainNumber.test(word) ? Number(word) : word;
  if (word !== 'true' && word !== 'false') throw new WrongCall(`"${name}": true or false`);
  return word === 'true';
}

/** The JSON Schema of a settings file, for editors. */
export function settingsSchema(): object {
  const types = {
    single: { type: ['string', 'integer'] },
    repeated: { type: 'array', items: { type: 'string' }, minItems: 1 },
    switch: { type: 'boolean' },
  } as const;
  const properties = Object.entries(settingFlags).map(([name, { form, help, preset, choices, bounds }]) => [
    name,
    {
      ...types[form],
      ...(choices && { enum: choices }),
      ...(bounds && { minimum: bounds.low, maximum: bounds.high }),
      description: preset === null ? help : `${help} (default: ${preset})`,
    },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of a host of the Local Media Study Service',
    type: 'object',
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
  };
}

/** The settings of a command for its own host, beneath those of the data root: captions of subtitle tracks, and whole films. */
const commandSettings: Settings = new Map<string, SettingValue>([
  ['caption-executor', 'grouped-subtitles'],
  ['allow-embedded-subtitle-captions', true],
  ['maximum-study-range-ms', longestCaptions.maxDurationMs],
  ['maximum-caption-range-ms', longestCaptions.maxDurationMs],
  ['maximum-caption-lines', longestCaptions.maxLines],
]);

/** The settings of the host of a command, by those of its data root. */
export function withCommandSettings(settings: Settings): Settings {
  const all = new Map([...commandSettings, ...settings]);
  // The permission of one executor fits no other.
  const permission = 'allow-embedded-subtitle-captions';
  if (settings.has('caption-executor') && !settings.has(permission)) all.delete(permission);
  return all;
}
