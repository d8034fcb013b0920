import { HostError, NothingYet } from '../../client/host-error.ts';
import { errorCodes } from '../../contract/base/errors.ts';
import {
  approvalReasons,
  type PublishReviewDecisions,
  type Reviewer,
  rejectionReasons,
  revocationReasons,
} from '../../contract/review.ts';
import { type FlagTable, type GivenFlags, repeatable, single } from '../../options/flags.ts';
import { exitCodes } from '../../options/outputs.ts';
import { argument, asTyped, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { obstacleLines } from '../terminal/plan-lines.ts';
import { isAgreed, type Shown } from '../terminal/question.ts';
import { nextLine, noCaptionsLine } from '../terminal/summary.ts';
import { planRefusal, readable, type ShownPlan, shownPlan } from './caption-approval.ts';
import { studyArgument } from './named.ts';
import { signedName } from './reviewer.ts';

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

const questions = { approve: 'Approve?', reject: 'Reject?', revoke: 'Withdraw the approval?' } as const;

/** Shows the statement to the person at the terminal, who has to agree to it word for word or not at all. */
async function attested(
  call: CommandCall,
  reviewer: Reviewer,
  {
    verb,
    statement,
    shown,
  }: { readonly verb: ReviewVerb; readonly statement: string; readonly shown: readonly Shown[] },
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

/**
 * Shows the plan of the captions of a study before a signature. Says so if this host makes none, and why: the person may have meant to
 * get some. Null if no captions can be made.
 */
async function plannedCaptions(call: CommandCall, runtimeId: string): Promise<ShownPlan | null> {
  const { host, terminal } = call;
  const overview = await host.overview(runtimeId);
  const line = noCaptionsLine(overview);
  if (line !== null) terminal.remark(line);
  const method = overview.captions.state === 'never' ? (await host.captions.methods(runtimeId)).chosen : null;
  if (overview.captions.state === 'never' && method === null) return null;
  const shown = await shownPlan(call, { runtimeId, method });
  const obstacles = shown === null ? [] : obstacleLines(shown.plan);
  for (const obstacle of obstacles) terminal.remark(obstacle);
  return obstacles.length > 0 ? null : shown;
}

async function decided(call: CommandCall, verb: ReviewVerb, runtimeId: string): Promise<PublishReviewDecisions> {
  const { host, given } = call;
  const { reviewer, reviews } = await host.reviews.decisions(runtimeId);
  await checkState(call, verb, runtimeId, reviews.length);
  const note = given.single('note') ?? null;
  const statement = verb === 'revoke' ? reviewer.revocationAttestation : reviewer.decisionAttestation;
  const planned = verb === 'approve' ? await plannedCaptions(call, runtimeId) : null;
  await attested(call, reviewer, {
    verb,
    statement,
    shown: readable(call, planned === null ? [] : [{ ...planned, name: runtimeId }]),
  });
  const by = { reviewerId: reviewer.id, attestation: statement };
  if (verb === 'revoke') {
    return host.reviews.revoke(runtimeId, { reasonCodes: reasonsOf(given, verb, revocationReasons), note }, by);
  }
  if (verb === 'reject') {
    const reasonCodes = reasonsOf(given, verb, rejectionReasons);
    return host.reviews.decide(runtimeId, { outcome: 'reject_with_reasons', reasonCodes, note }, by);
  }
  const outcome = 'approve_for_caption_production';
  const plan = planned === null ? {} : { plan: planned.digest };
  return host.reviews.decide(runtimeId, { outcome, reasonCodes: approvalReasons, note }, by, plan).catch((error) => {
    throw planRefusal(error, runtimeId);
  });
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
