import { z } from 'zod';
import { artifactId } from '../base/artifact.ts';
import { eventType } from '../base/event-envelope.ts';
import {
  contentId,
  count,
  givenLine,
  identity,
  identityOf,
  languageTag,
  positive,
  range,
  timestamp,
} from '../base/grammar.ts';
import { longestNote } from '../base/longest-note.ts';
import { reviewerLabel, reviewNote } from '../review.ts';
import { runtimeListFields } from '../study/status.ts';
import {
  captionExecutor,
  captionJobId,
  captionReason,
  captionSide,
  captionWords,
  type LineBreaks,
  lineBreaks,
  type ShownSides,
} from './caption-line.ts';
import { longestCaptions } from './caption-production.ts';
import { maximumCorrectionChanges } from './correction-limits.ts';
import { draftedFile } from './guideline-report.ts';
import { captionProfile, captionQualityReport } from './quality-control.ts';

/** The attestation of a reviewer with each correction, word for word. */
export const correctionAttestation = 'I attest that I am the named reviewer and made this correction.';

/** The most corrections of one runtime. */
export const maximumCorrections = 2048;

/** Largest stored receipt of a correction, and of its check, in bytes. */
export const maximumCorrectionBytes = 262_144;
export const maximumCorrectionCheckBytes = 16_384;

const correctionId = z.string().regex(/^caption-correction:[a-f0-9]{64}$/);
const checkId = z.string().regex(/^caption-correction-check:[a-f0-9]{64}$/);
const lineId = identityOf(200);

/**
 * The state that a correction starts from, and that a request names. It is the content id of the lines before any correction, and
 * that of the receipt of the newest correction; null before the first.
 */
export const correctionHead = z.strictObject({ base: contentId, correction: contentId.nullable() });

/** The author of the text of a side of a line: the host, or a person. */
const origin = z.enum(['host', 'person']);

/**
 * One side of a line. `reasonCode` says why the host has no text here. It stays beside a text of a person, so that the withheld
 * sides remain known.
 */
export const correctedText = z
  .strictObject({
    state: z.enum(['available', 'withheld', 'unavailable']),
    text: captionWords.nullable(),
    reasonCode: captionReason.nullable(),
    by: origin,
  })
  .refine(({ state, text }) => (state === 'available') === (text !== null), 'an available side has a text, no other')
  .refine(({ by, state }) => by === 'host' || state === 'available', 'a person gives a text')
  .refine(
    ({ by, state, reasonCode }) => by === 'person' || (state === 'available') === (reasonCode === null),
    'the host names a reason for a text that it does not have',
  );

/** A line as it is shown: `originalLineIds` are the lines of the host that it comes from. */
export const correctedLine = z.strictObject({
  id: lineId,
  startMs: count,
  endMs: positive,
  originalLineIds: z.array(lineId).min(1),
  source: correctedText,
  target: correctedText,
});

/**
 * A side of an added line that its author left without a text. The host never had one there either, so
 * it gives no reason.
 */
const unwrittenText = z.strictObject({
  state: z.literal('unavailable'),
  text: z.null(),
  reasonCode: z.null(),
  by: z.literal('person'),
});

const currentText = z.union([correctedText, unwrittenText]);

const isUnwritten = ({ by, text }: z.infer<typeof correctedText>): boolean => by === 'person' && text === null;

interface OwnTexts {
  readonly originalLineIds: readonly string[];
  readonly source: z.infer<typeof correctedText>;
  readonly target: z.infer<typeof correctedText>;
}

const isWritten = ({ originalLineIds, source, target }: OwnTexts): boolean => {
  const unwritten = [source, target].filter(isUnwritten).length;
  return unwritten === 0 || (unwritten === 1 && originalLineIds.length === 0);
};
const written = 'only an added line has a side without a text of its author, and a text on the other';

/** A line of captions with added lines. A line that a person added comes from no line of the host: it names none. */
const addedLineFields = correctedLine.extend({
  originalLineIds: z.array(lineId),
  source: currentText,
  target: currentText,
});

/** A line as it is shown, whether it comes from lines of the host or was added. */
export const currentLine = addedLineFields.refine(isWritten, written);

/** A line before any correction. */
export const originalLine = z.strictObject({
  id: lineId,
  startMs: count,
  endMs: positive,
  source: correctedText,
  target: correctedText,
});

