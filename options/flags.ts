import { existsSync, readdirSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isSameName } from '../contract/base/grammar.ts';
import { version } from '../contract/base/program-version.ts';
import type { HostSetting } from '../contract/settings.ts';
import { editDistance } from '../rules/text-comparison.ts';
import { type StartCode, StartError } from './failures.ts';
import { option, type StartText, worded } from './start-text.ts';

/** The known name nearest to a mistyped one, or the only one with that text in it; null if none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: editDistance(letters(name), letters(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  // With as many edits as letters, any short name is near.
  const reach = Math.min(Math.max(2, name.length / 3), name.length - 1);
  if (nearest !== undefined && nearest.distance <= reach) return nearest.candidate;
  const part = name.normalize('NFC').toLowerCase();
  const [only, ...others] = known.filter((candidate) => candidate.normalize('NFC').toLowerCase().includes(part));
  return only !== undefined && others.length === 0 && name.length >= leastPart ? only : null;
}

const letters = (name: string): string[] => [...name.normalize('NFC')];

/** Shorter texts are in many names by chance. */
const leastPart = 4;

/** How a flag is also a setting of a host: the room of the console that shows it, and how a change takes effect. */
interface SettingPlace extends Pick<HostSetting, 'room' | 'change'> {
  /**
   * True if it only makes sense with the others of its room. If the command line has one of them, the settings of all are
   * ignored. `--caption-executor recorded` must not meet the permission of another executor.
   */
  readonly isGrouped?: boolean;
  /** `choice` if it chooses an engine, `permission` if a person permits one by it, which changes no engine. */
  readonly role?: 'choice' | 'permission';
  /** The choice that gives its value a meaning: with another one, it is the name of something else. */
  readonly of?: string;
  /** True if only a person at the command line may change it, though the change takes effect at once: it names a program to run. */
  readonly namesProgram?: true;
  /**
   * For the address of a server, the setting that names the file of its key. Clients of a host may only name a server on this machine.
   * They may name none while there is such a file, because the key would be sent to it.
   */
  readonly keyedBy?: string;
}

/** How a flag is given: once with a value, several times with values, or without one. */
type FlagForm = 'single' | 'repeated' | 'switch';

/**
 * One flag of a command, declared once. It has the form, the words for `--help`, the docs and the completions of a shell, and the
 * way to read its value.
 */
export interface Flag<Value = unknown> {
  readonly form: FlagForm;
  /** Stands for the value, such as `PORT`; null for a switch. */
  readonly value: string | null;
  /** The default in words; null if there is none. */
  readonly preset: string | null;
  /** One clause, no capital, no full stop. */
  readonly help: string;
  /** The only values that it takes, if these are few. */
  readonly choices?: readonly string[];
  /** The integers that it takes, if it takes integers. */
  readonly bounds?: { readonly low: number; readonly high: number };
  /** Absent for what only a command line can say. */
  readonly setting?: SettingPlace;
  /** Its value, or its default if it was not given. Throws `StartError`. */
  readonly read: (given: GivenFlags, name: string) => Value;
}

/** The flags of a command by their names without the leading dashes. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** The values of a table of flags by their names. */
type FlagValues<Table extends FlagTable> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['read']>;
};

/** Reads every flag of a table. Throws `StartError` for the first value that a flag does not take. */
export const valuesOf = <Table extends FlagTable>(given: GivenFlags, table: Table): FlagValues<Table> =>
  Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, flag.read(given, name)])) as FlagValues<Table>;

/** A flag that is given once, with a text; `preset` says in words what happens without it. */
export const single = (value: string, preset: string | null, help: string): Flag<string | undefined> => ({
  form: 'single',
  value,
  preset,
  help,
  read: (given, name) => given.single(name),
});

/** A flag with a text that has a default; `check` throws `StartError` for a text that it does not take. */
export const text = (
  value: string,
  preset: string,
  help: string,
  check: (given: string, name: string) => void = () => undefined,
): Flag<string> => ({
  form: 'single',
  value,
  preset,
  help,
  read: (given, name) => {
    const found = given.single(name) ?? preset;
    check(found, name);
    return found;
  },
});

