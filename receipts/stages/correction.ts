import {
  type AddingCorrectionReceipt,
  addingCorrectionReceipt,
  type CorrectionBase,
  type CorrectionChange,
  type CorrectionCheckReceipt,
  type CorrectionHead,
  type CorrectionReceipt,
  correctionAttestation,
  correctionCheckReceipt,
  correctionReceipt,
  maximumCorrectionBytes,
  maximumCorrectionCheckBytes,
  maximumCorrections,
  type PlainCorrectionReceipt,
} from '../../contract/captions/correction.ts';
import type { Reviewer } from '../../contract/review.ts';
import { contentIdOfJson, firstDifference, hashOf } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import { type ApprovedPlan, type CaptionedStudy, underPlan } from '../captions/captioned-study.ts';
import {
  type AskedCorrection,
  type BaseLines,
  CorrectionFault,
  type CurrentLine,
  captionBaseOf,
  correctedBy,
  correctionDecisionOf,
  correctionsOn,
  draftBaseOf,
  haveAddedLines,
  isCorrected,
  linesAfter,
  noCorrections,
  onBase,
  plainLine,
  uncorrected,
  type VerifiedCorrection,
  type VerifiedCorrections,
} from '../captions/corrected-lines.ts';
import { oldestRulesOf } from '../captions/judged-captions.ts';
import { checkObject, EvidenceChainError } from '../evidence-chain.ts';
import { artifactIdOf } from '../identities.ts';
import { RunReceipt } from '../record.ts';
import { readStoredReceipt } from '../stored-records.ts';
import type { FoldContext, StepResult, StudyRun } from '../study-run.ts';
import type { VerifiedConclusion } from './admit.ts';
import type { VerifiedCaptions } from './captions.ts';
import { approvalBefore, type VerifiedReviews } from './review.ts';
import type { LaterStage } from './stage.ts';

/** The state that a request for a correction starts from. */
export const correctionHeadOf = ({ chain }: VerifiedCorrections, { contentId }: BaseLines): CorrectionHead => ({
  base: contentId,
  correction: chain.at(-1)?.receipt.contentId ?? null,
});

/** Everything that a correction follows from. */
interface MadeCorrection {
  readonly corrections: VerifiedCorrections;
  readonly base: BaseLines;
  readonly changes: readonly CorrectionChange[];
  readonly reviewer: Reviewer;
  readonly note: string | null;
  readonly reverts: string | null;
  readonly clientRequestId: string;
  readonly requestContentId: string;
}

const captionArtifactOf = (base: CorrectionBase, runId: string): string[] =>
  base.kind === 'drafts'
    ? []
    : [
        artifactIdOf({
          runId,
          contentId: base.captionContentId,
          kind: 'caption-production-output',
          origin: { kind: 'caption_production', jobId: base.jobId },
        }),
      ];

/** A correction as it is recorded, whether it adds lines or not. */
const correctionDeclaration = {
  link: 'caption_correction',
  maximumBytes: maximumCorrectionBytes,
  idPrefix: 'caption-correction-receipt',
  kind: 'caption-correction-receipt',
  about: 'correctionId',
  origin: ({ correctionId }: CorrectionReceipt) => ({ kind: 'caption_correction', correctionId }) as const,
  sources: ({ input: { base, previous } }: CorrectionReceipt, runId: string) => [
    ...captionArtifactOf(base, runId),
    ...(previous === null
      ? []
      : [
          artifactIdOf({
            runId,
            contentId: previous.receiptContentId,
            kind: 'caption-correction-receipt',
            origin: { kind: 'caption_correction', correctionId: previous.correctionId },
          }),
        ]),
  ],
  producer: 'host',
} as const;

