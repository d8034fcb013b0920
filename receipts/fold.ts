import type { EventType, JournalEvent } from '../contract/journal.ts';
import type { Judgement } from '../contract/judgement.ts';
import type { RegisteredSource } from '../contract/sources/source-session.ts';
import { type LaterStageName, laterStageNames } from '../contract/study/stages.ts';
import { hasEnded, type Lifecycle, type RuntimeReason } from '../contract/study/status.ts';
import { countText } from '../formats/readable-numbers.ts';
import type { ApprovedPlan } from './captions/captioned-study.ts';
import type { VerifiedCorrections } from './captions/corrected-lines.ts';
import { type CheckedLink, demandDerived, type ReportLink } from './evidence-chain.ts';
import { JournalCursor, type JournalPosition, journalStart } from './journal.ts';
import { reopenSource, type VerifiedSource } from './sources/reopen-source.ts';
import type { VerifiedConclusion, VerifiedStop } from './stages/admit.ts';
import { captionPlanStage } from './stages/caption-plan.ts';
import { captionsStage, type VerifiedCaptions } from './stages/captions.ts';
import { correctionStage } from './stages/correction.ts';
import { explanationStage, type VerifiedExplanations } from './stages/explanation.ts';
import { foldOpening, type OpenedRun } from './stages/opening.ts';
import { reviewStage, type VerifiedReviews } from './stages/review.ts';
import { nothingFound, progressAfter, stepOfRun, type VerifiedFindings } from './stages/run-stages.ts';
import type { LaterStage } from './stages/stage.ts';
import { checkCalibration } from './study/forecast.ts';
import { noProgress, type StudyProgress } from './study/progress.ts';
import { type AcceptedStudy, reopenStart, type StartRow } from './study/start.ts';
import type { FoldContext } from './study-run.ts';

/** The results of a study after its conclusion. */
export interface VerifiedTail extends VerifiedReviews {
  /** The plan of the approval; null for one without. */
  readonly plan: ApprovedPlan | null;
  readonly captions: VerifiedCaptions;
  readonly corrections: VerifiedCorrections;
  readonly explanations: VerifiedExplanations;
}

/** A study that was concluded, and what came of it so far. */
interface ConcludedStudy {
  readonly findings: VerifiedFindings;
  readonly conclusion: VerifiedConclusion;
  readonly tail: VerifiedTail;
}

/** Everything that people and the host do with a study that has ended. */
export const laterStagesOf: Readonly<Record<LaterStageName, LaterStage<ConcludedStudy, object>>> = {
  review: reviewStage,
  captionPlan: captionPlanStage,
  captions: captionsStage,
  correction: correctionStage,
  explanation: explanationStage,
};

const emptyTail: VerifiedTail = {
  ...reviewStage.nothing,
  ...captionPlanStage.nothing,
  ...captionsStage.nothing,
  ...correctionStage.nothing,
  ...explanationStage.nothing,
};

/** The results of an opened run so far. */
export interface VerifiedStudy {
  readonly progress: StudyProgress;
  readonly findings: VerifiedFindings;
  /** Null until the study is concluded, and for ever where it was stopped. */
  readonly conclusion: VerifiedConclusion | null;
  readonly stop: VerifiedStop | null;
  readonly tail: VerifiedTail;
}

/** The subtitles of a source that the program made of others; nothing for a source without any. */
function derivedIn({ subtitleTracks = [] }: VerifiedSource['registered']): Pick<VerifiedFindings, 'derivedTracks'> {
  const found = subtitleTracks.flatMap(({ trackIndex, derived }) =>
    derived === undefined ? [] : [{ trackIndex, ...derived }],
  );
  return found.length === 0 ? {} : { derivedTracks: found };
}

/** A run that was opened by these events, with nothing done yet but for what came with its source. */
function openedStudy(
  { pinnedEvidence }: OpenedRun,
  { registered }: VerifiedSource,
  events: readonly JournalEvent[],
): VerifiedStudy {
  const pinned = registered.pinnedEvidence.flatMap(({ kind, contentId }, at) => {
    const artifact = pinnedEvidence[at];
    return artifact === undefined ? [] : [{ kind, artifactId: artifact.id, contentId }];
  });
  return {
    progress: events.reduce(progressAfter, noProgress),
    findings: { ...nothingFound, pinned, ...derivedIn(registered) },
    conclusion: null,
    stop: null,
    tail: emptyTail,
  };
}

interface StudyContext extends FoldContext {
  readonly startedAt: string;
}

/** The results of a study after a step of one stage that others follow. */
const followed = (type: EventType, study: ConcludedStudy): VerifiedTail =>
  Object.assign({}, study.tail, ...laterStageNames.map((name) => laterStagesOf[name].follows?.[type]?.(study)));

/** The study after the step that its stage takes; null if no stage has this event at this place. */
async function steppedBy(type: EventType, context: StudyContext, study: VerifiedStudy): Promise<VerifiedStudy | null> {
  const { findings, conclusion, tail, stop } = study;
  if (stop !== null) return null;
  if (conclusion === null) {
    const changes = await stepOfRun(type, context, study);
    return changes === null ? null : { ...study, ...changes, findings: { ...findings, ...changes.findings } };
  }
  for (const name of laterStageNames) {
    const changed = (await laterStagesOf[name].folds[type]?.(context, { findings, conclusion, tail })) ?? null;
    if (changed !== null)
      return { ...study, tail: followed(type, { findings, conclusion, tail: { ...tail, ...changed } }) };
  }
  return null;
}

