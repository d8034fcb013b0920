import type { EventType, JournalEvent } from '../contract/journal.ts';
import type { RegisteredSource } from '../contract/sources/source-session.ts';
import { hasEnded, type Lifecycle, type RuntimeReason } from '../contract/study/status.ts';
import { noCorrections, type VerifiedCorrections } from './captions/corrected-lines.ts';
import { foldGrantFailed } from './evidence/granted-operation.ts';
import { countText, demandDerived } from './evidence-chain.ts';
import { JournalCursor, type JournalPosition, journalStart } from './journal.ts';
import { reopenSource, type VerifiedSource } from './sources/reopen-source.ts';
import { foldConclusion, type VerifiedConclusion, type VerifiedFindings } from './stages/admit.ts';
import { checkAssessed, foldAssessments, foldDecision } from './stages/assess.ts';
import {
  foldCaptionsChecked,
  foldCaptionsCompleted,
  foldCaptionsFailed,
  foldCaptionsStarted,
  noCaptions,
  type VerifiedCaptions,
} from './stages/captions.ts';
import { correctionsOfCaptions, foldCorrectionChecked, foldCorrectionRecorded } from './stages/correction.ts';
import { foldPassCompleted, foldPassGivenUp, foldPassStarted } from './stages/detect.ts';
import {
  foldExplanationCompleted,
  foldExplanationFailed,
  foldExplanationStarted,
  isExplaining,
  noExplanations,
  type VerifiedExplanations,
} from './stages/explanation.ts';
import { foldOpening, type OpenedRun } from './stages/opening.ts';
import { checkWindows, foldReads, readableOf } from './stages/read.ts';
import { foldRecognitionCompleted, foldRecognitionStarted, recognition } from './stages/recognize.ts';
import {
  approvalBefore,
  foldReviewCompleted,
  foldReviewFailed,
  foldReviewStarted,
  foldRevocationCompleted,
  foldRevocationFailed,
  foldRevocationStarted,
  noReviews,
  type VerifiedReviews,
} from './stages/review.ts';
import { foldScreenTextCompleted, foldScreenTextStarted, screenReading } from './stages/screen.ts';
import { checkCalibration } from './study/forecast.ts';
import { foldStop, noProgress, progressAfter, type StudyProgress, type VerifiedStop } from './study/progress.ts';
import { type AcceptedStudy, reopenStart, type StartRow } from './study/start.ts';
import type { FoldContext } from './study-run.ts';

/** What came of a study after it was concluded. */
export interface VerifiedTail extends VerifiedReviews {
  readonly captions: VerifiedCaptions;
  readonly corrections: VerifiedCorrections;
  readonly explanations: VerifiedExplanations;
}

const emptyTail: VerifiedTail = {
  ...noReviews,
  captions: noCaptions,
  corrections: noCorrections,
  explanations: noExplanations,
};

/** A study that was concluded, and what came of it so far. */
interface ConcludedStudy {
  readonly findings: VerifiedFindings;
  readonly conclusion: VerifiedConclusion;
  readonly tail: VerifiedTail;
}

/** Whether a person may correct lines: of a study that is queued and neither rejected nor revoked; captions need their approval. */
export const mayCorrect = ({ intake }: VerifiedConclusion, tail: VerifiedTail): boolean =>
  intake.body.result.outcome === 'queued' &&
  tail.deciding === null &&
  (tail.authority !== null || (tail.review === null && tail.captions.caption === null));

/** Takes one entry of the journal: what a part of the tail is after it. */
type TailStep = (context: FoldContext, study: ConcludedStudy) => Partial<VerifiedTail> | Promise<Partial<VerifiedTail>>;

