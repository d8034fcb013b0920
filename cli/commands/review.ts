import type { PublishReviewDecisions } from '../../contract/review/publish-review-answers.ts';
import { type FlagTable, repeated, single } from '../options/flags.ts';
import { argument, type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';

const flags: FlagTable = {
  reason: repeated('CODE', null, 'why it is rejected or revoked; the codes stand in docs/receipts.md'),
  note: single('TEXT', null, 'a note of up to 280 characters'),
  ...hostFlags,
};

/** Shows the statement to the person at the terminal, who has to agree to it word for word or not at all. */
async function attested({ terminal }: Call, who: string, statement: string): Promise<void> {
  if (!terminal.isInteractive) throw new WrongCall('a review needs a person at a terminal: nothing attests by itself');
  terminal.remark(`${who}: "${statement}"`);
  if ((await terminal.ask('Type yes to attest this: ')) !== 'yes')
    throw new WrongCall('nothing was decided: not attested');
}

async function decided(call: Call, deed: string, runtimeId: string): Promise<PublishReviewDecisions> {
  const { host, given } = call;
  const { reviewer } = await host.reviews.decisions(runtimeId);
  const note = given.single('note') ?? null;
  const reasons = given.all('reason');
  // The host refuses a code that does not exist, and names the field.
  const reasonCodes = reasons as never[];
  const statement = deed === 'revoke' ? reviewer.revocationAttestation : reviewer.decisionAttestation;
  if (deed !== 'approve' && reasons.length === 0) throw new WrongCall(`${deed} needs at least one --reason`);
  await attested(call, reviewer.label, statement);
  const by = { reviewerId: reviewer.id, attestation: statement };
  if (deed === 'revoke') return host.reviews.revoke(runtimeId, { reasonCodes, note }, by);
  if (deed === 'reject')
    return host.reviews.decide(runtimeId, { outcome: 'reject_with_reasons', reasonCodes, note }, by);
  const approval = ['reviewer_attested_caption_production_may_proceed'] as const;
  return host.reviews.decide(runtimeId, { outcome: 'approve_for_caption_production', reasonCodes: approval, note }, by);
}

async function run(call: Call) {
  const deed = argument(call.given, 0, 'approve, reject or revoke');
  if (!['approve', 'reject', 'revoke'].includes(deed)) throw new WrongCall(`${deed}: one of approve, reject, revoke`);
  const answer = await decided(call, deed, argument(call.given, 1, 'RUNTIME'));
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
  choices: ['approve', 'reject', 'revoke'],
  positionals: 2,
  startsHost: false,
  run,
};