export const correctionKind = z.enum([
  'reworded',
  'retimed',
  'reworded_and_retimed',
  'split',
  'merged',
  'replaced',
  'dropped',
  'restored',
]);

/** Lines that follow each other, and what a person made of them; `restored` has no line before it. */
export const correctionChange = z.strictObject({
  kind: correctionKind,
  before: z.array(correctedLine),
  after: z.array(correctedLine),
});

/** The same where lines were added; `added` has no line before it. */
export const addingChange = z.strictObject({
  kind: z.enum([...correctionKind.options, 'added']),
  before: z.array(currentLine),
  after: z.array(currentLine),
});

/** The lines before any correction: captions that were made, or the lines that captions would have. */
export const correctionBase = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('captions'),
    jobId: captionJobId,
    captionContentId: contentId,
    captionReceiptContentId: contentId,
  }),
  z.strictObject({ kind: z.literal('drafts'), executor: captionExecutor, linesContentId: contentId }),
]);

/** The changes of a person, and the lines they apply to. `receiptId` is derived from everything but it and `schema`. */
export const correctionReceipt = z.strictObject({
  schema: z.literal('studio.caption-correction.receipt.v1'),
  receiptId: z.string().regex(/^caption-correction-receipt:[a-f0-9]{64}$/),
  correctionId,
  input: z.strictObject({
    base: correctionBase,
    /** The correction before this one. */
    previous: z.strictObject({ correctionId, receiptContentId: contentId }).nullable(),
  }),
  reviewer: z.strictObject({
    id: identity,
    label: reviewerLabel,
    attestation: z.strictObject({
      kind: z.literal('local_operator_attestation_v1'),
      statement: z.literal(correctionAttestation),
    }),
  }),
  producer: z.strictObject({
    id: z.literal('studio.host-caption-correction'),
    version: z.literal('1'),
    policy: z.literal('attested_correction_beside_unchanged_captions'),
  }),
  clientRequestId: identity,
  /** The digest of the request: the same `clientRequestId` stands for the same request. */
  requestContentId: contentId,
  note: reviewNote,
  /** The correction that this one takes back; null for changes of its own. */
  reverts: correctionId.nullable(),
  changes: z.array(correctionChange).min(1).max(maximumCorrectionChanges),
});

/** The same for changes that add a line, or that change an added one. Older programs do not read it. */
export const addingCorrectionReceipt = correctionReceipt.extend({
  schema: z.literal('studio.caption-correction.receipt.v2'),
  changes: z.array(addingChange).min(1).max(maximumCorrectionChanges),
});

/** The verdict of the check of corrected lines on one line. */
export const correctedLineReason = z.enum([
  'line_structurally_complete',
  'line_attested_by_person',
  'line_unavailable_or_withheld',
  'line_out_of_order',
]);

export const correctedLineDecision = z.strictObject({
  outcome: z.enum(['accepted', 'withheld']),
  reasonCode: correctedLineReason,
});

const verdict = {
  outcome: z.enum(['accepted', 'withheld']),
  reasonCode: z.enum([
    'corrected_lines_complete',
    'corrected_lines_accepted_in_part',
    'corrected_lines_withheld',
    'no_lines_left',
  ]),
  acceptedCount: count.max(longestCaptions.maxLines),
  withheldCount: count.max(longestCaptions.maxLines),
};

/** The check of the lines as they are after a correction. `receiptId` is derived from everything but it and `schema`. */
export const correctionCheckReceipt = z.strictObject({
  schema: z.literal('studio.caption-correction-check.receipt.v1'),
  receiptId: z.string().regex(/^caption-correction-check-receipt:[a-f0-9]{64}$/),
  checkId,
  input: z.strictObject({
    base: correctionBase,
    correction: z.strictObject({ correctionId, artifactId, receiptContentId: contentId }),
    /** The digest of the lines that were checked. */
    linesContentId: contentId,
  }),
  producer: z.strictObject({
    id: z.literal('studio.host-caption-correction-check'),
    version: z.literal('1'),
    policy: z.literal('structural_gate_with_lines_attested_by_a_person'),
  }),
  /** `decisionsContentId` is the digest of what was decided on every line; it follows from the lines. */
  decision: z.strictObject({ ...verdict, decisionsContentId: contentId }),
});