/** A flag with a path, which becomes absolute; null if it was not given. */
export const path = (value: string, preset: string | null, help: string): Flag<string | null> => ({
  form: 'single',
  value,
  preset,
  help,
  read: pathOption,
});

/** A flag that may be given several times, each time with a value. */
export const repeatable = (value: string, preset: string | null, help: string): Flag<readonly string[]> => ({
  form: 'repeated',
  value,
  preset,
  help,
  read: (given, name) => given.all(name),
});

/** A flag without a value; it is off if it is not given. */
export const toggle = (help: string): Flag<boolean> => ({
  form: 'switch',
  value: null,
  preset: null,
  help,
  read: (given, name) => given.has(name),
});

/** A flag that takes one of a few values, the first if it is not given. */
export const oneOf = <const Choice extends string>(
  value: string,
  choices: readonly [Choice, ...Choice[]],
  help: string,
): Flag<Choice> => ({
  form: 'single',
  value,
  preset: choices[0],
  help,
  choices,
  read: (given, name) => {
    const found = given.single(name) ?? choices[0];
    const choice = choices.find((candidate) => candidate === found);
    if (choice === undefined) throw usage(worded`${option(name)} ${found}: one of ${choices.join(', ')}`);
    return choice;
  },
});

/** The integers that a flag takes, its default, and the code with which another one is refused. */
interface IntegerRange {
  readonly preset: number;
  /** The default in words, if the number is not the same on every machine. */
  readonly presetWords?: string;
  readonly low: number;
  readonly high: number;
  readonly refusal?: StartCode;
}

/** A flag that takes an integer from `low` to `high`. */
export const integer = (
  value: string,
  { preset, presetWords = String(preset), low, high, refusal = 'invalid_flags' }: IntegerRange,
  help: string,
): Flag<number> => ({
  form: 'single',
  value,
  preset: presetWords,
  help,
  bounds: { low, high },
  read: (given, name) => {
    const found = given.single(name);
    if (found === undefined) return preset;
    const number = Number(found);
    if (!/^\d+$/.test(found) || number < low || number > high) {
      throw new StartError(refusal, worded`${option(name)} ${found}: an integer from ${low} to ${high} is needed`);
    }
    return number;
  },
});

/** The given flags, by name without the leading dashes. */
export interface GivenFlags {
  /** The arguments beside the flags, in order. */
  readonly positional: readonly string[];
  single(name: string): string | undefined;
  all(name: string): readonly string[];
  has(name: string): boolean;
}

/** Everything after it is an argument, such as a label that begins with dashes. */
export const endOfFlags = '--';

/**
 * Reads `--flag value` and `--flag=value`, up to `--`. Throws `StartError` with exit code 2 for an unknown flag (naming the
 * nearest known one), a single flag given twice or a flag without its value. The same for more than `positionals` arguments
 * beside the flags.
 */
export function parseFlags(args: readonly string[], table: FlagTable, positionals = 0): GivenFlags {
  const given = new Map<string, string[]>();
  const positional: string[] = [];
  let isPast = false;
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === endOfFlags && !isPast) {
      isPast = true;
      continue;
    }
    if (isPast || !argument.startsWith('--')) {
      if (positional.length === positionals) throw usage(`unexpected argument '${argument}'`);
      positional.push(argument);
      continue;
    }
    const equals = argument.indexOf('=');
    const name = argument.slice(2, equals === -1 ? undefined : equals);
    const flag = Object.hasOwn(table, name) ? table[name] : undefined;
    if (flag === undefined) throw usage(`unknown flag --${name}${suggestion(name, Object.keys(table))}`);
    const { form } = flag;
    let value = '';
    if (form === 'switch') {
      if (equals !== -1) throw usage(worded`${option(name)} takes no value`);
    } else if (equals !== -1) {
      value = argument.slice(equals + 1);
    } else {
      index += 1;
      const next = args[index];
      value = next === undefined || next.startsWith('--') ? '' : next;
    }
    if (form !== 'switch' && value === '') throw usage(worded`${option(name)} needs a value`);
    const values = given.get(name) ?? [];
    if (values.length > 0 && form !== 'repeated') throw usage(worded`${option(name)} may be given once`);
    given.set(name, [...values, value]);
  }
  return {
    positional,
    single: (name) => given.get(name)?.[0],
    all: (name) => given.get(name) ?? [],
    has: (name) => given.has(name),
  };
}

