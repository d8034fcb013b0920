import { useMemo, useState } from 'preact/hooks';
import { HostError } from '../../client/host-error.ts';
import type { Attested } from '../../client/reviews.ts';
import { longestNote } from '../../contract/base/longest-note.ts';
import type { CaptionPlan, CaptionPlanAnswer } from '../../contract/captions/caption-plan.ts';
import type { CaptionCorrections } from '../../contract/captions/correction.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import type { PublishReviewDecisions, ReviewDecision, RevocationDecision } from '../../contract/review.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useRemote, useStore } from '../host/use-remote.ts';
import { Badge, Facts, Identity } from '../parts/facts.tsx';
import { Agree, CountedField, excessOf } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice, Remedies, RemotePart } from '../parts/notice.tsx';
import { type Playback, playback } from '../player/playback.ts';
import { Player } from '../player/player.tsx';
import { pageReason, whatWords } from '../words/cause-words.ts';
import { counted } from '../words/numbers.ts';
import { openGaps, placeTime } from '../words/plan-words.ts';
import { sentence, wordsOf } from '../words/sentence.ts';
import { StudyAnswer } from './answer.tsx';
import { discardDraft, unsavedChanges } from './caption-draft.ts';
import { approvedPlan, choicesOf, PlanPanel, usePlan } from './plan-panel.tsx';
import { SignDialog } from './sign-dialog.tsx';
import { linesOf, needsStudy, type StudyContents, type StudyModel } from './study-model.ts';

type RejectionReason = Extract<ReviewDecision, { outcome: 'reject_with_reasons' }>['reasonCodes'][number];
type RevocationReason = RevocationDecision['reasonCodes'][number];

/** In the order in which a decision lists them. */
const approvalReasons = ['reviewer_attested_caption_production_may_proceed'] as const;
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

interface ReasonsProps<Reason extends string> {
  readonly all: readonly Reason[];
  readonly chosen: readonly Reason[];
  readonly onChoose: (chosen: readonly Reason[]) => void;
}

/** Reasons to tick, at least one. They come back in the order in which a decision lists them. */
const Reasons = <Reason extends string>({ all, chosen, onChoose }: ReasonsProps<Reason>) => (
  <fieldset>
    <legend>Why? Choose at least one reason.</legend>
    {all.map((each) => (
      <Agree
        key={each}
        isTicked={chosen.includes(each)}
        onTick={(isTicked) => onChoose(all.filter((other) => (other === each ? isTicked : chosen.includes(other))))}
      >
        {sentence(wordsOf(each))}
      </Agree>
    ))}
  </fieldset>
);

const NoteField = ({ note, onNote }: { readonly note: string; readonly onNote: (note: string) => void }) => (
  <CountedField label="Note (optional)" value={note} most={longestNote} onValue={onNote} />
);

const givenNote = (note: string): string | null => (note.trim() === '' ? null : note.trim());

interface DecideProps {
  readonly overview: RuntimeOverview;
  readonly reviewer: PublishReviewDecisions['reviewer'];
  readonly onDone: () => Promise<void>;
}

interface DecideFormProps extends DecideProps {
  readonly corrections: CaptionCorrections;
  /** The plan to approve; null if the host states none. */
  readonly planned: CaptionPlanAnswer | null;
  /** Reads the plan again. */
  readonly onOtherPlan: () => void;
}

