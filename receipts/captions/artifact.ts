import { failureMessage } from '../../contract/base/errors.ts';
import {
  type CaptionLine,
  type CaptionTranslator,
  captionLimits,
  captionLine,
} from '../../contract/captions/caption-line.ts';
import type {
  CaptionArtifact,
  CaptionResult,
  captionCauses,
  LongCaptions,
} from '../../contract/captions/caption-production.ts';
import type { CaptionTranslation } from '../../contract/captions/caption-translation.ts';
import { hashOf, storedBytes } from '../../formats/canonical-json.ts';
import { resultInSlices, resultOfSteps, type Steps } from '../../formats/steps.ts';
import type { FoldContext } from '../study-run.ts';
import { type AllowedCaptions, captionLimitsOf, captionTextOf, type DraftLine } from './allowance.ts';
import { type CaptionedStudy, captionInputOf, coveredLine } from './captioned-study.ts';
import { captionExecutors, translatableText } from './executors.ts';
import { sharedLinesOf, storedFormBySteps } from './stored-captions.ts';
import { type TextToTranslate, transcriptOf } from './transcript-lines.ts';

/** One attempt to make captions of an approved study, counted from 0. */
export interface CaptionJob extends AllowedCaptions {
  readonly study: CaptionedStudy;
  readonly attempt: number;
  /** The translator; absent if there is none. */
  readonly translator?: CaptionTranslator | undefined;
  /** The questions and answers; absent before them, and if nothing has to be translated. */
  readonly translation?: CaptionTranslation | undefined;
}

/** Captions could not be made; the message begins with a closed word for the cause. */
export class CaptionFailure extends Error {
  constructor(word: (typeof captionCauses)[number], detail: string, cause?: unknown) {
    super(failureMessage(`${word}: ${detail}`), { cause });
    this.name = 'CaptionFailure';
  }
}

/** The first attempt has no number in its name: it is the one that clients can derive. */
export const captionJobIdOf = ({ study, attempt }: Pick<CaptionJob, 'study' | 'attempt'>): string =>
  `caption-production:${hashOf({
    runId: study.run.record.runtimeId,
    approval: study.approval,
    readiness: study.conclusion.admission.readiness,
    study: study.conclusion.study,
    ...(attempt === 0 ? {} : { attempt }),
  })}`;

export const captionExecutorOf = ({ study, classification, translator }: CaptionJob) =>
  captionExecutors[classification].identify(study, translator);

/** The stored text that a model has to translate for a job; null if nothing has to be. */
export function* textToTranslateOf({ study, classification, translator }: CaptionJob): Steps<TextToTranslate | null> {
  return translator === undefined ? null : yield* translatableText(study, classification);
}

/** The common fields of all lines of a production. */
type CaptionHead = Pick<CaptionArtifact, 'jobId' | 'runId' | 'input' | 'executor'>;

