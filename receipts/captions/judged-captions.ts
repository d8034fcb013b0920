import type { CaptionExecutorIdentity, LineLineage } from '../../contract/captions/caption-line.ts';
import type { CaptionArtifact } from '../../contract/captions/caption-production.ts';
import type { CaptionTranslation } from '../../contract/captions/caption-translation.ts';
import type { Judgement } from '../../contract/judgement.ts';
import { firstDifference } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { resultInSlices, type Steps } from '../../formats/steps.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import { presentGatesOf } from '../../rules/translation/plan.ts';
import { namesTrackRule, statesContainer, statesPlacement } from '../evidence/delivered.ts';
import { checkObjectInSteps, demandDerived, demandDerivedInSteps, EvidenceChainError } from '../evidence-chain.ts';
import type { StoredReceipt } from '../stored-records.ts';
import type { FoldContext } from '../study-run.ts';
import {
  CaptionFailure,
  type CaptionJob,
  captionExecutorOf,
  captionJobIdOf,
  captionsInSlices,
  resultOf,
} from './artifact.ts';
import { captionInputOf, coveredLine } from './captioned-study.ts';
import { wholeCaptionsBySteps } from './stored-captions.ts';
import { isOfOlderTranscriptGates, transcriptGatesOf, transcriptOf } from './transcript-lines.ts';
import { checkQuestions, checkTranslationRecord, readTranslation, translationVersionOf } from './translation.ts';

/** An attempt to make captions, with the executor that the journal names for it. */
export interface BegunCaptions {
  readonly job: CaptionJob;
  readonly executor: CaptionExecutorIdentity;
}

const { version: present } = ruleSets.captions;

/**
 * The oldest caption rules by which captions of this study can have been made. The plan of an approval states their version. Without one
 * it follows from what the study states. Version 1 ended with the version of the program that chooses among audio tracks by a rule,
 * version 2 when transcript gates 2 came. It differed from version 3 in rows of transcripts alone. Version 4 came with transcript
 * gates 4, and with evidence of where cues are shown; version 5 with the flags of tracks. No release had version 4, and captions of
 * transcripts are the same in both.
 */
export function oldestRulesOf({ study: { findings, captionRules }, classification }: CaptionJob): number {
  if (captionRules !== undefined) return captionRules;
  const { operations, recognition } = findings;
  const found = recognition?.found ?? null;
  if (classification === 'recognised_transcript' || classification === 'recognised_transcript_translated') {
    if (found === null || !isOfOlderTranscriptGates(found, transcriptGatesOf.captionRules4)) return present;
    return isOfOlderTranscriptGates(found, transcriptGatesOf.captionRules3) ? 2 : 3;
  }
  const states = (stated: typeof statesPlacement) => operations.some(({ receipt }) => stated(receipt.parameters));
  if (states(statesContainer)) return present;
  if (states(statesPlacement)) return 4;
  return classification === 'subtitle_tracks_translated' || states(namesTrackRule) ? 3 : 1;
}

const isJudgedAgain = (job: CaptionJob): boolean => oldestRulesOf(job) === present;

/**
 * The executor of an attempt as the journal states it, if this program names the same one; older rules may have taken another
 * track. Otherwise the one that this program names.
 */
export function executorOf(job: CaptionJob, stated: CaptionExecutorIdentity): CaptionExecutorIdentity {
  const derived = captionExecutorOf(job);
  const withoutTrack = (executor: CaptionExecutorIdentity) => ({ ...executor, sourceCaptionContentId: null });
  const isOlder = !isJudgedAgain(job) && firstDifference(withoutTrack(derived), withoutTrack(stated)) === null;
  return isOlder ? stated : derived;
}

/** Runs a check that a record of older rules need not pass; whether it passed. Throws what a record of the present rules fails at. */
async function follows(mayBeOlder: boolean, check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (!mayBeOlder || !(error instanceof EvidenceChainError)) throw error;
    return false;
  }
}

/**
 * Reads the translation of captions back. It derives every question again from the answers before it, if this program has its
 * gates and cut its lines. Throws `EvidenceChainError`.
 */
export async function reopenTranslation(
  { content, report, pause }: Pick<FoldContext, 'content' | 'report' | 'pause'>,
  job: CaptionJob,
  contentId: string,
): Promise<{ readonly job: CaptionJob; readonly judgement: Judgement }> {
  const translation = await readTranslation({ content, pause }, contentId, job.allowance !== undefined);
  await pause();
  const judgement = await judgedTranslation(contentId, translation, job, pause);
  const detail = countText(translation.asks.length, 'question');
  const { model: subject } = translation.translator;
  report({ link: 'caption_translation', subject, contentId, detail, judgement }, translation);
  return { job: { ...job, translation }, judgement };
}

