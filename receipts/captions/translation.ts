import { captionJobId } from '../../contract/captions/caption-line.ts';
import {
  type CaptionTranslation,
  captionTranslation,
  type LongTranslationSummary,
  maximumPartAsks,
  maximumTranslationBytes,
  type PartedTranslation,
  partedTranslation,
  type TranslationAsk,
  type TranslationPart,
  type TranslationSummary,
  translationPart,
} from '../../contract/captions/caption-translation.ts';
import { contentIdOfJson, firstDifference } from '../../formats/canonical-json.ts';
import { resultInSlices, resultOfSteps, type Steps } from '../../formats/steps.ts';
import {
  askedAgain,
  gatesOver,
  type PresentGates,
  plannedAsks,
  presentGatesOf,
  questionOf,
  translationPromptContract,
} from '../../rules/translation/plan.ts';
import { programFormContract, streamQuestion } from '../../rules/translation/program-lines.ts';
import { checkObject, EvidenceChainError } from '../evidence-chain.ts';
import { inPartsBySteps, type Output, RunParts, RunRecord } from '../record.ts';
import { readStoredReceipt } from '../stored-records.ts';
import type { FoldContext, StudyRun } from '../study-run.ts';
import { type CaptionJob, captionJobIdOf, textToTranslateOf } from './artifact.ts';
import { captionInputOf } from './captioned-study.ts';
import { isOfOlderTranscriptGates, transcriptGatesOf, translationWorkOf } from './transcript-lines.ts';

/** The common parts of all records of a translation. */
const ofTranslation = {
  link: 'caption_translation',
  maximumBytes: maximumTranslationBytes,
  origin: ({ jobId }: Pick<CaptionTranslation, 'jobId'>) =>
    ({ kind: 'caption_production', jobId: captionJobId.parse(jobId) }) as const,
  producer: 'host',
} as const;

/** All questions to a model and its answers for captions, as a run stores them. */
export const storedTranslation = new RunRecord<CaptionTranslation>({
  ...ofTranslation,
  schema: captionTranslation,
  kind: 'caption-translation-output',
  sources: ({ transcript }) => [transcript.artifactId],
});

/** Everything but the questions of a long translation, as a run stores it. */
export const storedLongTranslation = new RunRecord<PartedTranslation>({
  ...ofTranslation,
  schema: partedTranslation,
  kind: 'caption-translation-output',
  sources: ({ transcript, parts }) => [transcript.artifactId, ...parts.map(({ artifactId }) => artifactId)],
});

/** The questions of a long translation as a run stores them. */
export const storedTranslationParts = new RunParts<TranslationPart>(
  new RunRecord<TranslationPart>({
    ...ofTranslation,
    schema: translationPart,
    kind: 'caption-translation-part',
    sources: ({ transcript }) => [transcript.artifactId],
  }),
  ({ asks }) => asks.length,
);

/** A long translation in the form in which it is stored, with the counts of its receipt. */
interface PartedForm {
  readonly record: PartedTranslation;
  readonly parts: readonly TranslationPart[];
  readonly counts: Omit<LongTranslationSummary, 'artifactId' | 'contentId'>;
}

/** The stored forms of translations that do not change: each is needed several times, and thousands of lines take seconds. */
const knownForms = new WeakMap<CaptionTranslation, PartedForm>();

const partedFormOf = (translation: CaptionTranslation): PartedForm => resultOfSteps(partedFormBySteps(translation));

/** The stored form of a long translation in steps; once it was done, all that needs the form looks it up. */
function* partedFormBySteps(translation: CaptionTranslation): Steps<PartedForm> {
  const form = knownForms.get(translation) ?? (yield* derivedFormOf(translation));
  knownForms.set(translation, form);
  return form;
}

function* derivedFormOf(translation: CaptionTranslation): Steps<PartedForm> {
  const { asks, ...head } = translation;
  const { jobId, runId, transcript } = head;
  // The bound of a record leaves room for two answers of the largest size, and for what a part says beside its questions.
  const most = { items: maximumPartAsks, bytes: maximumTranslationBytes / 2 };
  const parts = (yield* inPartsBySteps(asks, most)).map(
    (part, index): TranslationPart => ({
      schema: 'studio.caption-translation.part.v1',
      jobId,
      runId,
      transcript,
      index,
      asks: part,
    }),
  );
  const record: PartedTranslation = {
    ...head,
    schema: 'studio.caption-translation.v2',
    parts: yield* storedTranslationParts.namesBySteps(runId, parts),
  };
  const askedAgain = [...(yield* askCountsOf(translation)).values()].filter((count) => count > 1).length;
  return { record, parts, counts: { ...sumsOf(translation), askedAgain } };
}

