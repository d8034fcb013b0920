import { isSameName } from '../../contract/base/grammar.ts';
import { givenReviewerLabel, type Reviewer } from '../../contract/review.ts';
import type { GivenFlags } from '../../options/flags.ts';
import { asTyped, type CommandCall, WrongCall } from '../terminal/call.ts';
import { textAnswer } from '../terminal/question.ts';

/** Throws `WrongCall` if `--reviewer` names another one than the reviewer of the host. */
export function checkReviewer(given: GivenFlags, { id, label }: Pick<Reviewer, 'id' | 'label'>): void {
  const named = given.single('reviewer');
  if (named === undefined || isSameName(named, label) || named === id) return;
  throw new WrongCall(`--reviewer ${named}: the reviewer of this host is ${label} (${id}); name that one`);
}

const nameFault = (text: string): string | null =>
  givenReviewerLabel.safeParse(text).success ? null : 'A name has at most 80 characters, on one line.';

/**
 * The name that a person at the terminal signs with. A host whose reviewer has no name yet asks for it once, and remembers it. The id
 * of the reviewer stays.
 */
export async function signedName({ host, terminal }: CommandCall, { label }: Reviewer): Promise<string> {
  const { settings } = await host.settings.read();
  if (settings.find(({ name }) => name === 'reviewer-label')?.source !== 'default') return label;
  terminal.remark('You sign with your name. The command asks for it once, and records it with each approval.');
  const named = await textAnswer(terminal, 'Your name:', nameFault);
  if (named === null) return label;
  await host.settings.change({ set: { 'reviewer-label': named } });
  terminal.remark(`Saved. To change it: ${asTyped('settings set reviewer-label=NAME')}`);
  return named;
}

/**
 * True if the person at the terminal has yet to agree to a statement, which is shown then below their name. `--attest` agrees without
 * a question in the name that `--reviewer` gives. Throws `WrongCall` for another name, and if there is no person to ask.
 */
export async function mustAgree(
  call: CommandCall,
  reviewer: Reviewer,
  { statement, verb }: { readonly statement: string; readonly verb: 'approve' | 'correct' },
): Promise<boolean> {
  const { terminal, given } = call;
  const { id, label } = reviewer;
  checkReviewer(given, { id, label });
  if (given.has('attest')) return false;
  if (!terminal.isInteractive) {
    const done = verb === 'approve' ? 'approved' : 'corrected';
    throw new WrongCall(
      `nothing was ${done}: ${verb} at a terminal, or with --attest --reviewer "${label}", which attests "${statement}"`,
    );
  }
  terminal.remark(`${await signedName(call, reviewer)}: "${statement}"`);
  return true;
}
