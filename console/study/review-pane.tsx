import { useId, useState } from 'preact/hooks';
import { longestNote } from '../../contract/base/longest-note.ts';
import type { ReviewDecision, RevocationDecision } from '../../contract/review.ts';
import { useHost } from '../host/session.ts';
import { useDeed, useRemote } from '../host/use-remote.ts';
import { Badge, Facts, Identity } from '../parts/facts.tsx';
import { Agree, CountedField, excessOf, Field } from '../parts/field.tsx';
import { Failed, Notice, RemotePart } from '../parts/notice.tsx';
import { sentence, wordsOf } from '../words/codes.ts';
import { withTimes } from '../words/numbers.ts';
import { OverviewWords } from './overview-words.tsx';
import type { StudyContents, StudyModel } from './study-model.ts';

interface Decided<Reason extends string> {
  readonly reasons: readonly Reason[];
  readonly note: string | null;
  /** As the person typed it. */
  readonly attestation: string;
}

interface DecideFormProps<Reason extends string> {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  /** The words that the person must type. */
  readonly statement: string;
  /** The reasons to choose from; empty where there is only one. */
  readonly reasons: readonly Reason[];
  readonly onDecide: (decided: Decided<Reason>) => Promise<void>;
}

/** A decision that a person signs by typing the statement: it is never filled in. */
function DecideForm<Reason extends string>({
  title,
  text,
  button,
  statement,
  reasons,
  onDecide,
}: DecideFormProps<Reason>) {
  const { deed, run } = useDeed();
  const [chosen, setChosen] = useState<readonly Reason[]>([]);
  const [note, setNote] = useState('');
  const [typed, setTyped] = useState('');
  const statementId = useId();
  const isSigned = typed.trim() === statement;
  const isReady = isSigned && (reasons.length === 0 || chosen.length > 0) && excessOf(note, longestNote) === 0;
  const decide = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    run(() =>
      onDecide({
        reasons: reasons.filter((each) => chosen.includes(each)),
        note: note.trim() === '' ? null : note.trim(),
        attestation: typed.trim(),
      }),
    );
  };
  return (
    <form class="panel" aria-label={title} onSubmit={decide}>
      <h2>{title}</h2>
      <p>{text}</p>
      {reasons.length > 0 && (
        <fieldset>
          <legend>Reasons</legend>
          {reasons.map((each) => (
            <Agree
              key={each}
              isTicked={chosen.includes(each)}
              onTick={(isTicked) => setChosen(isTicked ? [...chosen, each] : chosen.filter((other) => other !== each))}
            >
              {sentence(wordsOf(each))}
            </Agree>
          ))}
        </fieldset>
      )}
      <CountedField label="Note" hint="May be empty; one line." value={note} most={longestNote} onValue={setNote} />
      <p id={statementId} class="statement">
        {statement}
      </p>
      <Field label="Type this statement to sign">
        {(id) => (
          <input
            id={id}
            value={typed}
            autocomplete="off"
            spellcheck={false}
            aria-describedby={statementId}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
      {typed !== '' && !isSigned && (
        <p class="hint">{statement.startsWith(typed) ? 'Go on.' : 'The words differ from the statement.'}</p>
      )}
      <button type="submit" class="primary" disabled={!isReady || deed.state === 'busy'}>
        {button}
      </button>
      {deed.state === 'failed' && <Failed error={deed.error} />}
    </form>
  );
}

type RejectionReason = Extract<ReviewDecision, { outcome: 'reject_with_reasons' }>['reasonCodes'][number];
type RevocationReason = RevocationDecision['reasonCodes'][number];

const approvalReason = 'reviewer_attested_caption_production_may_proceed';

/** In the order in which a decision lists them. */
const rejectionReasons: readonly RejectionReason[] = [
  'evidence_requires_additional_review',
  'source_scope_not_approved',
  'rights_or_policy_concern',
  'other_review_concern',
];
const revocationReasons: readonly RevocationReason[] = [
  'approval_entered_in_error',
  'new_review_required',
  'source_scope_changed',
  'rights_or_policy_concern',
];

interface ReviewPaneProps {
  readonly study: StudyContents;
  readonly model: StudyModel;
  readonly runtimeId: string;
}

/** What a person has to decide, what was decided, and the words that are signed. */
export function ReviewPane({ study, model, runtimeId }: ReviewPaneProps) {
  const host = useHost();
  const { overview } = study;
  const { remote, reload } = useRemote(
    () => host.reviews.decisions(runtimeId),
    [host, runtimeId],
    overview.journalHead,
  );
  const may = (name: string): boolean => overview.actions.some(({ action }) => action === name);
  return (
    <RemotePart of={remote} what="the review" onRetry={reload}>
      {({ reviewer, reviews }) => {
        const by = (attestation: string) => ({ reviewerId: reviewer.id, attestation });
        const done = async (work: Promise<unknown>) => {
          await work;
          await model.refresh();
        };
        const approve = ({ note, attestation }: Decided<never>) =>
          done(
            host.reviews.decide(
              runtimeId,
              { outcome: 'approve_for_caption_production', reasonCodes: [approvalReason], note },
              by(attestation),
            ),
          );
        const reject = ({ reasons, note, attestation }: Decided<RejectionReason>) =>
          done(
            host.reviews.decide(
              runtimeId,
              { outcome: 'reject_with_reasons', reasonCodes: reasons, note },
              by(attestation),
            ),
          );
        const revoke = ({ reasons, note, attestation }: Decided<RevocationReason>) =>
          done(host.reviews.revoke(runtimeId, { reasonCodes: reasons, note }, by(attestation)));
        return (
          <div class="split">
            <div>
              {reviews.map((review) => (
                <section key={review.reviewId} class="panel" aria-label="Decision">
                  <p>
                    <Badge
                      state={review.state === 'approved_for_caption_production' ? 'done' : 'withdrawn'}
                      words={wordsOf(review.state)}
                    />
                  </p>
                  <Facts
                    of={[
                      ['By', `${review.reviewer.label} (${review.reviewer.id})`],
                      ['Signed', review.reviewer.attestation],
                      ['Reasons', review.reasonCodes.map(wordsOf).join(', ')],
                      ['Note', review.note ?? 'none'],
                      ['Receipt', <Identity id={review.receiptId} />],
                      ...(review.revocation === null
                        ? []
                        : [
                            ['Withdrawn', review.revocation.reasonCodes.map(wordsOf).join(', ')] as const,
                            ['Its receipt', <Identity id={review.revocation.receiptId} />] as const,
                          ]),
                    ]}
                  />
                </section>
              ))}
              {may('approve') && (
                <DecideForm
                  title="Approve for captions"
                  text={
                    overview.captions.state === 'never'
                      ? `No captions will come of it on this host: ${withTimes(overview.captions.text)}.`
                      : 'Captions may then be produced from this study.'
                  }
                  button="Approve"
                  statement={reviewer.decisionAttestation}
                  reasons={[]}
                  onDecide={approve}
                />
              )}
              {may('reject') && (
                <DecideForm
                  title="Reject"
                  text="Final for this study. Another attempt can be reviewed anew."
                  button="Reject"
                  statement={reviewer.decisionAttestation}
                  reasons={rejectionReasons}
                  onDecide={reject}
                />
              )}
              {may('revoke') && (
                <DecideForm
                  title="Withdraw the approval"
                  text="What is being made under it stops, and captions that were made are no longer handed out."
                  button="Withdraw"
                  statement={reviewer.revocationAttestation}
                  reasons={revocationReasons}
                  onDecide={revoke}
                />
              )}
              {!may('approve') && !may('revoke') && reviews.length === 0 && <NothingToDecide study={study} />}
            </div>
            <OverviewWords overview={overview} />
          </div>
        );
      }}
    </RemotePart>
  );
}

const kinds = { withheld: 'withheld', never: 'unavailable', failed: 'failed' } as const;

function NothingToDecide({ study }: { readonly study: StudyContents }) {
  const { review, decision } = study.overview;
  const part = review.reasonCodes.length > 0 ? review : decision.state === 'withheld' ? decision : review;
  const kind = part.state in kinds ? kinds[part.state as keyof typeof kinds] : 'not-yet';
  return (
    <Notice kind={kind} title={sentence(part.text)}>
      <p>
        {kind === 'not-yet'
          ? 'The study comes to the review by itself when it has ended.'
          : 'Study the range again, or another range, to bring it to a review.'}
      </p>
    </Notice>
  );
}
