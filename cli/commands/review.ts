import { HostError, NothingYet } from '../../client/host-error.ts';
import { errorCodes } from '../../contract/base/errors.ts';
import { isSameName } from '../../contract/base/grammar.ts';
import {
  approvalReasons,
  givenReviewerLabel,
  type PublishReviewDecisions,
  type Reviewer,
  rejectionReasons,
  revocationReasons,
} from '../../contract/review.ts';
import { type FlagTable, type GivenFlags, repeatable, single } from '../options/flags.ts';
import { argument, asTyped, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { isAgreed, type Shown, textAnswer } from '../terminal/question.ts';
import { nextLine, noCaptionsLine } from '../terminal/summary.ts';
import { exitCodes } from '../terminal/terminal.ts';
import { studyArgument } from './named.ts';

const flags: FlagTable = {
  reason: repeatable(
    'CODE',
    null,
    `a reason for reject (${rejectionReasons.join(', ')}) or revoke (${revocationReasons.join(', ')})`,
  ),
  note: single('TEXT', null, 'a note of up to 280 characters'),
  ...hostFlags,
};

const reviewVerbs = ['approve', 'reject', 'revoke'] as const;
type ReviewVerb = (typeof reviewVerbs)[number];

/** The command that approves a study, as this person types it. */
export const approving = (runtimeId: string): string => asTyped(`review approve ${runtimeId}`);

/** True for an error of a client that says that the host has nothing yet. */
export const isNothing = (error: unknown): boolean =>
  error instanceof NothingYet || (error instanceof HostError && error.code === 'not_found');

/** Rethrows the error of a client. If it means that no approval is valid, the new one names the command that approves. */
export const rethrownForApproval =
  (runtimeId: string) =>
  (error: unknown): never => {
    if (!isNothing(error)) throw error;
    throw new NothingYet('no approval of this study is valid', `a person has to approve it (${approving(runtimeId)})`);
  };

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
async function signedName({ host, terminal }: CommandCall, { label }: Reviewer): Promise<string> {
  const { settings } = await host.settings.read();
  if (settings.find(({ name }) => name === 'reviewer-label')?.source !== 'default') return label;
  terminal.remark('You sign with your name. It is asked once, and stands in the record of what you sign.');
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

const questions = { approve: 'Approve?', reject: 'Reject?', revoke: 'Withdraw the approval?' } as const;

/** Shows the statement to the person at the terminal, who has to agree to it word for word or not at all. */
async function attested(
  call: CommandCall,
  reviewer: Reviewer,
  { verb, statement, shown }: { readonly verb: ReviewVerb; readonly statement: string; readonly shown: readonly Shown[] },
): Promise<void> {
  const { terminal } = call;
  if (!terminal.isInteractive) throw new WrongCall('a review needs a person at a terminal, who attests it');
  terminal.remark(`${await signedName(call, reviewer)}: "${statement}"`);
  if (!(await isAgreed(terminal, questions[verb], shown))) throw new WrongCall('nothing was decided: not attested');
}

/** The codes of `--reason` that were given, in the order in which a host takes them. Throws `WrongCall`. */
function reasonsOf<const Code extends string>(given: GivenFlags, verb: ReviewVerb, codes: readonly Code[]): Code[] {
  const reasons = given.all('reason');
  if (reasons.length === 0) throw new WrongCall(`${verb} needs at least one --reason: ${codes.join(', ')}`);
  const unknown = reasons.find((reason) => !codes.some((code) => code === reason));
  if (unknown !== undefined) throw new WrongCall(`--reason ${unknown}: one of ${codes.join(', ')}`);
  return codes.filter((code) => reasons.includes(code));
}

/** Throws if a review has no effect any more, or none yet: then a person must not attest to it. */
async function checkState({ host }: CommandCall, verb: ReviewVerb, runtimeId: string, reviews: number): Promise<void> {
  if (verb === 'revoke') {
    await host.reviews.approval(runtimeId).catch(rethrownForApproval(runtimeId));
  } else if (reviews > 0) {
    const [status, code] = [errorCodes.illegal_review_transition, 'illegal_review_transition'];
    throw new HostError({ status, code, message: 'the study has been reviewed already', retryAfterSeconds: null });
  }
}

/** Says before a signature that this host makes no captions of the study, and why: the person may have meant to get some. */
async function warnOfCaptions({ host, terminal }: CommandCall, runtimeId: string): Promise<void> {
  const line = noCaptionsLine(await host.overview(runtimeId));
  if (line !== null) terminal.remark(line);
}

async function decided(call: CommandCall, verb: ReviewVerb, runtimeId: string): Promise<PublishReviewDecisions> {
  const { host, given } = call;
  const { reviewer, reviews } = await host.reviews.decisions(runtimeId);
  await checkState(call, verb, runtimeId, reviews.length);
  const note = given.single('note') ?? null;
  const statement = verb === 'revoke' ? reviewer.revocationAttestation : reviewer.decisionAttestation;
  if (verb === 'approve') await warnOfCaptions(call, runtimeId);
  await attested(call, reviewer, { verb, statement, shown: [] });
  const by = { reviewerId: reviewer.id, attestation: statement };
  if (verb === 'revoke') {
    return host.reviews.revoke(runtimeId, { reasonCodes: reasonsOf(given, verb, revocationReasons), note }, by);
  }
  if (verb === 'reject') {
    const reasonCodes = reasonsOf(given, verb, rejectionReasons);
    return host.reviews.decide(runtimeId, { outcome: 'reject_with_reasons', reasonCodes, note }, by);
  }
  const outcome = 'approve_for_caption_production';
  return host.reviews.decide(runtimeId, { outcome, reasonCodes: approvalReasons, note }, by);
}

function reviewVerbOf(given: GivenFlags): ReviewVerb {
  const asked = argument(given, 0, reviewVerbs.join('|'));
  const verb = reviewVerbs.find((each) => each === asked);
  if (verb === undefined) throw new WrongCall(`${asked}: one of ${reviewVerbs.join(', ')}`);
  return verb;
}

async function check(given: GivenFlags): Promise<void> {
  const verb = reviewVerbOf(given);
  if (verb === 'revoke') reasonsOf(given, verb, revocationReasons);
  else if (verb === 'reject') reasonsOf(given, verb, rejectionReasons);
  else if (given.has('reason')) throw new WrongCall('--reason is for reject and revoke');
}

async function run(call: CommandCall) {
  const [verb, runtimeId] = [reviewVerbOf(call.given), await studyArgument(call, 1)];
  const answer = await decided(call, verb, runtimeId);
  call.terminal.result(
    answer,
    answer.reviews.map(({ reviewId, state }) => `${reviewId} ${state}`),
  );
  // An approval makes no captions by itself.
  const next = verb === 'approve' ? nextLine(await call.host.overview(runtimeId), 'produce_captions') : null;
  if (next !== null) call.terminal.remark(next);
  return exitCodes.done;
}

/** Approves, rejects or revokes. */
export const review: HostCommand = {
  usage: 'media-study review approve|reject|revoke RUNTIME [flags]',
  purpose: 'Approves, rejects or revokes a study; you attest the decision at the terminal.',
  flags,
  choices: reviewVerbs,
  positionals: 2,
  studyAt: 1,
  check,
  run,
};