/**
 * A line in a request. A side that is left out stays as it is, is joined in a merge, or stays without a text. If both sides are in one
 * language, they have one text: the one that differs from the present text, else the target's.
 */
const askedLine = z
  .strictObject({
    startMs: count,
    endMs: positive,
    source: captionWords.optional(),
    target: captionWords.optional(),
  })
  .refine(({ startMs, endMs }) => startMs < endMs, { message: 'startMs must be below endMs', path: ['endMs'] });

const askedChange = z
  .strictObject({
    lineIds: z.array(lineId).max(maximumCorrectionChanges),
    lines: z.array(askedLine).max(maximumCorrectionChanges),
  })
  .refine(({ lineIds, lines }) => lineIds.length + lines.length > 0, 'a change names a line, or adds one')
  .describe(
    'current lines that follow each other, and the lines that take their place; none drops them. Without current lines it adds its lines',
  );

const askedChanges = z
  .array(askedChange)
  .max(maximumCorrectionChanges)
  .refine((changes) => {
    const ids = changes.flatMap(({ lineIds }) => lineIds);
    return new Set(ids).size === ids.length;
  }, 'a line is in one change');

const asked = { head: correctionHead, changes: askedChanges.optional(), reverts: correctionId.optional() };

const isOneOfBoth = ({ changes, reverts }: { changes?: unknown; reverts?: unknown }): boolean =>
  (changes === undefined) !== (reverts === undefined);
const oneOfBoth = { message: 'send changes or reverts, one of them', path: ['changes'] };

/** The body of a correction. */
export const correctionRequest = z
  .strictObject({
    clientRequestId: identity,
    ...asked,
    changes: askedChanges.min(1).optional(),
    reviewer: z.strictObject({ id: identity, attestation: z.literal(correctionAttestation) }),
    note: givenLine(longestNote).nullable(),
  })
  .refine(isOneOfBoth, oneOfBoth);

/**
 * The body of a preview; no changes at all measure the lines as they are. `lines` asks for the measures of the files, with rows that
 * are broken by these rules.
 */
export const correctionPreviewRequest = z
  .strictObject({ ...asked, lines: lineBreaks.optional() })
  .refine(isOneOfBoth, oneOfBoth);

const reviewer = z.strictObject({ id: identity, label: reviewerLabel });

const verdictOnLine = {
  changed: z
    .strictObject({ correctionId: correctionId.nullable(), recordedAt: timestamp.nullable(), reviewer })
    .nullable()
    .describe('null for a line as the host made it; without an id and a time in a preview'),
  decision: correctedLineDecision,
};

/** A current line, with the author of its last change and the verdict of the check. */
export const shownLine = correctedLine.extend(verdictOnLine);

/** The same in captions with added lines. */
export const shownCurrentLine = addedLineFields.extend(verdictOnLine).refine(isWritten, written);

const writtenCorrection = z.strictObject({
  correctionId,
  artifactId,
  receiptId: correctionReceipt.shape.receiptId,
  receiptContentId: contentId,
  recordedAt: timestamp,
  reviewer: reviewer.extend({ attestation: z.literal(correctionAttestation) }),
  clientRequestId: identity,
  note: reviewNote,
  base: correctionBase,
  previous: contentId.nullable(),
  reverts: correctionId.nullable(),
  revertedBy: correctionId.nullable(),
  changes: correctionReceipt.shape.changes,
});

/** Why nothing can be corrected; the codes are those with which a correction is refused. */
export const correctionObstacle = z.strictObject({
  code: z.enum([
    'illegal_caption_correction',
    'illegal_caption_transition',
    'caption_authority_required',
    'caption_current_run_causality_required',
    'caption_lines_unavailable',
  ]),
  message: z.string().min(1),
});

const head = correctionHead.nullable();

/** The answer to `GET` and `POST …/caption-corrections` while no line was ever added. */
export const plainCaptionCorrections = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-corrections.v1'),
  ...runtimeListFields,
  reviewer: reviewer.extend({ correctionAttestation: z.literal(correctionAttestation) }),
  obstacle: correctionObstacle.nullable(),
  range,
  languages: z.strictObject({ source: languageTag, target: languageTag }).nullable(),
  head,
  base: correctionBase.nullable(),
  originals: z.array(originalLine),
  lines: z.array(shownLine),
  check: z
    .strictObject({
      ...verdict,
      recorded: z
        .strictObject({
          checkId,
          receiptId: correctionCheckReceipt.shape.receiptId,
          receiptContentId: contentId,
        })
        .nullable(),
    })
    .nullable(),
  corrections: z.array(writtenCorrection),
});