/**
 * Goes on from what a study came to over the events that follow, step by step, and derives again whatever follows from
 * something else. Artifacts belong to the event after them. Throws `EvidenceChainError` at the first event that could not come
 * there.
 */
async function foldStudy(context: StudyContext, study: VerifiedStudy): Promise<VerifiedStudy> {
  const { journal } = context;
  let folded = study;
  while (journal.typeAt() !== null) {
    const artifacts = journal.count('artifact.recorded');
    const type = journal.typeAt(artifacts);
    if (type === null) throw journal.fault('missing', artifacts);
    const from = journal.position;
    const stepped = await steppedBy(type, context, folded);
    const taken = journal.takenAfter(from);
    if (stepped === null || taken.length === 0) throw journal.fault('type', artifacts);
    folded = { ...stepped, progress: taken.reduce(progressAfter, folded.progress) };
    await context.pause();
  }
  return folded;
}

/** The rows of a runtime in a ledger. */
export interface StoredRuntime {
  readonly runtimeId: string;
  readonly start: StartRow;
  /** The row of the source revision that the start names. */
  readonly source: RegisteredSource;
  readonly lifecycle: Lifecycle;
  readonly reason: RuntimeReason | null;
}

/** A link that was found whole, with the rules that judged it. */
type JudgedLink = CheckedLink & { readonly judgement: Judgement };

/** A runtime of which every byte that it rests on was read back, as far as it has come. */
export interface VerifiedRuntime {
  readonly accepted: AcceptedStudy;
  readonly source: VerifiedSource;
  /** Number of verified events. */
  readonly journalHead: number;
  /** The last verified event. */
  readonly position: JournalPosition;
  /** The judgements of rules on it, in the order in which it was verified. */
  readonly judged: readonly JudgedLink[];
  /** Null before the first event. */
  readonly execution: { readonly opened: OpenedRun; readonly study: VerifiedStudy } | null;
}

/** Keeps what was judged of what is reported. */
function judgedBeside(report: ReportLink): { readonly judged: JudgedLink[]; readonly report: ReportLink } {
  const judged: JudgedLink[] = [];
  return {
    judged,
    report: (link, translation) => {
      const { judgement } = link;
      if (judgement !== undefined) judged.push({ ...link, judgement });
      report(link, translation);
    },
  };
}

/** The inputs of a fold: stored files, the report of each whole link, and the pause for other work. */
export type FoldPorts = Pick<FoldContext, 'content' | 'report' | 'pause'>;

/**
 * Reopens what a runtime rests on before its first event: the start with forecast and freeze, and the source with every sealed file.
 * `events` is how many its journal has. Throws `EvidenceChainError` at the first thing that is not whole.
 */
export async function reopenStartOf(stored: StoredRuntime, events: number, ports: FoldPorts): Promise<VerifiedRuntime> {
  const { judged, report } = judgedBeside(ports.report);
  const accepted = await reopenStart(stored.runtimeId, stored.start, ports.content, report);
  const { journalId, sourceSession } = accepted.record;
  report({ link: 'journal', subject: journalId, contentId: null, detail: countText(events, 'event') });
  const source = await reopenSource(stored.source, sourceSession, { ...ports, report });
  checkCalibration(accepted.record.forecast, source.registered);
  return { accepted, source, journalHead: 0, position: journalStart, judged, execution: null };
}

/**
 * Goes on from a verified runtime over the events that follow, each with the receipts and evidence that it names. Whatever
 * follows from something else is derived again. `events` are those of whole commits. Throws `EvidenceChainError` at the first
 * thing that does not hold.
 */
export async function foldEvents(
  runtime: VerifiedRuntime,
  stored: StoredRuntime,
  events: readonly JournalEvent[],
  ports: FoldPorts,
): Promise<VerifiedRuntime> {
  const { accepted, source, position } = runtime;
  const journal = new JournalCursor(position, events);
  const { judged, report } = judgedBeside(ports.report);
  let { execution } = runtime;
  if (execution === null && events.length > 0) {
    const opened = foldOpening(accepted.record, source.registered, journal);
    const { run, startedAt } = opened;
    demandDerived('row', { start: { ids: stored.start.ids } }, { start: { ids: run.ids } });
    report({ link: 'opening', subject: run.ids.executionId, contentId: null, detail: `opened ${startedAt}` });
    execution = { opened, study: openedStudy(opened, source, journal.takenAfter(position)) };
  }
  if (execution !== null) {
    const { opened } = execution;
    const context = { ...ports, report, run: opened.run, source, journal, startedAt: opened.startedAt };
    execution = { opened, study: await foldStudy(context, execution.study) };
  }
  checkEnding(stored, journal, execution?.study ?? null);
  const { position: reached } = journal;
  return {
    accepted,
    source,
    journalHead: reached.seq,
    position: reached,
    judged: [...runtime.judged, ...judged],
    execution,
  };
}

/**
 * The end of a runtime in the ledger has to agree with the end of its journal. A run that failed may have ended without an event.
 * One that was studied to its end, or that was opened, never does.
 */
function checkEnding({ lifecycle, reason }: StoredRuntime, journal: JournalCursor, study: VerifiedStudy | null): void {
  const stop = study?.stop ?? null;
  const ending = study?.conclusion ? 'terminal' : (stop?.lifecycle ?? null);
  const isCut = lifecycle === 'terminal' ? ending === null : lifecycle === 'running' && study === null;
  if (isCut) throw journal.fault('missing');
  if (ending === null || !hasEnded(lifecycle)) return;
  const derived = { status: ending, reason: stop?.reason ?? null };
  demandDerived('row', { snapshot: { status: lifecycle, reason } }, { snapshot: derived });
}