async function judgedTranslation(
  contentId: string,
  found: CaptionTranslation,
  job: CaptionJob,
  pause: FoldContext['pause'],
): Promise<Judgement> {
  const check = (steps: () => Steps<void>) => resultInSlices(checkObjectInSteps(contentId, steps), pause);
  await check(() => checkTranslationRecord(found, job));
  const gates = presentGatesOf(found);
  if (gates === null) return judgementBy(ruleSets.translationGates, translationVersionOf(found));
  const isDerived = await follows(!isJudgedAgain(job), () => check(() => checkQuestions(found, gates, job)));
  return isDerived ? judgementBy(ruleSets.translationGates) : judgementBy(ruleSets.captions, oldestRulesOf(job));
}

/**
 * Derives captions again by the present rules. Those of older rules are checked for their form: all that follows from the study
 * and from the lines themselves. So are those of a translation that was not judged again. Throws `EvidenceChainError`.
 */
export async function judgedCaptions(
  { contentId, body }: StoredReceipt<CaptionArtifact>,
  begun: BegunCaptions,
  translation: Judgement | null,
  pause: FoldContext['pause'],
): Promise<Judgement> {
  const { job } = begun;
  const check = (steps: () => Steps<void>) => resultInSlices(checkObjectInSteps(contentId, steps), pause);
  const checkForm = () => check(() => checkCaptionForm(body, begun));
  if (translation?.check === 'form_checked') {
    await checkForm();
    return translation;
  }
  const derived = await derivedCaptions(job, pause);
  const isDerived = await follows(!isJudgedAgain(job), () =>
    check(() => demandDerivedInSteps('caption', body, derived(), 'jobId')),
  );
  if (isDerived) return judgementBy(ruleSets.captions);
  await checkForm();
  return judgementBy(ruleSets.captions, oldestRulesOf(job));
}

/** The captions of a study must have been possible: for impossible ones the derivation throws. */
async function derivedCaptions(job: CaptionJob, pause: FoldContext['pause']): Promise<() => CaptionArtifact> {
  try {
    const captions = await captionsInSlices(job, pause);
    return () => captions;
  } catch (error) {
    if (!(error instanceof CaptionFailure)) throw error;
    return () => {
      throw new EvidenceChainError('caption', error.message, error);
    };
  }
}

/** The origin of a line, without its study's statements about its time. */
function originOf({ study, ...lineage }: LineLineage) {
  const { claimIds, semanticCitations, childReports, ...rest } = study;
  return { ...lineage, study: rest };
}

/**
 * Checks captions without judging them. They are of this attempt, and their counts are those of their lines. The lines come one
 * after the other in the range. Each is of this study, has the coverage of its time, and cites reads of it. Throws
 * `EvidenceChainError`.
 */
function* checkCaptionForm(body: CaptionArtifact, { job, executor }: BegunCaptions): Steps<void> {
  const { study } = job;
  const { jobId, runId, input, result, lines, executor: named } = yield* wholeCaptionsBySteps(body);
  const head = { runId: study.run.record.runtimeId, input: captionInputOf(study), executor, result: resultOf(lines) };
  demandDerived(
    'caption',
    { jobId, runId, input, executor: named, result },
    { jobId: captionJobIdOf(job), ...head },
    'jobId',
  );
  if ('transcript' in body && body.transcript !== null) {
    const { artifactId, contentId } = transcriptOf(study.findings) ?? { artifactId: null, contentId: null };
    demandDerived('caption', { transcript: body.transcript }, { transcript: { artifactId, contentId } });
  }
  const reads = new Set(study.findings.reads.map(({ contentId }) => contentId));
  let reached = input.range.startMs;
  for (const [at, { startMs, endMs, lineage }] of lines.entries()) {
    yield;
    const place = `lines[${at}]`;
    if (startMs < reached || endMs <= startMs || endMs > input.range.endMs)
      throw new EvidenceChainError('caption', `${place}.startMs`);
    reached = endMs;
    const derived = coveredLine(study, jobId, executor, { startMs, endMs }).lineage;
    demandDerived('caption', { [place]: originOf(lineage) }, { [place]: originOf(derived) });
    if (!lineage.study.semanticCitations.every(({ receiptContentId }) => reads.has(receiptContentId)))
      throw new EvidenceChainError('caption', `${place}.lineage.study.semanticCitations`);
  }
}
