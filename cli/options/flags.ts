import { nearestName } from './did-you-mean.ts';
import { StartError } from './start-error.ts';

/** How a flag is given: once with a value, several times with values, or without one. */
export type FlagForm = 'single' | 'repeated' | 'switch';

/** One flag of a command: what is read, and what `--help` and `docs/options.md` say of it. */
export interface Flag {
  readonly form: FlagForm;
  /** Stands for the value, such as `PORT`; null for a switch. */
  readonly value: string | null;
  /** What holds where the flag is not given, as people read it; null where nothing does. */
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
export const repeated = (value: string, preset: string | null, help: string): Flag => ({
  form: 'repeated',
  value,
  preset,
  help,
});

/** A flag without a value; it is off where it is not given. */
export const toggle = (help: string): Flag => ({ form: 'switch', value: null, preset: null, help });

/** What was given, by flag name without the leading dashes. */
export interface GivenFlags {
  /** What was given beside the flags, in order. */
  readonly positional: readonly string[];
  single(name: string): string | undefined;
  all(name: string): readonly string[];
  has(name: string): boolean;
}

/** Whatever stands behind it is no flag, such as a label that begins with dashes. */
export const endOfFlags = '--';

/**
 * Reads `--flag value` and `--flag=value`, up to `--`. Throws `StartError` with exit code 2 for an unknown flag (naming the nearest
 * known one), a single flag given twice, a flag without its value and more than `positionals` arguments that are no flag.
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

/** `, did you mean --port?` for the nearest of the known names, with what stands before it; nothing if none is near. */
export function suggestion(name: string, known: readonly string[], prefix = '--'): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : `, did you mean ${prefix}${nearest}?`;
}