/** The outputs of a translation, with the record that names it at the end; a long one in parts. In steps, one for each part. */
export function* translationOutputs(run: StudyRun, translation: CaptionTranslation, isLong: boolean): Steps<Output[]> {
  if (!isLong) return [storedTranslation.outputOf(run, translation)];
  const { record, parts } = yield* partedFormBySteps(translation);
  return [...(yield* storedTranslationParts.outputsBySteps(run, parts)), storedLongTranslation.outputOf(run, record)];
}

/** Reads a translation back, with all parts of a long one. Throws `EvidenceChainError`. */
export async function readTranslation(
  { content, pause }: Pick<FoldContext, 'content' | 'pause'>,
  contentId: string,
  isLong: boolean,
): Promise<CaptionTranslation> {
  if (!isLong) return (await readStoredReceipt(storedTranslation.shape, content, contentId)).body;
  const { body } = await readStoredReceipt(storedLongTranslation.shape, content, contentId);
  const { parts, ...head } = body;
  const asks = (await storedTranslationParts.read(content, parts)).flatMap((part) => part.asks);
  const translation: CaptionTranslation = { ...head, schema: 'studio.caption-translation.v1', asks };
  const { record } = await resultInSlices(partedFormBySteps(translation), pause);
  checkObject(contentId, () => storedLongTranslation.audit(body, record));
  return translation;
}

/** A record of the questions of one production, with what was answered. */
type TranslationAnswers = Pick<CaptionTranslation, 'prompt' | 'configuration' | 'asks' | 'identifiedAlone' | 'gates'>;

/** The record of a translation. Throws `RangeError` for a job without a translation. */
export function* translationOf(job: CaptionJob, answers: TranslationAnswers): Steps<CaptionTranslation> {
  const text = yield* textToTranslateOf(job);
  const { translator, study } = job;
  if (text === null || translator === undefined) throw new RangeError('there is something to translate');
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  return {
    schema: 'studio.caption-translation.v1',
    jobId: captionJobIdOf(job),
    runId: study.run.record.runtimeId,
    transcript: { artifactId: text.artifactId, contentId: text.contentId },
    translator,
    sourceLanguage,
    targetLanguage,
    ...answers,
  };
}

/** The digests by which a question is known again. */
export function questionDigests(question: Pick<ReturnType<typeof questionOf>, 'system' | 'user' | 'schema'>) {
  const { system, user, schema } = question;
  return { promptContentId: contentIdOfJson({ system, user }), schemaContentId: contentIdOfJson(schema) };
}

const fault = (place: string): EvidenceChainError => new EvidenceChainError('caption_translation', place);

/** A question that failed has no answer; each requested line has at most one, in the order of the lines. */
function checkAnswers({ failure, answers, lineIds, ...said }: TranslationAsk): string | null {
  if (failure !== null && said.sent !== undefined) return 'sent';
  if (failure !== null) {
    const nothing = { identified: null, model: null, inputTokens: null, outputTokens: null };
    const { identified, model, inputTokens, outputTokens } = said;
    return firstDifference({ answers, identified, model, inputTokens, outputTokens }, { answers: [], ...nothing });
  }
  const answered = answers.map(({ lineId }) => ({ lineId }));
  const derived = lineIds.filter((id) => answered.some(({ lineId }) => lineId === id)).map((lineId) => ({ lineId }));
  return firstDifference({ answers: answered }, { answers: derived });
}

/** The versions whose gates over one answer for each line, or over a program's, have a number of their own, by that number. */
const versionsByNumber: Readonly<Record<number, number>> = { 4: 5, 6: 7, 8: 7 };

/** By which version of the translation gates a record was judged. */
export const translationVersionOf = ({ gates }: CaptionTranslation): number =>
  gates === undefined ? 1 : (versionsByNumber[gates] ?? gates);

/**
 * Checks a record of any version against its basis: the translator, the words and settings, and the possible answers of a
 * question. A transcript of gates 4 or later has no translation of older gates. Throws `EvidenceChainError`.
 */
