import { HostError } from '../../client/host-error.ts';
import { errorCodes } from '../../contract/base/errors.ts';
import {
  approvalReasons,
  type PublishReviewDecisions,
  rejectionReasons,
  revocationReasons,
} from '../../contract/review.ts';
import { type FlagTable, type GivenFlags, repeatable, single } from '../options/flags.ts';
import { argument, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { noCaptionsLine } from '../terminal/summary.ts';
import { exitCodes } from '../terminal/terminal.ts';
import { noApproval, rethrownAs } from './captions.ts';
import { studyArgument } from './named.ts';

const flags: FlagTable = {
  reason: repeatable('CODE', null, 'why it is rejected or revoked; docs/receipts.md lists the codes'),
  note: single('TEXT', null, 'a note of up to 280 characters'),
  ...hostFlags,
};

const reviewVerbs = ['approve', 'reject', 'revoke'] as const;
type ReviewVerb = (typeof reviewVerbs)[number];

/** Shows the statement to the person at the terminal, who has to agree to it word for word or not at all. */
async function attested({ terminal }: CommandCall, who: string, statement: string): Promise<void> {
  if (!terminal.isInteractive) throw new WrongCall('a review needs a person at a terminal: nothing attests by itself');
  terminal.remark(`${who}: "${statement}"`);
  if ((await terminal.ask('Type yes to attest this: ')) !== 'yes')
    throw new WrongCall('nothing was decided: not attested');
}

/** The codes of `--reason` that were given, in the order in which a host takes them. Throws `WrongCall`. */
function reasonsOf<const Code extends string>(given: GivenFlags, deed: ReviewVerb, codes: readonly Code[]): Code[] {
  const reasons = given.all('reason');
  if (reasons.length === 0) throw new WrongCall(`${deed} needs at least one --reason: ${codes.join(', ')}`);
  const unknown = reasons.find((reason) => !codes.some((code) => code === reason));
  if (unknown !== undefined) throw new WrongCall(`--reason ${unknown}: one of ${codes.join(', ')}`);
  return codes.filter((code) => reasons.includes(code));
}

/** Throws if a review has no effect any more, or none yet: then a person must not attest to it. */
async function checkState({ host }: CommandCall, deed: ReviewVerb, runtimeId: string, reviews: number): Promise<void> {
  if (deed === 'revoke') {
    await host.reviews.approval(runtimeId).catch(rethrownAs(noApproval(runtimeId)));
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

async function decided(call: CommandCall, deed: ReviewVerb, runtimeId: string): Promise<PublishReviewDecisions> {
  const { host, given } = call;
  const { reviewer, reviews } = await host.reviews.decisions(runtimeId);
  await checkState(call, deed, runtimeId, reviews.length);
  const note = given.single('note') ?? null;
  const statement = deed === 'revoke' ? reviewer.revocationAttestation : reviewer.decisionAttestation;
  if (deed === 'approve') await warnOfCaptions(call, runtimeId);
  await attested(call, reviewer.label, statement);
  const by = { reviewerId: reviewer.id, attestation: statement };
  if (deed === 'revoke') {
    return host.reviews.revoke(runtimeId, { reasonCodes: reasonsOf(given, deed, revocationReasons), note }, by);
  }
  if (deed === 'reject') {
    const reasonCodes = reasonsOf(given, deed, rejectionReasons);
    return host.reviews.decide(runtimeId, { outcome: 'reject_with_reasons', reasonCodes, note }, by);
  }
  const outcome = 'approve_for_caption_production';
  return host.reviews.decide(runtimeId, { outcome, reasonCodes: approvalReasons, note }, by);
}

function reviewVerbOf(given: GivenFlags): ReviewVerb {
  const asked = argument(given, 0, reviewVerbs.join(', '));
  const deed = reviewVerbs.find((each) => each === asked);
  if (deed === undefined) throw new WrongCall(`${asked}: one of ${reviewVerbs.join(', ')}`);
  return deed;
}

async function check(given: GivenFlags): Promise<void> {
  const deed = reviewVerbOf(given);
  argument(given, 1, 'RUNTIME');
  if (deed === 'revoke') reasonsOf(given, deed, revocationReasons);
  else if (deed === 'reject') reasonsOf(given, deed, rejectionReasons);
  else if (given.has('reason')) throw new WrongCall('--reason is for reject and revoke');
}

async function run(call: CommandCall) {
  const answer = await decided(call, reviewVerbOf(call.given), await studyArgument(call, 1));
  call.terminal.result(
    answer,
    answer.reviews.map(({ reviewId, state }) => `${reviewId} ${state}`),
  );
  return exitCodes.done;
}

/** Approves, rejects or revokes. */
export const review: HostCommand = {
  usage: 'media-study review approve|reject|revoke RUNTIME [flags]',
  purpose: 'Asks the person at the terminal to attest a review, and writes it.',
  flags,
  choices: reviewVerbs,
  positionals: 2,
  studyAt: 1,
  check,
  run,
};
