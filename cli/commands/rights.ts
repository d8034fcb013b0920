import { type FlagTable, single, toggle } from '../options/flags.ts';
import { type Call, WrongCall } from '../terminal/call.ts';

/** How a person answers for what is taken in. */
export const rightsFlags: FlagTable = {
  label: single('TEXT', 'the name of the file', 'what the source is called'),
  'rights-holder': single('NAME', 'asked at a terminal', 'who holds the rights in the media'),
  'attest-rights': toggle('states that you may process this media; without it a person at the terminal is asked'),
};

/** What is said of the media, and who else can be asked. */
type Answering = Pick<Call, 'given' | 'terminal'>;

const asked = ({ terminal }: Answering, question: string): Promise<string> =>
  terminal.isInteractive ? terminal.ask(question) : Promise.resolve('');

/** Who holds the rights in a file. Throws `WrongCall` where it is not said. */
async function rightsHolderOf(call: Answering, filename: string): Promise<string> {
  const named = call.given.single('rights-holder') ?? (await asked(call, `Who holds the rights in ${filename}? `));
  if (named === '') throw new WrongCall(`--rights-holder is missing: name who holds the rights in ${filename}`);
  return named;
}

/** Throws `WrongCall` unless a person attests the statement. */
export async function attested(call: Answering, statement: string): Promise<void> {
  if (call.given.has('attest-rights')) return;
  const answer = await asked(call, `Do you attest that ${statement}? Type yes: `);
  if (answer !== 'yes')
    throw new WrongCall(`nothing was taken in: it was not attested that ${statement} (--attest-rights)`);
}

/** Throws `WrongCall` unless a person answers for a file that is taken in; who holds the rights in it. */
export async function rightsOf(call: Answering, filename: string): Promise<string> {
  const rightsHolder = await rightsHolderOf(call, filename);
  await attested(call, `you may process ${filename} on this machine`);
  return rightsHolder;
}

/** Throws `WrongCall` where flags have to answer for a file, because nobody can be asked, and do not. */
export async function checkRights(call: Answering, filename: string): Promise<void> {
  if (!call.terminal.isInteractive) await rightsOf(call, filename);
}