const usage = (message: string | StartText) => new StartError('invalid_flags', message);

/** `, did you mean --port?` for the nearest of the known names, with their prefix; nothing if none is near. */
export function suggestion(name: string, known: readonly string[], prefix = '--'): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : `, did you mean ${prefix}${nearest}?`;
}

/** The home folder of this user, also if `HOME` is empty or relative: data must not land in the working folder. */
export function homeFolder(): string {
  const named = homedir();
  return isAbsolute(named) ? named : userInfo().homedir;
}

/**
 * An absolute path from one that was given on the command line. A leading `~/` is the home folder of this user: a shell
 * leaves it as it is behind an equals sign, as in `--data-root=~/study`.
 */
export const absolutePath = (given: string): string =>
  storedPath(resolve(given === '~' || given.startsWith('~/') ? join(homeFolder(), given.slice(1)) : given));

/**
 * The path of the file or folder that a person names, with the Unicode form of each name as the disk has it. A file that came from
 * macOS may be stored in the form that no keyboard writes. A name that nothing, or more than one thing, has stays as it is.
 */
export function storedPath(given: string): string {
  if (given.normalize('NFC') === given.normalize('NFD') || existsSync(given)) return given;
  const [folder, name] = [storedPath(dirname(given)), basename(given)];
  const [only, ...others] = namesIn(folder).filter((stored) => isSameName(stored, name));
  if (only !== undefined && others.length === 0) return join(folder, only);
  return folder === dirname(given) ? given : join(folder, name);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The path of a single flag, absolute; null if the flag was not given. */
export function pathOption(given: GivenFlags, name: string): string | null {
  const found = given.single(name);
  return found === undefined ? null : absolutePath(found);
}

/** The words of a command about itself. */
export interface CommandWords {
  /** How it is called, such as `media-study watch RUNTIME [flags]`. */
  readonly usage: string;
  /** One sentence. */
  readonly purpose: string;
  readonly flags: FlagTable;
  /** Words that its arguments may be, where these are known; a shell completes them. */
  readonly choices?: readonly string[];
}

const indent = 6;
const widest = 100;

/** The text of `--help`: usage, purpose, and each flag with its value, its meaning and what holds without it. */
export function helpText({ usage, purpose, flags }: CommandWords): string {
  const rows = Object.entries(flags).map(([name, flag]) => `  ${headOf(name, flag)}\n${wrapped(meaningOf(flag))}`);
  const common = ['  --help\n      shows this text', '  --version\n      shows the version'];
  return [`usage: ${usage}`, purpose, '', ...rows, ...common, ''].join('\n');
}

/** Answers `--help` and `--version` on stdout wherever they are among the flags of a call; false if neither is there. */
export function answersQuestion(all: readonly string[], words: CommandWords, print: (text: string) => void): boolean {
  const args = all.includes(endOfFlags) ? all.slice(0, all.indexOf(endOfFlags)) : all;
  if (args.includes('--help') || args.includes('-h')) print(helpText(words));
  else if (args.includes('--version')) print(`${version}\n`);
  else return false;
  return true;
}

const headOf = (name: string, { value, form }: Flag): string =>
  `--${name}${value === null ? '' : ` ${value}`}${form === 'repeated' ? ' (may be repeated)' : ''}`;

const meaningOf = ({ help, preset }: Flag): string => (preset === null ? help : `${help} (default: ${preset})`);

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && indent + line.length + 1 + word.length > widest) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => ' '.repeat(indent) + line).join('\n');
}
