import type { GivenFlags } from './flags.ts';
import type { StartCode } from './start-codes.ts';
import { StartError } from './start-error.ts';

/** The value of a flag that has one of a few, the first where it is not given. Throws `StartError`. */
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
