import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { version } from '../../contract/base/program-version.ts';
import { editDistance } from '../../rules/text-comparison.ts';
import { type StartCode, StartError } from '../failures.ts';

/** The known name nearest to a mistyped one; null if none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: editDistance([...name], [...candidate]) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= Math.max(2, name.length / 3) ? nearest.candidate : null;
}

/** How a flag is given: once with a value, several times with values, or without one. */
type FlagForm = 'single' | 'repeated' | 'switch';

/** One flag of a command: its form, and its words in `--help` and `docs/options.md`. */
export interface Flag {
  readonly form: FlagForm;
  /** Stands for the value, such as `PORT`; null for a switch. */
  readonly value: string | null;
  /** The value without the flag, as people read it; null if there is none. */
  readonly preset: string | null;
  /** One clause, no capital, no full stop. */
  readonly help: string;
}

/** The flags of a command by their names without the leading dashes. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** A flag that is given once, with a value. */
export const single = (value: string, preset: string | null, help: string): Flag => ({
  form: 'single',
  value,
  preset,
  help,
});

/** A flag that may be given several times, each time with a value. */
export const repeatable = (value: string, preset: string | null, help: string): Flag => ({
  form: 'repeated',
  value,
  preset,
  help,
});

/** A flag without a value; it is off by default. */
export const toggle = (help: string): Flag => ({ form: 'switch', value: null, preset: null, help });

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
      if (equals !== -1) throw usage(`--${name} takes no value`);
    } else if (equals !== -1) {
      value = argument.slice(equals + 1);
    } else {
      index += 1;
      const next = args[index];
      value = next === undefined || next.startsWith('--') ? '' : next;
    }
    if (form !== 'switch' && value === '') throw usage(`--${name} needs a value`);
    const values = given.get(name) ?? [];
    if (values.length > 0 && form !== 'repeated') throw usage(`--${name} may be given once`);
    given.set(name, [...values, value]);
  }
  return {
    positional,
    single: (name) => given.get(name)?.[0],
    all: (name) => given.get(name) ?? [],
    has: (name) => given.has(name),
  };
}

const usage = (message: string) => new StartError('invalid_flags', message);

/** `, did you mean --port?` for the nearest of the known names, with their prefix; nothing if none is near. */
export function suggestion(name: string, known: readonly string[], prefix = '--'): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : `, did you mean ${prefix}${nearest}?`;
}

/**
 * An absolute path from one that was given on the command line. A leading `~/` is the home folder of this user: a shell
 * leaves it as it is behind an equals sign, as in `--data-root=~/study`.
 */
export const absolutePath = (given: string): string =>
  resolve(given === '~' || given.startsWith('~/') ? join(homedir(), given.slice(1)) : given);

/** The path of a single flag, absolute; null where the flag was not given. */
export function pathOption(given: GivenFlags, name: string): string | null {
  const path = given.single(name);
  return path === undefined ? null : absolutePath(path);
}

/** The value of a flag that takes one of a few, by default the first. Throws `StartError`. */
export function choice<const Choice extends string>(
  given: GivenFlags,
  name: string,
  choices: readonly Choice[],
): Choice {
  const text = given.single(name) ?? choices[0];
  const found = choices.find((candidate) => candidate === text);
  if (found === undefined) throw new StartError('invalid_flags', `--${name} ${text}: one of ${choices.join(', ')}`);
  return found;
}

/** The value of a flag that is an integer between two. Throws `StartError`. */
export function integer(
  given: GivenFlags,
  name: string,
  preset: number,
  low: number,
  high: number,
  code: StartCode,
): number {
  const text = given.single(name);
  if (text === undefined) return preset;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < low || value > high) {
    throw new StartError(code, `--${name} ${text}: an integer from ${low} to ${high} is needed`);
  }
  return value;
}

/** The words of a command about itself. */
export interface CommandWords {
  /** How it is called, such as `npm run verify -- RUNTIME [flags]`. */
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