/** The same for captions with a correction that added a line. */
export const captionCorrectionsWithAdded = plainCaptionCorrections.extend({
  schema: z.literal('studio.local-runtime-caption-corrections.v2'),
  lines: z.array(shownCurrentLine),
  corrections: z.array(writtenCorrection.extend({ changes: addingCorrectionReceipt.shape.changes })),
});

/** The answer to `GET` and `POST …/caption-corrections`. */
export const captionCorrections = z.discriminatedUnion('schema', [
  plainCaptionCorrections,
  captionCorrectionsWithAdded,
]);

/** The answer to `POST …/caption-correction-previews` without added lines: computed, and written nowhere. */
export const plainCaptionCorrectionPreview = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-correction-preview.v1'),
  ...runtimeListFields,
  head: correctionHead,
  lines: z.array(shownLine),
  check: z.strictObject(verdict),
  reports: z.array(
    z.strictObject({
      side: captionSide,
      language: languageTag,
      profile: captionProfile,
      findings: captionQualityReport.shape.findings,
    }),
  ),
  written: z
    .array(draftedFile)
    .optional()
    .describe('the files of both sides held against the guidelines; absent unless the request names `lines`'),
});

/** The same with added lines. */
export const captionCorrectionPreviewWithAdded = plainCaptionCorrectionPreview.extend({
  schema: z.literal('studio.local-runtime-caption-correction-preview.v2'),
  lines: z.array(shownCurrentLine),
});

/** The answer to `POST …/caption-correction-previews`. */
export const captionCorrectionPreview = z.discriminatedUnion('schema', [
  plainCaptionCorrectionPreview,
  captionCorrectionPreviewWithAdded,
]);

/** The lines of a file: with a person's corrections, or as the host made them. */
export const shownCorrections = z.enum(['applied', 'original']);

export type ShownCorrections = z.infer<typeof shownCorrections>;

/** How the captions of a file are shown. */
export interface CaptionForm {
  readonly side: ShownSides;
  readonly lines: LineBreaks;
  readonly corrections: ShownCorrections;
}

export type CorrectionHead = z.infer<typeof correctionHead>;
export type CorrectedText = z.infer<typeof currentText>;
export type CorrectedLine = z.infer<typeof currentLine>;
export type OriginalLine = z.infer<typeof originalLine>;
export type CorrectionKind = CorrectionChange['kind'];
export type CorrectionChange = z.infer<typeof addingChange>;
export type CorrectionBase = z.infer<typeof correctionBase>;
export type PlainCorrectionReceipt = z.infer<typeof correctionReceipt>;
export type AddingCorrectionReceipt = z.infer<typeof addingCorrectionReceipt>;
export type CorrectionReceipt = PlainCorrectionReceipt | AddingCorrectionReceipt;
export type CorrectionCheckReceipt = z.infer<typeof correctionCheckReceipt>;
export type CorrectedLineDecision = z.infer<typeof correctedLineDecision>;
export type AskedChange = z.infer<typeof askedChange>;
export type AskedLine = z.infer<typeof askedLine>;
export type CorrectionRequest = z.infer<typeof correctionRequest>;
export type CorrectionPreviewRequest = z.infer<typeof correctionPreviewRequest>;
export type CorrectionObstacle = z.infer<typeof correctionObstacle>;
export type ShownLine = z.infer<typeof shownCurrentLine>;
export type CaptionCorrections = z.infer<typeof captionCorrections>;
export type CaptionCorrectionPreview = z.infer<typeof captionCorrectionPreview>;

/** The journal events of corrections by a person. */
export const captionCorrectionEvents = [
  eventType(
    'caption.correction_recorded',
    'caption_correction_host',
    z.strictObject({
      correctionId,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: z.discriminatedUnion('schema', [correctionReceipt, addingCorrectionReceipt]),
    }),
  ),
  eventType(
    'caption.correction_checked',
    'caption_correction_host',
    z.strictObject({
      checkId,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: correctionCheckReceipt,
    }),
  ),
] as const;
