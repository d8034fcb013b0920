import type { EventType, JournalEvent } from '../../contract/journal/journal-event.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import { foldGrantFailed } from '../evidence/fold-granted.ts';
import { checkAssessed, foldAssessments, foldDecision } from '../evidence/fold-judgement.ts';
import { foldPassCompleted, foldPassGivenUp, foldPassStarted } from '../evidence/fold-media.ts';
import { checkWindows, foldReads, readableOf } from '../evidence/fold-reads.ts';
import { foldRecognitionCompleted, foldRecognitionStarted } from '../recognition/fold-recognition.ts';
import { recognition } from '../recognition/semantic-recognition.ts';
import { foldScreenTextCompleted, foldScreenTextStarted } from '../screentext/fold-screen-text.ts';
import { screenReading } from '../screentext/screen-text-operation.ts';
import type { VerifiedSource } from '../sources/reopen-source.ts';
import { foldConclusion, type VerifiedConclusion, type VerifiedFindings } from '../study/fold-conclusion.ts';
import type { OpenedRun } from '../study/fold-opening.ts';
import { foldStop, type VerifiedStop } from '../study/fold-stop.ts';
import { noProgress, progressAfter, type StudyProgress } from '../study/study-progress.ts';
import { emptyTail, tailSteps, type VerifiedTail } from './fold-tail.ts';

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
export function openedStudy(
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
export async function foldStudy(context: StudyContext, study: VerifiedStudy): Promise<VerifiedStudy> {
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