/** Everything that people and later stages do with a finished study, by the type of the event that comes after its artifacts. */
const tailSteps: Readonly<Partial<Record<EventType, TailStep>>> = {
  'publish.review.decision_started': (context, { tail, conclusion }) => foldReviewStarted(context, tail, conclusion),
  'publish.review.decision_completed': (context, { tail }) => foldReviewCompleted(context, tail),
  'publish.review.decision_failed': (context, { tail }) => foldReviewFailed(context, tail),
  'publish.review.revocation_started': (context, { tail }) => {
    // An approval is withdrawn when nothing is being made under it any more.
    if (tail.captions.open.length > 0 || isExplaining(tail.explanations)) throw context.journal.fault('type');
    return foldRevocationStarted(context, tail);
  },
  'publish.review.revocation_completed': (context, { tail }) => foldRevocationCompleted(context, tail),
  'publish.review.revocation_failed': (context, { tail }) => foldRevocationFailed(context, tail),
  'caption.production_started': (context, { findings, conclusion, tail: { captions, authority: approval } }) => {
    const study = approval === null ? null : { run: context.run, findings, conclusion, approval };
    return { captions: foldCaptionsStarted(context, captions, study) };
  },
  'caption.production_completed': async (context, { tail }) => {
    const captions = await foldCaptionsCompleted(context, tail.captions);
    return { captions, corrections: correctionsOfCaptions(tail.corrections, captions) };
  },
  'caption.production_failed': (context, { tail }) => ({ captions: foldCaptionsFailed(context, tail.captions) }),
  'caption.quality_control_decided': async (context, { tail }) => ({
    captions: await foldCaptionsChecked(context, tail.captions),
  }),
  'caption.correction_recorded': async (context, { findings, conclusion, tail }) => ({
    corrections: await foldCorrectionRecorded(context, {
      captions: tail.captions,
      corrections: tail.corrections,
      study: { run: context.run, findings, conclusion, approval: approvalBefore(context.run, conclusion) },
      mayCorrect: mayCorrect(conclusion, tail),
    }),
  }),
  'caption.correction_checked': async (context, { tail }) => ({
    corrections: await foldCorrectionChecked(context, tail.corrections),
  }),
  'language.explanation_started': async (context, { tail: { explanations, authority, captions } }) => ({
    explanations: await foldExplanationStarted(context, explanations, authority === null ? null : captions.caption),
  }),
  'language.explanation_completed': async (context, { tail }) => ({
    explanations: await foldExplanationCompleted(context, tail.explanations),
  }),
  'language.explanation_failed': (context, { tail }) => ({
    explanations: foldExplanationFailed(context, tail.explanations),
  }),
};

/** What an opened run came to so far. */
export interface VerifiedStudy {
  readonly progress: StudyProgress;
  readonly findings: VerifiedFindings;
  /** Null until the study is concluded, and for ever where it was stopped. */
  readonly conclusion: VerifiedConclusion | null;
  readonly stop: VerifiedStop | null;
  readonly tail: VerifiedTail;
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
    findings: {
      pinned,
      operations: [],
      recognition: null,
      screenText: null,
      reads: [],
      assessments: [],
      decision: null,
    },
    conclusion: null,
    stop: null,
    tail: emptyTail,
  };
}

interface StudyContext extends FoldContext {
  readonly opened: OpenedRun;
}

/** What is different after one step. */
type Changes = Partial<VerifiedStudy>;

/** Takes one entry of the journal of a run that has not ended. */
type RunStep = (context: StudyContext, study: VerifiedStudy) => Changes | Promise<Changes>;

const isMeasured = ({ progress, findings }: VerifiedStudy): boolean =>
  progress.openPass === null &&
  progress.openRecognition === null &&
  progress.openReading === null &&
  findings.operations.length === 2;

/** Whether nothing was read yet of what was measured. */
const isUnread = ({ findings }: VerifiedStudy): boolean => findings.reads.length + findings.assessments.length === 0;