function correctionBody(
  { record }: StudyRun,
  { corrections, base, reviewer, note, reverts, clientRequestId, requestContentId }: Omit<MadeCorrection, 'changes'>,
) {
  const last = corrections.chain.at(-1)?.receipt;
  const previous =
    last === undefined ? null : { correctionId: last.body.correctionId, receiptContentId: last.contentId };
  const { runtimeId: runId } = record;
  return {
    correctionId: `caption-correction:${hashOf({ runId, base: base.base, previous, clientRequestId, requestContentId })}`,
    input: { base: base.base, previous },
    reviewer: {
      ...reviewer,
      attestation: { kind: 'local_operator_attestation_v1', statement: correctionAttestation },
    },
    producer: {
      id: 'studio.host-caption-correction',
      version: '1',
      policy: 'attested_correction_beside_unchanged_captions',
    },
    clientRequestId,
    requestContentId,
    note,
    reverts,
  } as const;
}

/** The record of a correction of lines that come from the host. */
const plainCorrection = new RunReceipt<PlainCorrectionReceipt, 'correctionId', MadeCorrection>({
  ...correctionDeclaration,
  schema: correctionReceipt,
  name: 'studio.caption-correction.receipt.v1',
  derive: (run, { changes, ...made }) => ({
    ...correctionBody(run, made),
    // Without an added line they are those of the first version, as the schema of the event checks.
    changes: [...changes] as PlainCorrectionReceipt['changes'],
  }),
});

/** The record of a correction with an added line. */
const addingCorrection = new RunReceipt<AddingCorrectionReceipt, 'correctionId', MadeCorrection>({
  ...correctionDeclaration,
  schema: addingCorrectionReceipt,
  name: 'studio.caption-correction.receipt.v2',
  derive: (run, { changes, ...made }) => ({ ...correctionBody(run, made), changes: [...changes] }),
});

/** How a correction is written and read. */
const correctionWhere = (hasAddedLines: boolean) =>
  (hasAddedLines ? addingCorrection : plainCorrection) as RunReceipt<CorrectionReceipt, 'correctionId', MadeCorrection>;

/** True for the record of a correction that adds a line, or changes an added one. */
export const isAdding = ({ schema }: CorrectionReceipt): boolean => schema === 'studio.caption-correction.receipt.v2';

const withCorrection = (
  corrections: VerifiedCorrections,
  base: BaseLines,
  written: VerifiedCorrection,
): VerifiedCorrections => {
  const { correctionId, changes } = written.receipt.body;
  return {
    chain: [...corrections.chain, written],
    base,
    lines: linesAfter(corrections.lines, changes, correctionId),
    check: null,
  };
};

/** Everything that a check of corrected lines follows from: at least one correction, and its base. */
interface CheckedCorrections extends VerifiedCorrections {
  readonly base: BaseLines;
}

/** The record of a check of corrected lines. */
const storedCorrectionCheck = new RunReceipt<CorrectionCheckReceipt, 'checkId', CheckedCorrections>({
  link: 'caption_correction_check',
  schema: correctionCheckReceipt,
  maximumBytes: maximumCorrectionCheckBytes,
  name: 'studio.caption-correction-check.receipt.v1',
  idPrefix: 'caption-correction-check-receipt',
  kind: 'caption-correction-check-receipt',
  about: 'checkId',
  origin: ({ checkId }) => ({ kind: 'caption_correction_check', checkId }),
  sources: ({ input: { base, correction } }, runId) => [...captionArtifactOf(base, runId), correction.artifactId],
  producer: 'host',
  derive: ({ record }, { chain, base, lines }) => {
    const last = chain.at(-1);
    if (last === undefined) throw new RangeError('a check of corrections comes after a correction');
    const { body, contentId: receiptContentId } = last.receipt;
    const correction = { correctionId: body.correctionId, artifactId: last.artifactId, receiptContentId };
    const linesContentId = contentIdOfJson({ lines: lines.map(plainLine) });
    const { lines: decided, ...verdict } = correctionDecisionOf(lines, base);
    const { runtimeId: runId } = record;
    return {
      checkId: `caption-correction-check:${hashOf({ runId, base: base.base, correction, linesContentId })}`,
      input: { base: base.base, correction, linesContentId },
      producer: {
        id: 'studio.host-caption-correction-check',
        version: '1',
        policy: 'structural_gate_with_lines_attested_by_a_person',
      },
      decision: { ...verdict, decisionsContentId: contentIdOfJson({ lines: decided }) },
    };
  },
});