/** One form for the decision: approve or reject, and the signature below the choice. */
function DecideForm({ overview, reviewer, corrections, planned, onOtherPlan, onDone }: DecideFormProps) {
  const host = useHost();
  const [unsaved, setUnsaved] = useState(() => unsavedChanges(corrections));
  const discard = () => {
    discardDraft(corrections);
    setUnsaved(0);
  };
  const [choice, setChoice] = useState<'approve' | 'reject'>('approve');
  const [reasons, setReasons] = useState<readonly RejectionReason[]>([]);
  const [note, setNote] = useState('');
  const isChosen = choice === 'approve' ? unsaved === 0 : reasons.length > 0;
  const isReady = isChosen && excessOf(note, longestNote) === 0;
  const isPlanned = planned !== null && planned.plan.obstacles.length === 0;
  const decide = async (by: Attested) => {
    const decision: ReviewDecision =
      choice === 'approve'
        ? { outcome: 'approve_for_caption_production', reasonCodes: [...approvalReasons], note: givenNote(note) }
        : { outcome: 'reject_with_reasons', reasonCodes: [...reasons], note: givenNote(note) };
    try {
      const approves = choice === 'approve' && isPlanned;
      await host.reviews.decide(overview.runtimeId, decision, by, approves ? { plan: planned.digest } : {});
    } catch (error) {
      // The lines or an engine changed while the person read: they read the plan of now first.
      if (error instanceof HostError && error.code === 'caption_plan_mismatch') onOtherPlan();
      throw error;
    }
    await onDone();
  };
  const { captions, runtimeId, source } = overview;
  return (
    <section class="panel" aria-labelledby="decide">
      <h2 id="decide">Your decision</h2>
      {unsaved > 0 && (
        <Notice kind="not-yet" title={`${counted(unsaved, 'unsaved change')} in Captions`}>
          <p>
            Save {unsaved === 1 ? 'it' : 'them'} first; otherwise {unsaved === 1 ? 'it is' : 'they are'} not part of
            these lines.
          </p>
          <div class="actions">
            <a class="button" href={addressOf({ view: 'study', runtimeId, pane: 'captions' })}>
              Open the captions
            </a>
            <button type="button" onClick={discard}>
              Discard
            </button>
          </div>
        </Notice>
      )}
      {choice === 'reject' && <Reasons all={rejectionReasons} chosen={reasons} onChoose={setReasons} />}
      {choice === 'reject' ? (
        <p class="quiet">A rejection is final for this study. You can study the film again, and review that.</p>
      ) : isPlanned ? (
        <p class="quiet">The captions will be made by this plan.</p>
      ) : planned !== null ? (
        <p class="quiet">You may approve now, but no captions can be made yet: the plan has the reason.</p>
      ) : captions.state === 'never' ? (
        <p>
          {`No captions can be made of it: ${whatWords(captions.causes)}.`}{' '}
          <Remedies causes={captions.causes} sourceSessionId={source.sourceSessionId} />
        </p>
      ) : (
        <p class="quiet">No plan can be stated now, so this will be an approval without a plan.</p>
      )}
      <details>
        <summary>Add a note</summary>
        <NoteField note={note} onNote={setNote} />
      </details>
      <SignDialog
        key={choice}
        reviewer={reviewer}
        statement={reviewer.decisionAttestation}
        button={choice === 'approve' ? 'Approve for captions' : 'Reject'}
        isReady={isReady}
        onSigned={decide}
      >
        <button type="button" onClick={() => setChoice(choice === 'approve' ? 'reject' : 'approve')}>
          {choice === 'approve' ? 'Reject…' : 'Do not reject'}
        </button>
      </SignDialog>
    </section>
  );
}

/** Takes an approval back. */
function WithdrawForm({ overview, reviewer, onDone }: DecideProps) {
  const host = useHost();
  const [reasons, setReasons] = useState<readonly RevocationReason[]>([]);
  const [note, setNote] = useState('');
  const revoke = async (by: Attested) => {
    await host.reviews.revoke(overview.runtimeId, { reasonCodes: [...reasons], note: givenNote(note) }, by);
    await onDone();
  };
  return (
    <details class="panel">
      <summary>Withdraw the approval</summary>
      <p>Work under it stops, and the host no longer serves captions that were made under it.</p>
      <Reasons all={revocationReasons} chosen={reasons} onChoose={setReasons} />
      <NoteField note={note} onNote={setNote} />
      <SignDialog
        reviewer={reviewer}
        statement={reviewer.revocationAttestation}
        button="Withdraw the approval"
        isReady={reasons.length > 0 && excessOf(note, longestNote) === 0}
        onSigned={revoke}
      />
    </details>
  );
}

interface ReviewPaneProps {
  readonly study: StudyContents;
  readonly model: StudyModel;
  readonly runtimeId: string;
}

