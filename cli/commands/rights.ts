import { type FlagTable, single, toggle } from '../options/flags.ts';
import { type Call, WrongCall } from '../terminal/call.ts';

/** How a person answers for what is taken in. */
export const rightsFlags: FlagTable = {
  label: single('TEXT', 'the name of the file', 'what the source is called'),
  'rights-holder': single('NAME', 'asked at a terminal', 'who holds the rights in the media'),
  'attest-rights': toggle('states that you may process this media; without it a person at the terminal is asked'),
};

const asked = ({ terminal }: Call, question: string): Promise<string> =>
  terminal.isInteractive ? terminal.ask(question) : Promise.resolve('');

/** Who holds the rights in a file. Throws `WrongCall` where it is not said. */
export async function rightsHolderOf(call: Call, filename: string): Promise<string> {
  const named = call.given.single('rights-holder') ?? (await asked(call, `Who holds the rights in ${filename}? `));
  if (named === '') throw new WrongCall(`--rights-holder is missing: name who holds the rights in ${filename}`);
  return named;
}

/** Throws `WrongCall` unless a person attests the statement. */
export async function attested(call: Call, statement: string): Promise<void> {
  if (call.given.has('attest-rights')) return;
  const answer = await asked(call, `Do you attest that ${statement}? Type yes: `);
  if (answer !== 'yes')
    throw new WrongCall(`nothing was taken in: it was not attested that ${statement} (--attest-rights)`);
}