/** The check of the lines of a runtime, as it is written; nothing for a runtime without corrections. */
export function recordCorrectionCheck(
  run: StudyRun,
  { base, ...corrections }: VerifiedCorrections,
): Pick<StepResult<unknown>, 'objects' | 'events'> {
  if (base === null || corrections.chain.length === 0) return { objects: [], events: [] };
  const checked = { ...corrections, base };
  return storedCorrectionCheck.write('caption.correction_checked', run, storedCorrectionCheck.of(run, checked));
}

/** A correction with its check, as both are written in one commit. */
export function recordCorrection(run: StudyRun, made: MadeCorrection): Pick<StepResult<unknown>, 'objects' | 'events'> {
  const stored = correctionWhere(haveAddedLines(made.changes));
  const receipt = stored.of(run, made);
  const { objects, events, refs } = stored.write('caption.correction_recorded', run, receipt);
  const written = {
    receipt: { contentId: refs.receiptContentId, bytes: objects[0]?.bytes.length ?? 0, body: receipt },
    artifactId: refs.artifactId,
    recordedAt: '',
  };
  if (written.receipt.bytes > maximumCorrectionBytes) {
    throw new CorrectionFault('the lines that it changes are too long for one correction: send fewer changes');
  }
  const check = recordCorrectionCheck(run, withCorrection(made.corrections, made.base, written));
  return { objects: [...objects, ...check.objects], events: [...events, ...check.events] };
}

/** The part of a study that the fold of a correction reads. */
interface CorrectableStudy {
  readonly captions: VerifiedCaptions;
  readonly corrections: VerifiedCorrections;
  /** The study as it is approved, or as it would be. */
  readonly study: CaptionedStudy;
  /** True if a person may correct: there is no revocation or rejection, and captions have their approval. */
  readonly mayCorrect: boolean;
}

/**
 * The drafts that a correction names; they follow by the caption rules. Of lines that older rules cut, only those in corrections are
 * known. Throws `EvidenceChainError`.
 */
function draftsNamed(study: CaptionedStudy, found: Extract<CorrectionBase, { kind: 'drafts' }>): BaseLines {
  const { executor, linesContentId } = found;
  const translator = 'model' in executor ? executor : undefined;
  const job = {
    study,
    attempt: 0,
    classification: executor.classification,
    translator: translator && {
      model: translator.model,
      promptContentId: translator.promptContentId,
      configurationContentId: translator.configurationContentId,
    },
  };
  const drafts = draftBaseOf(job);
  if (drafts.contentId === linesContentId) return drafts;
  const olderRules = oldestRulesOf(job);
  if (olderRules < ruleSets.captions.version) {
    return { ...drafts, base: found, contentId: linesContentId, lines: [], transcriptLines: new Map(), olderRules };
  }
  throw new EvidenceChainError('caption_correction', 'input.base.linesContentId');
}

function baseNamed({ captions, corrections, study }: CorrectableStudy, found: CorrectionBase): BaseLines {
  if (captions.caption !== null) return captionBaseOf(captions.caption);
  if (found.kind === 'captions') throw new EvidenceChainError('caption_correction', 'input.base');
  return corrections.base?.contentId === found.linesContentId ? corrections.base : draftsNamed(study, found);
}

/** The same request as the one whose changes a record has: a text that is what the line had before was not asked for. */
function askedBy({ changes, reverts }: CorrectionReceipt): AskedCorrection {
  if (reverts !== null) return { reverts };
  return {
    changes: changes.map(({ before, after }) => ({
      lineIds: before.map(({ id }) => id),
      lines: after.map(({ startMs, endMs, source, target }) => ({
        startMs,
        endMs,
        ...(source.by === 'person' && source.text !== null ? { source: source.text } : {}),
        ...(target.by === 'person' && target.text !== null ? { target: target.text } : {}),
      })),
    })),
  };
}

function derivedChanges(
  corrections: VerifiedCorrections,
  base: BaseLines,
  found: CorrectionReceipt,
): CorrectionChange[] {
  try {
    return correctedBy(corrections, base, askedBy(found)).changes;
  } catch (error) {
    if (!(error instanceof CorrectionFault)) throw error;
    throw new EvidenceChainError('caption_correction', `changes: ${error.message}`, error);
  }
}