/** Evidence that nothing was read of had nothing to read. Throws `EvidenceChainError`. */
function checkReads({ run, source }: FoldContext, { findings }: VerifiedStudy): void {
  const { reads } = findings;
  if (reads.length > 0) return;
  const { runtimeId, analysisRequest } = run.record;
  checkWindows(reads, readableOf(source, runtimeId, findings), analysisRequest.range);
}

const stopped: RunStep = (context, { progress }) => ({ stop: foldStop(context, context.opened.startedAt, progress) });

/**
 * What a run does up to its end, by the type of the event that comes after its artifacts. A step is written in one commit: it
 * is there as a whole or not at all, and the run ends only between two steps.
 */
const runSteps: Readonly<Partial<Record<EventType, RunStep>>> = {
  'media.operation_started': (context, { progress, findings }) => {
    foldPassStarted(context, findings.operations.length, progress.openPass);
    return {};
  },
  'media.operation_completed': async (context, { progress, findings }) => {
    const completed = await foldPassCompleted(context, progress.openPass);
    return { findings: { ...findings, operations: [...findings.operations, completed] } };
  },
  'media.operation_failed': (context, study) => {
    const { openPass } = study.progress;
    if (openPass === null || context.journal.typeAt(1) !== 'media.operation_started') return stopped(context, study);
    foldPassGivenUp(context, openPass);
    return {};
  },
  'semantic.evidence_started': (context, study) => {
    const { findings } = study;
    const isFirst =
      findings.screenText === null && (findings.recognition === null || findings.recognition.receipt === null);
    if (!isMeasured(study) || !isUnread(study) || !isFirst) throw context.journal.fault('type');
    foldRecognitionStarted(context, findings.operations);
    return { findings: { ...findings, recognition: null } };
  },
  'semantic.evidence_completed': async (context, { progress, findings }) => {
    const recognised = await foldRecognitionCompleted(context, progress.openRecognition, findings.operations);
    return { findings: { ...findings, recognition: recognised } };
  },
  'semantic.evidence_failed': (context, { progress, findings }) => ({
    findings: { ...findings, recognition: foldGrantFailed(context, recognition, progress.openRecognition) },
  }),
  'screen.text_started': (context, study) => {
    const { findings } = study;
    const isFirst = findings.screenText === null || findings.screenText.receipt === null;
    if (!isMeasured(study) || !isUnread(study) || !isFirst) throw context.journal.fault('type');
    foldScreenTextStarted(context, findings.operations);
    return { findings: { ...findings, screenText: null } };
  },
  'screen.text_completed': async (context, { progress, findings }) => ({
    findings: { ...findings, screenText: await foldScreenTextCompleted(context, progress.openReading) },
  }),
  'screen.text_failed': (context, { progress, findings }) => ({
    findings: { ...findings, screenText: foldGrantFailed(context, screenReading, progress.openReading) },
  }),
  'evidence.read_started': async (context, study) => {
    const { findings } = study;
    if (!isMeasured(study) || !isUnread(study)) throw context.journal.fault('type');
    const evidence = readableOf(context.source, context.run.record.runtimeId, findings);
    return { findings: { ...findings, reads: await foldReads(context, evidence) } };
  },
  'analysis.evidence.assessment_started': async (context, study) => {
    const { findings } = study;
    if (!isMeasured(study) || findings.assessments.length > 0) throw context.journal.fault('type');
    checkReads(context, study);
    return { findings: { ...findings, assessments: await foldAssessments(context, findings.reads) } };
  },
  'analysis.evidence.decision_started': async (context, { findings }) => {
    if (findings.assessments.length === 0 || findings.decision !== null) throw context.journal.fault('type');
    return { findings: { ...findings, decision: await foldDecision(context, findings.assessments) } };
  },
  'executor.finished': async (context, study) => {
    const { journal, opened } = context;
    const { findings, progress } = study;
    // A study that came to its end has its record before this event.
    if (journal.typeAt() === 'executor.finished') return stopped(context, study);
    if (!isMeasured(study)) throw journal.fault('type', 1);
    checkReads(context, study);
    checkAssessed(findings.assessments, findings.reads);
    if (findings.assessments.length > 0 && findings.decision === null) throw journal.fault('type');
    const { startedAt } = opened;
    return { conclusion: await foldConclusion(context, findings, { ...progress, startedAt }) };
  },
  'runtime.interrupted': stopped,
};