/** The review of a study: the decision to take, or the decision that was taken. */
export function ReviewPane({ study, model, runtimeId }: ReviewPaneProps) {
  const host = useHost();
  const { overview } = study;
  const { remote, reload } = useRemote(
    async () => {
      const [decisions, corrections] = await Promise.all([
        host.reviews.decisions(runtimeId),
        host.captions.corrections(runtimeId, linesOf(model.store.getSnapshot().context.study?.ready ?? null)),
      ]);
      return { ...decisions, corrections };
    },
    [host, runtimeId],
    // Typed text stays while the lines come from another method.
    `${overview.journalHead} ${study.ready}`,
  );
  const may = (name: string): boolean => overview.actions.some(({ action }) => action === name);
  const control = useMemo(() => playback(overview.study.range.startMs), [runtimeId]);
  const events = useStore(model.store, (context) => context.events);
  const [tracks, setTracks] = useState<readonly number[]>([]);
  const choices = { ...choicesOf(study), tracks };
  const { remote: asked, reload: askAgain } = usePlan(runtimeId, choices, overview.journalHead);
  const answer = asked.state === 'ready' ? asked.value : null;
  const plan = answer?.plan ?? null;
  return (
    <RemotePart of={remote} what="the review" onRetry={reload}>
      {({ reviewer, reviews, corrections }) => (
        <div class="review">
          <div class="review-plan">
            {reviews.map((review) => (
              <Reviewed
                key={review.reviewId}
                review={review}
                plan={approvedPlan(events, overview.journalHead, review.reviewId)}
                overview={overview}
                control={control}
              />
            ))}
            {may('approve') && (
              <RemotePart of={asked} what="the plan of the captions" onRetry={askAgain}>
                {(planned) =>
                  planned === null ? null : (
                    <PlanPanel
                      plan={planned.plan}
                      overview={overview}
                      control={control}
                      onTracks={setTracks}
                      takesStudy={needsStudy(study)}
                    />
                  )
                }
              </RemotePart>
            )}
          </div>
          {overview.lifecycle === 'terminal' && (
            <ReviewedLines
              corrections={corrections}
              // The tracks that a person chose give other lines than the usual ones.
              digest={(plan?.asked.tracks.length ?? 0) === 0 ? null : (answer?.digest ?? null)}
              runtimeId={runtimeId}
              plan={plan}
              control={control}
            />
          )}
          <div class="review-decision">
            {may('approve') && asked.state === 'ready' && (
              <DecideForm
                overview={overview}
                reviewer={reviewer}
                corrections={corrections}
                planned={asked.value}
                onOtherPlan={askAgain}
                onDone={model.refresh}
              />
            )}
            {may('revoke') && <WithdrawForm overview={overview} reviewer={reviewer} onDone={model.refresh} />}
            {!may('approve') && !may('revoke') && reviews.length === 0 && <NothingToDecide study={study} />}
            <details class="technical">
              <summary>What the study found</summary>
              <StudyAnswer overview={overview} kinds={study.kinds} />
            </details>
          </div>
        </div>
      )}
    </RemotePart>
  );
}

type Review = PublishReviewDecisions['reviews'][number];

interface ReviewedProps {
  readonly review: Review;
  /** The plan that was approved; null without one, and undefined if that is unknown. */
  readonly plan: CaptionPlan | null | undefined;
  readonly overview: RuntimeOverview;
  readonly control: Playback;
}

/** A decision, its reviewer and its signature, and the plan that they approved. */
const Reviewed = ({ review, plan, overview, control }: ReviewedProps) => (
  <>
    <DecisionPanel review={review} isWithoutPlan={plan === null} />
    {plan !== null && plan !== undefined && (
      <PlanPanel plan={plan} isApproved overview={overview} control={control} onTracks={null} />
    )}
  </>
);

const DecisionPanel = ({ review, isWithoutPlan }: { readonly review: Review; readonly isWithoutPlan: boolean }) => (
  <section class="panel" aria-label="Decision">
    <p>
      <Badge
        state={review.state === 'approved_for_caption_production' ? 'done' : 'withdrawn'}
        words={wordsOf(review.state)}
      />
    </p>
    {isWithoutPlan && review.state === 'approved_for_caption_production' && (
      <p>Approved without a plan: the record does not state which lines the reviewer read.</p>
    )}
    <Facts
      of={[
        ['By', review.reviewer.label],
        ['Signed', review.reviewer.attestation],
        ...(review.state === 'approved_for_caption_production'
          ? []
          : [['Reasons', sentence(review.reasonCodes.map(pageReason).join(', '))] as const]),
        ...(review.note === null ? [] : [['Note', review.note] as const]),
        ['Receipt', <Identity id={review.receiptId} />],
        ...(review.revocation === null
          ? []
          : [
              ['Withdrawn', review.revocation.reasonCodes.map(pageReason).join(', ')] as const,
              ['Its receipt', <Identity id={review.revocation.receiptId} />] as const,
            ]),
      ]}
    />
  </section>
);

interface ReviewedLinesProps extends LineRowsProps {
  /** The digest of the plan whose lines are read in the place of the usual ones; null for these. */
  readonly digest: string | null;
  readonly runtimeId: string;
}

/** The film with the lines that its captions have or would have, beside the decision on them. A film without any line plays, too. */
function ReviewedLines({ digest, runtimeId, ...usual }: ReviewedLinesProps) {
  const host = useHost();
  const { remote, reload } = useRemote(
    () => (digest === null ? Promise.resolve(null) : host.captions.corrections(runtimeId, { plan: digest })),
    [host, runtimeId, digest],
  );
  return (
    <section class="review-lines" aria-labelledby="reviewed-lines">
      <Player runtimeId={runtimeId} control={usual.control} hasCaptions={false} />
      <RemotePart of={remote} what="the lines of these tracks" onRetry={reload}>
        {(chosen) => <LineRows {...usual} corrections={chosen ?? usual.corrections} />}
      </RemotePart>
    </section>
  );
}