export function* checkTranslationRecord(found: CaptionTranslation, job: CaptionJob): Steps<void> {
  storedTranslation.audit(found, yield* translationOf(job, found));
  const { translator, prompt, configuration, asks } = found;
  const isOfProgram = found.gates === gatesOver.program;
  if ((configuration.schema === 'studio.caption-translation.program.v1') !== isOfProgram) throw fault('configuration');
  const isAsked = firstDifference(prompt, isOfProgram ? programFormContract : translationPromptContract) === null;
  if (!isAsked || contentIdOfJson(prompt) !== translator.promptContentId) throw fault('prompt');
  if (contentIdOfJson(configuration) !== translator.configurationContentId) throw fault('configuration');
  if (configuration.model !== translator.model) throw fault('configuration.model');
  const transcript = job.study.findings.recognition?.found ?? null;
  const isOlder =
    transcript === null || isOfOlderTranscriptGates(transcript, transcriptGatesOf.presentTranslationGates);
  if (!isOlder && presentGatesOf(found) === null) throw fault('gates');
  for (const [at, ask] of asks.entries()) {
    const unfit = checkAnswers(ask);
    if (unfit !== null) throw fault(`asks[${at}].${unfit}`);
    yield;
  }
}

/**
 * Derives every question again, in the order in which the answers before it lead to it by the present gates. What a model answered
 * cannot be derived again. Throws `EvidenceChainError`.
 */
export function* checkQuestions(found: CaptionTranslation, gates: PresentGates, job: CaptionJob): Steps<void> {
  const text = yield* textToTranslateOf(job);
  if (text === null) throw fault('transcript');
  const { asks } = found;
  const work = translationWorkOf(job.study, text, { ...found, gates });
  const sent = new Map(gates === gatesOver.program ? text.lines.map(({ id, text: line }) => [id, line]) : []);
  const planned = yield* plannedAsks(work);
  if (planned.length !== asks.length) throw fault('asks.length');
  for (const [at, { lineIds, promptContentId, schemaContentId }] of asks.entries()) {
    const next = planned[at] ?? { members: [], isApart: false };
    const expected = {
      lineIds: next.members.map(({ id }) => id),
      ...questionDigests(
        gates === gatesOver.program ? streamQuestion(next.members) : questionOf(work.lines, next, found),
      ),
    };
    const place = firstDifference({ lineIds, promptContentId, schemaContentId }, expected);
    if (place !== null) throw fault(`asks[${at}].${place}`);
    // A program repeats no text: its record has each line as it was sent.
    const other = asks[at]?.answers.find(({ lineId, source }) => (sent.get(lineId) ?? source) !== source);
    if (other !== undefined) throw fault(`asks[${at}].answers: ${other.lineId}`);
    yield;
  }
  const alone = (yield* askedAgain(work)).flatMap(({ answers }) => answers);
  const isEmpty = alone.every(({ translation }) => translation === '');
  if (isEmpty && found.identifiedAlone !== null) throw fault('identifiedAlone');
}

/** The sum of what a server stated; null where it stated nothing for some question. */
function sumOf(counts: readonly (number | null)[]): number | null {
  return counts.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0);
}

/** The number of questions for each line by its id, in steps: one for each question. */
function* askCountsOf({ asks }: CaptionTranslation): Steps<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { lineIds } of asks) {
    yield;
    for (const id of lineIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function attemptsOf(translation: CaptionTranslation): TranslationSummary['attempts'] {
  return [...resultOfSteps(askCountsOf(translation))].map(([lineId, asks]) => ({ lineId, asks }));
}

function sumsOf({ asks, translator }: CaptionTranslation) {
  const answered = asks.filter(({ failure }) => failure === null);
  return {
    translator,
    asks: asks.length,
    failedAsks: asks.length - answered.length,
    models: [...new Set(answered.flatMap(({ model }) => (model === null ? [] : [model])))],
    inputTokens: sumOf(answered.map(({ inputTokens }) => inputTokens)),
    outputTokens: sumOf(answered.map(({ outputTokens }) => outputTokens)),
  };
}

/** The translation of captions in their receipt. */
export function translationSummaryOf(runId: string, translation: CaptionTranslation): TranslationSummary {
  const contentId = contentIdOfJson(translation);
  const artifactId = storedTranslation.artifactIdOf(runId, translation, contentId);
  return { artifactId, contentId, ...sumsOf(translation), attempts: attemptsOf(translation) };
}

/** The same of long captions. */
export function longTranslationSummaryOf(runId: string, translation: CaptionTranslation): LongTranslationSummary {
  const { record, counts } = partedFormOf(translation);
  const contentId = contentIdOfJson(record);
  const artifactId = storedLongTranslation.artifactIdOf(runId, record, contentId);
  return { artifactId, contentId, ...counts };
}