async function changesBy(type: EventType, context: StudyContext, study: VerifiedStudy): Promise<Changes | null> {
  const { findings, conclusion, tail, stop } = study;
  if (stop !== null) return null;
  if (conclusion === null) return (await runSteps[type]?.(context, study)) ?? null;
  const changed = await tailSteps[type]?.(context, { findings, conclusion, tail });
  return changed === undefined ? null : { tail: { ...tail, ...changed } };
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
    const changes = await changesBy(type, context, folded);
    const taken = journal.takenAfter(from);
    if (changes === null || taken.length === 0) throw journal.fault('type', artifacts);
    folded = { ...folded, ...changes, progress: taken.reduce(progressAfter, folded.progress) };
    await context.pause();
  }
  return folded;
}

/** What the rows of a ledger say of a runtime. */
export interface StoredRuntime {
  readonly runtimeId: string;
  readonly start: StartRow;
  /** The row of the source revision that the start names. */
  readonly source: RegisteredSource;
  readonly lifecycle: Lifecycle;
  readonly reason: RuntimeReason | null;
}

/** A runtime of which every byte that it rests on was read back, as far as it has come. */
export interface VerifiedRuntime {
  readonly accepted: AcceptedStudy;
  readonly source: VerifiedSource;
  /** Number of verified events. */
  readonly journalHead: number;
  /** The last verified event. */
  readonly position: JournalPosition;
  /** Null before the first event. */
  readonly execution: { readonly opened: OpenedRun; readonly study: VerifiedStudy } | null;
}

/** Where a fold reads stored files, where it reports each thing that it found whole, and how it lets others work. */
export type FoldPorts = Pick<FoldContext, 'content' | 'report' | 'pause'>;

/**
 * Reopens what a runtime rests on before its first event: the start with forecast and freeze, and the source with every sealed file.
 * `events` is how many its journal has. Throws `EvidenceChainError` at the first thing that is not whole.
 */
export async function reopenStartOf(stored: StoredRuntime, events: number, ports: FoldPorts): Promise<VerifiedRuntime> {
  const { content, report } = ports;
  const accepted = await reopenStart(stored.runtimeId, stored.start, content, report);
  const { journalId, sourceSession } = accepted.record;
  report({ link: 'journal', subject: journalId, contentId: null, detail: countText(events, 'event') });
  const source = await reopenSource(stored.source, sourceSession, content, report);
  checkCalibration(accepted.record.forecast, source.registered);
  return { accepted, source, journalHead: 0, position: journalStart, execution: null };
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
  let { execution } = runtime;
  if (execution === null && events.length > 0) {
    const opened = foldOpening(accepted.record, source.registered, journal);
    const { run, startedAt } = opened;
    demandDerived('row', { start: { ids: stored.start.ids } }, { start: { ids: run.ids } });
    ports.report({ link: 'opening', subject: run.ids.executionId, contentId: null, detail: `opened ${startedAt}` });
    execution = { opened, study: openedStudy(opened, source, journal.takenAfter(position)) };
  }
  if (execution !== null) {
    const { opened } = execution;
    const context = { ...ports, run: opened.run, source, journal, opened };
    execution = { opened, study: await foldStudy(context, execution.study) };
  }
  checkEnding(stored, journal, execution?.study ?? null);
  return { accepted, source, journalHead: journal.position.seq, position: journal.position, execution };
}

/**
 * What the ledger says of a runtime's end has to be what its journal ends with. A run that failed may have ended without a
 * word; one that was studied to its end, or that was opened, never.
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