/** Takes a correction: reopens its record, and makes its changes again on the lines as they were. Throws `EvidenceChainError`. */
async function foldCorrectionRecorded(
  { journal, run, content, report }: FoldContext,
  correctable: CorrectableStudy,
): Promise<VerifiedCorrections> {
  const { captions, mayCorrect } = correctable;
  const recorded = journal.count('artifact.recorded');
  const { data, recordedAt } = journal.expect('caption.correction_recorded', recorded);
  const isUnchecked = captions.caption !== null && captions.caption.qualityControl === null;
  if (!mayCorrect || captions.open !== null || isUnchecked) throw journal.fault('type', recorded);
  if (correctable.corrections.chain.length >= maximumCorrections) throw journal.fault('type', recorded);
  const { receiptContentId } = data;
  const stored = correctionWhere(isAdding(data.receipt));
  const { body: found } = await readStoredReceipt(stored.shape, content, receiptContentId);
  const base = checkObject(receiptContentId, () => baseNamed(correctable, found.input.base));
  const corrections = correctionsOn(correctable.corrections, base);
  if (corrections.base?.contentId !== base.contentId) throw journal.fault('data.receipt.input.base', recorded);
  const receipt = await stored.reopen(content, receiptContentId, (said) =>
    stored.of(run, {
      corrections,
      base,
      note: said.note,
      reverts: said.reverts,
      clientRequestId: said.clientRequestId,
      requestContentId: said.requestContentId,
      reviewer: { id: said.reviewer.id, label: said.reviewer.label },
      changes: base.olderRules === undefined ? derivedChanges(corrections, base, said) : said.changes,
    }),
  );
  const { events, refs } = stored.write('caption.correction_recorded', run, receipt.body);
  journal.take(events);
  const { correctionId, changes } = receipt.body;
  const detail = countText(changes.length, 'change');
  const judged = base.olderRules === undefined ? {} : { judgement: judgementBy(ruleSets.captions, base.olderRules) };
  report({ link: 'caption_correction', subject: correctionId, contentId: receiptContentId, detail, ...judged });
  return withCorrection(corrections, base, { receipt, artifactId: refs.artifactId, recordedAt });
}

/** The check of lines that older rules cut: it is of the newest correction, and its decision is not made again. Throws `EvidenceChainError`. */
function checkOfOlderRules({ chain }: Pick<VerifiedCorrections, 'chain'>, said: CorrectionCheckReceipt) {
  if (said.input.correction.receiptContentId === chain.at(-1)?.receipt.contentId) return said;
  throw new EvidenceChainError('caption_correction_check', 'input.correction');
}

/** Takes the check of corrected lines, and decides again. Throws `EvidenceChainError`. */
async function foldCorrectionChecked(
  { journal, run, content, report }: FoldContext,
  { base, ...corrections }: VerifiedCorrections,
): Promise<VerifiedCorrections> {
  const recorded = journal.count('artifact.recorded');
  const { receiptContentId } = journal.expect('caption.correction_checked', recorded).data;
  if (base === null || corrections.chain.length === 0 || corrections.check !== null)
    throw journal.fault('type', recorded);
  const checked = { ...corrections, base };
  const { olderRules } = base;
  const check = await storedCorrectionCheck.reopen(content, receiptContentId, (said) =>
    olderRules === undefined ? storedCorrectionCheck.of(run, checked) : checkOfOlderRules(corrections, said),
  );
  journal.take(storedCorrectionCheck.write('caption.correction_checked', run, check.body).events);
  const { checkId, decision } = check.body;
  const { outcome: detail } = decision;
  const judgement =
    olderRules === undefined ? judgementBy(ruleSets.correctionCheck) : judgementBy(ruleSets.captions, olderRules);
  report({ link: 'caption_correction_check', subject: checkId, contentId: receiptContentId, detail, judgement });
  return { ...checked, check };
}

/** Why corrections of lines that older rules cut are neither shown nor captioned. */
export const linesOfOlderRules =
  'the corrections are of lines that older caption rules cut, and this program cuts others: study the range again to caption it';