function lineOf(
  study: CaptionedStudy,
  head: CaptionHead,
  { id, startMs, endMs, source, target }: DraftLine,
): CaptionLine {
  const { sourceLanguage, targetLanguage } = head.input;
  const window = { startMs, endMs };
  const { lineage, gap } = coveredLine(study, head.jobId, head.executor, window);
  const line = captionLine.safeParse({
    id,
    ...window,
    lineage,
    source: captionTextOf(sourceLanguage, source, gap),
    target: captionTextOf(targetLanguage, target, gap),
  });
  if (line.success) return line.data;
  const issue = line.error.issues[0];
  throw new CaptionFailure('invalid_output', `${id} ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

/** The result of a production, counted over its lines. */
export function resultOf(lines: readonly CaptionLine[]): CaptionResult {
  const among = (side: 'source' | 'target', state: string): number =>
    lines.filter((line) => line[side].state === state).length;
  const sourceAvailableCount = among('source', 'available');
  const targetAvailableCount = among('target', 'available');
  const withheldCount = among('target', 'withheld');
  const unavailableCount = among('target', 'unavailable');
  const counts = {
    lineCount: lines.length,
    sourceAvailableCount,
    targetAvailableCount,
    withheldCount,
    unavailableCount,
  };
  if (sourceAvailableCount === 0) return { status: 'unavailable', ...counts };
  if (targetAvailableCount === lines.length) return { status: 'completed', ...counts };
  return { status: withheldCount === lines.length ? 'withheld' : 'partial', ...counts };
}

function demandAtMost(what: string, found: number, limit: number): void {
  if (found > limit) throw new CaptionFailure('too_large', `${found} ${what}, at most ${limit} are allowed`);
}

function demandLimits(job: CaptionJob, lines: readonly CaptionLine[]): void {
  const { maxSourceBytes, maxTargetBytes } = captionLimitsOf(job);
  const bytesOf = (side: 'source' | 'target'): number =>
    lines.reduce((sum, line) => sum + Buffer.byteLength(line[side].text ?? '', 'utf8'), 0);
  demandAtMost('bytes of source text', bytesOf('source'), maxSourceBytes);
  demandAtMost('bytes of target text', bytesOf('target'), maxTargetBytes);
}

/** Makes captions line by line, so that others may work in between. */
function* captionsInTurn(job: CaptionJob): Steps<CaptionArtifact> {
  const drafts = yield* captionExecutors[job.classification].draft(job.study, job.translation);
  demandAtMost('lines', drafts.length, captionLimitsOf(job).maxLines);
  const head: CaptionHead = {
    jobId: captionJobIdOf(job),
    runId: job.study.run.record.runtimeId,
    input: captionInputOf(job.study),
    executor: captionExecutorOf(job),
  };
  const lines: CaptionLine[] = [];
  for (const draft of drafts) {
    lines.push(lineOf(job.study, head, draft));
    yield;
  }
  demandLimits(job, lines);
  const cited = citedBy(job, drafts);
  const made = job.allowance === undefined ? artifactOf : longArtifactOf;
  const artifact = yield* made(head, lines, cited);
  const { record, chunks, citations } = yield* storedFormBySteps(artifact);
  for (const each of [record, ...chunks, ...citations]) {
    demandAtMost('bytes of captions', storedBytes(each).length, captionLimits.maxArtifactBytes);
    yield;
  }
  return artifact;
}

/** The captions of an approved study. Throws `CaptionFailure` for lines that the limits or the wire do not allow. */
export const captionsOf = (job: CaptionJob): CaptionArtifact => resultOfSteps(captionsInTurn(job));

/** As `captionsOf`, with a pause between lines. */
export const captionsInSlices = (job: CaptionJob, pause: FoldContext['pause']): Promise<CaptionArtifact> =>
  resultInSlices(captionsInTurn(job), pause);

/** The transcript that lines were cut from, and which of its lines each was cut from. */
interface CitedTranscript {
  readonly transcript: { readonly artifactId: string; readonly contentId: string };
  readonly citations: readonly (readonly number[])[];
}

function citedBy({ study }: CaptionJob, drafts: readonly DraftLine[]): CitedTranscript | null {
  const transcript = transcriptOf(study.findings);
  const citations = drafts.flatMap(({ transcriptLines }) => (transcriptLines === undefined ? [] : [transcriptLines]));
  if (transcript === null || citations.length === 0) return null;
  return { transcript: { artifactId: transcript.artifactId, contentId: transcript.contentId }, citations };
}

/** In the form whose lines are stored in chunks. Throws `CaptionFailure` if there is no line. */
function* longArtifactOf(
  head: CaptionHead,
  lines: readonly CaptionLine[],
  cited: CitedTranscript | null,
): Steps<LongCaptions> {
  const [line, ...others] = lines;
  if (line === undefined) throw new CaptionFailure('invalid_output', 'long captions without a line');
  const { sharedLineage, lines: sharing } = yield* sharedLinesOf([line, ...others]);
  return {
    schema: 'studio.caption-production.artifact.v7',
    ...head,
    result: resultOf(lines),
    transcript: cited?.transcript ?? null,
    sharedLineage,
    lines: sharing.map((each, at) =>
      cited === null ? each : { ...each, transcriptLines: [...(cited.citations[at] ?? [])] },
    ),
  };
}

/** In the form that every client reads if there is room for it, else in the one without repetitions. */
function* artifactOf(
  head: CaptionHead,
  lines: readonly CaptionLine[],
  cited: CitedTranscript | null,
): Steps<CaptionArtifact> {
  const stored = { ...head, result: resultOf(lines) };
  const [line, ...others] = lines;
  if (cited !== null && line !== undefined) {
    const { sharedLineage, lines: sharing } = yield* sharedLinesOf([line, ...others]);
    return {
      schema: 'studio.caption-production.artifact.v6',
      ...stored,
      transcript: cited.transcript,
      sharedLineage,
      lines: sharing.map((each, at) => ({ ...each, transcriptLines: [...(cited.citations[at] ?? [])] })),
    };
  }
  const whole: CaptionArtifact = { schema: 'studio.caption-production.artifact.v1', ...stored, lines: [...lines] };
  if (line === undefined || storedBytes(whole).length <= captionLimits.maxArtifactBytes) return whole;
  return { schema: 'studio.caption-production.artifact.v5', ...stored, ...(yield* sharedLinesOf([line, ...others])) };
}