interface LineRowsProps {
  readonly corrections: Pick<CaptionCorrections, 'lines' | 'languages' | 'base'>;
  /** The plan of these lines; null without one. */
  readonly plan: CaptionPlan | null;
  readonly control: Playback;
}

/** Lines with what is missing between them; each plays its speech. */
function LineRows({ corrections: { lines, languages, base }, plan, control }: LineRowsProps) {
  const rows = languages === null ? [] : reviewRows(lines, plan);
  const written = rows.filter(({ isMissing }) => !isMissing).length;
  return (
    <div>
      <h2 id="reviewed-lines">
        {written === 0 ? 'No lines' : counted(written, 'line')}{' '}
        {base?.kind === 'captions' ? 'of the captions' : 'for the captions'}
      </h2>
      {languages !== null && rows.length > 0 && (
        <ol class="plain">
          {rows.slice(0, shownLines).map(({ key, startMs, endMs, line, missing, isMissing }) => (
            <li key={key} data-missing={isMissing}>
              <button type="button" class="line-play mono" onClick={() => control.playOver({ startMs, endMs })}>
                <Icon name="play" />
                <span class="sr">Play</span> {placeTime(startMs)}–{placeTime(endMs)}
              </button>
              <span>
                {line !== null && <LineText text={line.target} language={languages.target} />}
                {line !== null && languages.source !== languages.target && (
                  <LineText text={line.source} language={languages.source} />
                )}
                {missing !== null && <span class="caption-text">{missing}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
      {rows.length > shownLines && (
        <p class="quiet">{counted(rows.length - shownLines, 'more line')}: all are in the editor of the captions.</p>
      )}
    </div>
  );
}

type Line = CaptionCorrections['lines'][number];

interface ReviewRow {
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Null for speech without a line, and for a line that is left out. */
  readonly line: Line | null;
  /** The missing part in words; null for a line. */
  readonly missing: string | null;
  /** True if it will not be written. */
  readonly isMissing: boolean;
}

/** The lines with what is missing between them, in order of time. A line that is left out is among the lines if it has a place there. */
export function reviewRows(
  lines: readonly Line[],
  plan: Pick<CaptionPlan, 'gaps' | 'leftOut' | 'rules'> | null,
): readonly ReviewRow[] {
  // Without any line all speech would be missing.
  if (lines.length === 0) return [];
  const shown = new Set(lines.map(({ id }) => id));
  const all = plan?.leftOut ?? [];
  const leftOut = all.filter(({ lineId }) => !shown.has(lineId));
  const isMissing = ({ id, target }: Line): boolean => target.text === null || all.some(({ lineId }) => lineId === id);
  return [
    ...lines.map((line) => ({
      ...{ key: line.id, startMs: line.startMs, endMs: line.endMs, line },
      ...{ missing: null, isMissing: isMissing(line) },
    })),
    ...(plan === null ? [] : openGaps(plan, lines)).map(({ startMs, endMs }) => ({
      ...{ key: `gap ${startMs}`, startMs, endMs, line: null },
      ...{ missing: 'Speech without a line', isMissing: true },
    })),
    ...leftOut.map(({ lineId, startMs, endMs, text, reasonCode }) => ({
      ...{ key: lineId, startMs, endMs, line: null },
      ...{ missing: `Left out${text === null ? '' : `: “${text}”`} (${pageReason(reasonCode)})`, isMissing: true },
    })),
  ].sort((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);
}

/** So many lines are read before a decision without the editor. */
const shownLines = 200;

const LineText = ({
  text: { text, reasonCode },
  language,
}: {
  readonly text: Line['source'];
  readonly language: string;
}) =>
  text === null ? (
    <span class="caption-text withheld-word">Left out: {pageReason(reasonCode ?? '')}</span>
  ) : (
    <span class="caption-text" lang={language}>
      {text}
    </span>
  );

const kinds = { withheld: 'withheld', never: 'unavailable', failed: 'failed' } as const;

function NothingToDecide({ study }: { readonly study: StudyContents }) {
  const { review, decision } = study.overview;
  const part = review.reasonCodes.length > 0 ? review : decision.state === 'withheld' ? decision : review;
  const kind = part.state in kinds ? kinds[part.state as keyof typeof kinds] : 'not-yet';
  return (
    <Notice kind={kind} title={sentence(part.text)}>
      <p>
        {kind === 'not-yet'
          ? 'The review opens by itself when the study has ended.'
          : 'Study the range again, or another range, and review that.'}
      </p>
    </Notice>
  );
}