/** Why captions that are about to be made cannot take the corrections of their lines; null if they can. */
export function correctionsObstacle(corrections: VerifiedCorrections, drafts: () => BaseLines): string | null {
  if (!isCorrected(corrections)) return null;
  if (corrections.base?.olderRules !== undefined) return linesOfOlderRules;
  return corrections.base?.contentId === drafts().contentId
    ? null
    : 'a person corrected other lines than this host would caption: revert these corrections, or start the host with the caption executor that gave them';
}

/** A corrected line with the texts that the host has by now. */
const shownOn = (line: CurrentLine, base: BaseLines): CurrentLine => ({
  ...onBase(line, base),
  correctionId: line.correctionId,
});

/**
 * The corrections of lines that have become captions: new texts of the host, such as a translation, fill the gaps of before.
 * Throws `EvidenceChainError` for captions of other lines than the corrected ones.
 */
function correctionsOfCaptions(corrections: VerifiedCorrections, captions: VerifiedCaptions): VerifiedCorrections {
  if (corrections.base === null || captions.caption === null) return corrections;
  const base = captionBaseOf(captions.caption);
  if (!isCorrected(corrections)) return { ...corrections, base, lines: uncorrected(base), check: null };
  if (corrections.base.olderRules !== undefined) {
    const made = corrections.chain.map(({ receipt }) => receipt.body);
    const corrected = made.reduce(
      (before, each) => linesAfter(before, each.changes, each.correctionId),
      uncorrected(base),
    );
    return { ...corrections, base, lines: corrected.map((line) => shownOn(line, base)), check: null };
  }
  const timesOf = ({ lines }: BaseLines) =>
    lines.map(({ id, startMs, endMs, source }) => ({ id, startMs, endMs, source }));
  const place = firstDifference(timesOf(corrections.base), timesOf(base));
  if (place !== null) throw new EvidenceChainError('caption_correction', `lines of the captions: ${place}`);
  const lines = corrections.lines.map((line) => shownOn(line, base));
  return { ...corrections, base, lines, check: null };
}

/** The results of a study whose lines a person may correct. */
interface CorrectableTail extends Pick<VerifiedReviews, 'deciding' | 'authority' | 'review'> {
  readonly captions: VerifiedCaptions;
  readonly corrections: VerifiedCorrections;
}

/**
 * True if a person may correct lines: of a study that is queued and neither rejected nor revoked; captions need their approval.
 */
export const mayCorrect = ({ intake }: VerifiedConclusion, tail: CorrectableTail): boolean =>
  intake.body.result.outcome === 'queued' &&
  tail.deciding === null &&
  (tail.authority !== null || (tail.review === null && tail.captions.caption === null));

/** The part of an ended study that corrections read. */
interface Corrected extends Pick<CaptionedStudy, 'findings' | 'conclusion'> {
  readonly tail: CorrectableTail & { readonly plan: ApprovedPlan | null };
}

/** The corrections of caption lines by a person, before and after captions are made, each with a check. */
export const correctionStage: LaterStage<Corrected, { readonly corrections: VerifiedCorrections }> = {
  name: 'correction',
  nothing: { corrections: noCorrections },
  records: {
    'caption-correction': correctionReceipt,
    'caption-correction-added': addingCorrectionReceipt,
    'caption-correction-check': correctionCheckReceipt,
  },
  folds: {
    'caption.correction_recorded': async (context, { findings, conclusion, tail }) => ({
      corrections: await foldCorrectionRecorded(context, {
        captions: tail.captions,
        corrections: tail.corrections,
        study: underPlan(
          { run: context.run, findings, conclusion, approval: approvalBefore(context.run, conclusion) },
          tail.plan,
        ),
        mayCorrect: mayCorrect(conclusion, tail),
      }),
    }),
    'caption.correction_checked': async (context, { tail }) => ({
      corrections: await foldCorrectionChecked(context, tail.corrections),
    }),
  },
  follows: {
    'caption.production_completed': ({ tail }) => ({
      corrections: correctionsOfCaptions(tail.corrections, tail.captions),
    }),
  },
};
