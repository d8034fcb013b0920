import test from 'ava';
import type { CaptionLine } from '../../../contract/captions/caption-line.ts';
import {
  captionArtifact,
  captionChunk,
  captionCitations,
  captionReceipt,
  chunkedCaptions,
  citingCaptions,
} from '../../../contract/captions/caption-production.ts';
import { longQualityControlReceipt } from '../../../contract/captions/quality-control.ts';
import type { Judgement } from '../../../contract/judgement.ts';
import { storedBytes } from '../../../formats/canonical-json.ts';
import { resultOfSteps, type Steps } from '../../../formats/steps.ts';
import { defaultCaptionAllowance } from '../../../receipts/captions/allowance.ts';
import { type CaptionJob, captionsOf } from '../../../receipts/captions/artifact.ts';
import { draftBaseBySteps } from '../../../receipts/captions/corrected-lines.ts';
import { captionProspectBySteps } from '../../../receipts/captions/prospect.ts';
import { recordQualityControl } from '../../../receipts/captions/quality-control.ts';
import { chunkOf } from '../../../receipts/captions/stored-captions.ts';
import { demandDerived, demandDerivedInSteps, EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import type { VerifiedRuntime } from '../../../receipts/fold.ts';
import {
  acceptedCaptionsOf,
  approvedStudyOf,
  publishedCaptionReportsOf,
  publishedCaptionsOf,
  publishedQualityControlsOf,
} from '../../../receipts/published/captions.ts';
import { correctionsOf } from '../../../receipts/published/corrections.ts';
import { checkableBySteps } from '../../../receipts/stages/captions.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { contentOf, storedRuntimeOf } from '../core/stored-content-in-memory.ts';
import { type StoredStudy, type StudyShape, storedStudy } from '../evidence/stored-study.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { placeOf, reopened } from '../reopening/reopened.ts';
import { approval, rejection, reviewOf } from '../review/review-steps.ts';
import {
  type Change,
  captionedClip,
  captionedStudy,
  captionSteps,
  goingOn,
  shapesByRules as shapes,
  studyWithCaptions,
  type Tail,
  tailIn,
  withLine,
  withOtherText,
} from './captioned-studies.ts';
import { recordCaptions } from './recorded-captions.ts';

const lineCount = 300;
const cueMs = 12;

/** So many short cues in both languages of the clip. */
const manyCues = twoTracks.map((track) => ({
  ...track,
  cues: Array.from({ length: lineCount }, (_, at) => ({
    startMs: at * cueMs,
    endMs: (at + 1) * cueMs,
    text: track.taggedLanguage === 'ko' ? `안녕하세요 ${at}` : `Good morning ${at}`,
  })),
}));

const { study, captioned, review } = await captionedClip();
const longStudy = storedStudy({ version: 1, windows: 4, tracks: manyCues });
const longCaptioned = await captionedStudy(longStudy);

const stepsOf = (attempt: number, classification: 'embedded_subtitle_tracks' | 'deterministic_current_run_test_seam') =>
  captionSteps({ study: captioned, attempt, classification });
const attempts = [0, 1, 2, 3].map((attempt) => stepsOf(attempt, 'embedded_subtitle_tracks'));
const seam = stepsOf(0, 'deterministic_current_run_test_seam');
const rejected = reviewOf(study, rejection);
const objects = [review, rejected, seam, ...attempts].flatMap((steps) => steps.objects);
const end = study.commits.flat().length;

/** Possible next events of a journal; a number is that of the attempt. */
const entries: Readonly<Record<string, readonly EventDraft[]>> = {
  reviewing: review.started,
  approved: review.recorded,
  rejecting: rejected.started,
  rejected: rejected.recorded,
  withdrawing: review.revocationStarted,
  kept: review.revocationFailed,
  withdrawn: review.revoked,
  ...Object.fromEntries(
    [...attempts.entries(), ['S', seam] as const].flatMap(([at, { started, failed, recorded, checked }]) => [
      [`begun${at}`, started],
      [`failed${at}`, failed],
      [`made${at}`, recorded],
      [`checked${at}`, checked],
    ]),
  ),
};

const tailOf = (names: string): Tail => tailIn(entries, names);
const goneOn = (names: string, from: StoredStudy = study) => goingOn(from, objects, ...tailOf(names));
const runtimeAfter = async (names: string): Promise<VerifiedRuntime> =>
  (await reopened(...goneOn(`reviewing approved ${names}`))).runtime;

/** The journal after the approval: attempts, whether one is open, captions and checks. */
const ways: Readonly<Record<string, readonly [string, number, boolean, number, number]>> = {
  'nothing was begun': ['', 0, false, 0, 0],
  'an attempt is under way': ['begun0', 1, true, 0, 0],
  'an attempt failed': ['begun0 failed0', 1, false, 0, 0],
  'captions were made': ['begun0 made0', 1, false, 1, 0],
  'captions were checked': ['begun0 made0 checked0', 1, false, 1, 1],
  'the second attempt made them': ['begun0 failed0 begun1 made1 checked1', 2, false, 1, 1],
  'the third attempt made them': ['begun0 failed0 begun1 failed1 begun2 made2', 3, false, 1, 0],
  'the approval was withdrawn after a failed attempt': ['begun0 failed0 withdrawing withdrawn', 1, false, 0, 0],
  'captions were checked after the approval was withdrawn': [
    'begun0 made0 withdrawing withdrawn checked0',
    1,
    false,
    1,
    1,
  ],
  'captions were checked while the approval was being withdrawn': [
    'begun0 made0 withdrawing checked0 withdrawn',
    1,
    false,
    1,
    1,
  ],
  'captions were made after a withdrawal that failed': ['withdrawing kept begun0 made0', 1, false, 1, 0],
  'another executor made them': ['begunS madeS checkedS', 1, false, 1, 1],
};

for (const [what, [tail, ...expected]] of Object.entries(ways)) {
  test(`a fold follows that ${what}`, async (t) => {
    const runtime = await runtimeAfter(tail);
    const { attempts, open = null } = runtime.execution?.study.tail.captions ?? {};
    const [captions, checks] = [publishedCaptionsOf(runtime), publishedQualityControlsOf(runtime)];
    t.deepEqual([attempts, open !== null, captions.length, checks.length], expected);
  });
}

test('an approval is valid until its withdrawal begins, and again if that failed', async (t) => {
  const approvals: [string, boolean][] = [
    ['', true],
    ['begun0 failed0', true],
    ['begun0 made0', true],
    ['withdrawing', false],
    ['withdrawing kept', true],
    ['withdrawing withdrawn', false],
  ];
  for (const [tail, isApproved] of approvals) {
    t.is(approvedStudyOf(await runtimeAfter(tail), review.approval) !== null, isApproved);
  }
  const runtime = await runtimeAfter('');
  for (const key of ['reviewId', 'artifactId', 'receiptId', 'receiptContentId'] as const) {
    t.is(approvedStudyOf(runtime, { ...review.approval, [key]: `${review.approval[key]}0` }), null);
  }
  const unreviewed = (await reopened(...goneOn(''))).runtime;
  t.is(approvedStudyOf(unreviewed, review.approval), null);
});

/** By which rules captions are judged that a host made of a study, and changed before it stored them. */
async function judgedAfter(shape: StudyShape, change: Change): Promise<Judgement | undefined> {
  const { stored } = await studyWithCaptions(shape, change);
  const { checked } = await reopened(storedRuntimeOf(stored), contentOf(stored.files));
  return checked.find(({ link }) => link === 'caption')?.judgement;
}

const withStudy = (
  change: (study: CaptionLine['lineage']['study']) => Partial<CaptionLine['lineage']['study']>,
): Change =>
  withLine(1, ({ lineage }) => ({ lineage: { ...lineage, study: { ...lineage.study, ...change(lineage.study) } } }));

/** Results that older rules allowed, and today's rules do not. */
const otherwise: Readonly<Record<string, Change>> = {
  'another text': withOtherText,
  'a line without citations': withStudy(() => ({ claimIds: [], semanticCitations: [], childReports: [] })),
  'another track': (captions) => ({ ...captions, executor: { ...captions.executor, sourceCaptionContentId: null } }),
};

for (const [what, change] of Object.entries(otherwise)) {
  for (const [version, shape] of [
    [1, shapes.first],
    [3, shapes.third],
    [4, shapes.fourth],
  ] as const) {
    test(`captions with ${what} are checked for their form in a study of caption rules ${version}`, async (t) => {
      const rules = { name: 'caption rules', version };
      t.deepEqual(await judgedAfter(shape, change), { rules, present: 5, check: 'form_checked' });
    });
  }

  test(`captions with ${what} are damage in a study of the present rules`, async (t) => {
    await t.throwsAsync(judgedAfter(shapes.present, change), { instanceOf: EvidenceChainError });
  });
}

test('captions that follow by the present rules are judged again, also in an older study', async (t) => {
  for (const shape of Object.values(shapes)) {
    t.like(await judgedAfter(shape, (captions) => captions), { rules: { version: 5 }, check: 'judged_again' });
  }
});

const otherId = (id: string): string => id.replace(/[0-9a-f]{64}$/, '0'.repeat(64));

/** Results that no rules allow: the place at which the form is wrong. */
const malformed: Readonly<Record<string, readonly [Change, RegExp]>> = {
  'count other lines than they have': [
    (captions) => ({ ...captions, result: { ...captions.result, lineCount: 9 } }),
    /result\.lineCount/,
  ],
  'have a line before the one that comes before it': [withLine(1, () => ({ startMs: 0 })), /lines\[1\]\.startMs/],
  'have a line after the range': [withLine(1, () => ({ endMs: 999_999 })), /lines\[1\]\.startMs/],
  'have a line of another study': [withStudy(({ studyId }) => ({ studyId: otherId(studyId) })), /studyId/],
  'cite a read of another study': [
    withStudy(({ semanticCitations }) => ({
      semanticCitations: semanticCitations.map((each) => ({
        ...each,
        receiptContentId: otherId(each.receiptContentId),
      })),
    })),
    /semanticCitations/,
  ],
};

for (const [what, [change, place]] of Object.entries(malformed)) {
  test(`captions of older rules are damage that ${what}`, async (t) => {
    const both: Change = (captions) => change(withOtherText(captions));
    await t.throwsAsync(judgedAfter(shapes.first, both), { instanceOf: EvidenceChainError, message: place });
  });
}

const impossible: readonly (readonly [string, string, number])[] = [
  ['begun twice', 'reviewing approved begun0 begun0', 5],
  ['begun without an approval', 'begun0', 1],
  ['begun while the review is being written down', 'reviewing begun0', 2],
  ['begun under a rejection', 'rejecting rejected begun0', 4],
  ['made without being begun', 'reviewing approved made0', 6],
  ['failed without being begun', 'reviewing approved failed0', 4],
  ['checked without being made', 'reviewing approved checked0', 5],
  ['checked while they are being made', 'reviewing approved begun0 checked0', 6],
  ['begun while the approval is being withdrawn', 'reviewing approved withdrawing begun0', 5],
  ['begun after the approval was withdrawn', 'reviewing approved withdrawing withdrawn begun0', 7],
  ['still being made when the approval is withdrawn', 'reviewing approved begun0 withdrawing', 5],
  ['made twice', 'reviewing approved begun0 made0 made0', 10],
  ['failed after they were made', 'reviewing approved begun0 made0 failed0', 8],
  ['begun again after they were made', 'reviewing approved begun0 made0 begun1', 8],
  ['checked twice', 'reviewing approved begun0 made0 checked0 checked0', 11],
  ['tried a fourth time', 'reviewing approved begun0 failed0 begun1 failed1 begun2 failed2 begun3', 10],
];

for (const [what, tail, at] of impossible) {
  test(`captions cannot be ${what}`, async (t) => {
    t.is(await placeOf(...goneOn(tail)), `journal: event ${end + at}: type`);
  });
}

test('an attempt goes by its own number, and ends under the name under which it began', async (t) => {
  const at = (event: number, place: string) => new RegExp(`^journal: event ${end + event}: data\\.${place}`);
  const place = async (names: string) => (await placeOf(...goneOn(`reviewing approved ${names}`))) ?? '';
  t.regex(await place('begun1'), at(4, 'jobId'));
  t.regex(await place('begun0 failed0 begun0'), at(6, 'jobId'));
  t.regex(await place('begun0 failed1'), at(5, 'jobId'));
  t.is(await place('begun0 made1'), 'caption: lines[0].lineage.captionExecutor.jobId');
  t.is(await place('begunS made0'), 'caption: executor.classification');
});

test('a journal that ends between captions and their event is cut', async (t) => {
  const [first] = attempts;
  if (first === undefined) throw new RangeError('an attempt');
  const { recorded, checked, started } = first;
  for (const [tail, at] of [
    [[started, recorded.slice(0, 1)], 6],
    [[started, recorded.slice(0, 2)], 7],
    [[started, recorded, checked.slice(0, 1)], 9],
  ] as const) {
    const place = await placeOf(...goingOn(study, objects, review.started, review.recorded, ...tail));
    t.is(place, `journal: event ${end + at}: missing`);
  }
});

test('what was reopened of captions is what the wire shows of them', async (t) => {
  const runtime = await runtimeAfter('begun0 made0 checked0');
  const [published] = publishedCaptionsOf(runtime);
  const [check] = publishedQualityControlsOf(runtime);
  if (published === undefined || check === undefined) throw new Error('there are captions');
  const { row, caption } = published;
  t.is(row.authorityState, 'unrevoked');
  t.deepEqual(row.approval, review.approval);
  t.deepEqual(captionReceipt.parse(caption.receipt.body).result.lines.length, row.result.lineCount);
  t.is(check.outcome, 'accepted');
  t.deepEqual(check.candidate, row);
  const { findings, conclusion } = captioned;
  t.deepEqual(row.reopened, {
    sourceArtifactIds: [captioned.run.record.sourceArtifactId],
    semanticEvidenceArtifactIds: [findings.reads[0]?.body.input.artifactId ?? ''],
    reportArtifactIds: conclusion.record.body.assessments.map(({ artifactId }) => artifactId),
    admissionIds: [conclusion.admission.readiness.readinessId],
    planningDecisionIds: [findings.decision?.body.operationId ?? ''],
    executorIds: [conclusion.study.executorReceiptId],
  });
  const revokedRuntime = await runtimeAfter('begun0 made0 withdrawing withdrawn');
  t.is(publishedCaptionsOf(revokedRuntime)[0]?.row.authorityState, 'revoked_after_completion');
});

const classification = 'embedded_subtitle_tracks';
const allowed = { maxDurationMs: 600_000, maxLines: 1000 };
const { job: longJob } = resultOfSteps(
  captionProspectBySteps(longCaptioned, 0, { classification, allowance: allowed }),
);
const longSteps = captionSteps(longJob);
const longReview = reviewOf(longStudy, approval);
const longTail = [longReview.started, longReview.recorded, longSteps.started, longSteps.recorded];
const longObjects = [...longReview.objects, ...longSteps.objects];

test('captions within the limits that hold everywhere are the same on a host that allows more', async (t) => {
  const short = await captionedStudy(storedStudy({ version: 1, windows: 4, tracks: twoTracks }));
  const made = resultOfSteps(captionProspectBySteps(short, 0, { classification, allowance: allowed })).job;
  t.is(made.allowance, undefined);
  t.deepEqual(captionsOf(made), captionsOf({ study: short, attempt: 0, classification }));
});

test('more lines than a host allows are refused', (t) => {
  for (const [allowance, limit] of [
    [defaultCaptionAllowance, 64],
    [{ ...allowed, maxLines: 299 }, 299],
  ] as const) {
    const refused = resultOfSteps(captionProspectBySteps(longCaptioned, 0, { classification, allowance })).job;
    t.throws(() => captionsOf(refused), { message: `too_large: ${lineCount} lines, at most ${limit} are allowed` });
  }
});

test('long captions are stored in chunks of bounded size, and each record names the next', (t) => {
  const captions = captionArtifact.parse(captionsOf(longJob));
  t.is(captions.schema, 'studio.caption-production.artifact.v7');
  t.is(captions.result.lineCount, lineCount);
  const records = longSteps.objects.map(
    ({ bytes }) => JSON.parse(Buffer.from(bytes).toString('utf8')) as { schema: string },
  );
  t.true(longSteps.objects.every(({ bytes }) => bytes.length <= 131_072));
  const chunks = records.flatMap((record) => captionChunk.safeParse(record).data ?? []);
  t.deepEqual(
    chunks.map(({ index, lines }) => [index, lines.length]),
    [
      [0, 64],
      [1, 64],
      [2, 64],
      [3, 64],
      [4, 44],
    ],
  );
  const head = records.flatMap((record) => chunkedCaptions.safeParse(record).data ?? [])[0];
  t.deepEqual(
    head?.chunks.map(({ contentId, count }) => [contentId, count]),
    chunks.map((chunk, at) => [longSteps.objects[at]?.contentId ?? '', chunk.lines.length]),
  );
  t.deepEqual(chunkOf(captions, 4)?.chunk, chunks[4]);
  t.is(chunkOf(captions, 5), null);
  const checks = records.flatMap((record) => longQualityControlReceipt.safeParse(record).data ?? []);
  t.like(checks[0]?.decision, { outcome: 'accepted', acceptedCount: lineCount, withheldCount: 0 });
  t.deepEqual(
    checks[0]?.decision.parts.map(({ count }) => count),
    [256, 44],
  );
});

test('long captions and their check are derived again when they are reopened', async (t) => {
  const { runtime } = await reopened(...goingOn(longStudy, longObjects, ...longTail, longSteps.checked));
  const [published] = publishedCaptionsOf(runtime);
  if (published === undefined) throw new Error('there are captions');
  t.deepEqual(published.caption.artifact.body, captionsOf(longJob));
  t.is(publishedQualityControlsOf(runtime)[0]?.acceptedLineIds.length, lineCount);
  t.is(resultOfSteps(acceptedCaptionsOf(runtime)).artifact.lines.length, lineCount);
  t.is(resultOfSteps(publishedCaptionReportsOf(runtime)).reports[0]?.cues.length, lineCount);
  const { run } = longCaptioned;
  const checkable = resultOfSteps(checkableBySteps(published.caption));
  t.deepEqual(recordQualityControl(run, checkable).events, longSteps.checked);
});

/** The number of steps that a computation can be paused between. */
const countedSteps = (steps: Steps<unknown>): number => {
  for (let count = 1; ; count += 1) if (steps.next().done === true) return count;
};

test('bug: reads of long captions held the thread of the host for all of their lines', async (t) => {
  const { runtime } = await reopened(...goingOn(longStudy, longObjects, ...longTail, longSteps.checked));
  const [published] = publishedCaptionsOf(runtime);
  if (published === undefined) throw new Error('there are captions');
  const ability = { classification, allowance: allowed } as const;
  const drafted = await captionedStudy(longStudy);
  const reads = {
    'to check them': checkableBySteps(published.caption),
    'to compare them': demandDerivedInSteps('caption', published.caption.artifact.body, captionsOf(longJob), 'jobId'),
    corrections: correctionsOf(runtime, ability, { id: 'reviewer', label: 'Reviewer' }),
    'lines before a production': draftBaseBySteps({ study: drafted, classification }),
    reports: publishedCaptionReportsOf(runtime),
  };
  for (const [what, steps] of Object.entries(reads)) t.true(countedSteps(steps) >= lineCount, what);
});

test('records that differ in a list are refused in steps as at once, at the same place', (t) => {
  const captions = captionsOf(longJob);
  const [first, ...lines] = captions.lines;
  const others: readonly object[] = [
    { ...captions, lines },
    { ...captions, lines: [...lines, first] },
    { ...captions, lines: [...captions.lines.slice(0, -1), { ...captions.lines.at(-1), endMs: 1 }] },
    { ...captions, more: 1 },
    { ...captions, runId: undefined },
    { ...captions, jobId: 'caption-production:other' },
  ];
  for (const other of others) {
    const refused = t.throws(() => demandDerived('caption', captions, other, 'jobId'));
    t.throws(() => resultOfSteps(demandDerivedInSteps('caption', captions, other, 'jobId')), {
      message: refused?.message ?? '',
    });
  }
  t.notThrows(() => resultOfSteps(demandDerivedInSteps('caption', captions, { ...captions }, 'jobId')));
});

test('a chunk that is missing, changed, or of other captions is found', async (t) => {
  const isChunk = ({ bytes }: (typeof longObjects)[number]) =>
    Buffer.from(bytes).includes('caption-production.chunk.v1');
  const chunk = longSteps.objects.find(isChunk);
  if (chunk === undefined) throw new Error('there are chunks');
  const without = longObjects.filter((object) => object !== chunk);
  t.regex((await placeOf(...goingOn(longStudy, without, ...longTail))) ?? '', /^caption: /);
  const bytes = Buffer.from(chunk.bytes.toString().replace('Good morning 7"', 'Good morning 8"'));
  const changed = [...without, { ...chunk, bytes }];
  t.is(await placeOf(...goingOn(longStudy, changed, ...longTail)), 'caption: content');
  const other: CaptionJob = { ...longJob, attempt: 1 };
  const foreign = recordCaptions(other);
  const place = await placeOf(
    ...goingOn(longStudy, [...longObjects, ...foreign.objects], ...longTail.slice(0, 3), foreign.events),
  );
  t.is(place, 'caption: sharedLineage.captionExecutor.jobId');
});

/** A study of four hours, whose hundred reads are all cited. */
const citing = storedStudy({
  version: 1,
  windows: 6400,
  lengthMs: 14_400_000,
  tracks: manyCues.map((track) => ({
    ...track,
    cues: track.cues.map((cue, at) => ({ ...cue, startMs: at * 48_000, endMs: (at + 1) * 48_000 })),
  })),
});

test('bug: captions that cite more reads than one record has room for were too large', async (t) => {
  const allowance = { maxDurationMs: 14_400_000, maxLines: 1000 };
  const { job: long } = resultOfSteps(
    captionProspectBySteps(await captionedStudy(citing), 0, { classification, allowance }),
  );
  const made = captionSteps(long);
  t.true(made.objects.every(({ bytes }) => bytes.length <= 131_072));
  const records = made.objects.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown);
  const head = records.flatMap((each) => citingCaptions.safeParse(each).data ?? [])[0];
  const parts = records.flatMap((each) => captionCitations.safeParse(each).data ?? []);
  t.deepEqual(
    head?.citations.map(({ count }) => count),
    [64, 36],
  );
  const captions = captionsOf(long);
  t.deepEqual(chunkOf(captions, 0)?.citations, parts.slice(0, 1));
  t.deepEqual(chunkOf(captions, 4)?.citations, parts.slice(1));

  const reviewed = reviewOf(citing, approval);
  const all = [...reviewed.objects, ...made.objects];
  const journal = [reviewed.started, reviewed.recorded, made.started, made.recorded] as const;
  const { runtime } = await reopened(...goingOn(citing, all, ...journal, made.checked));
  t.deepEqual(publishedCaptionsOf(runtime)[0]?.caption.artifact.body, captions);
  t.is(resultOfSteps(acceptedCaptionsOf(runtime)).artifact.lines.length, lineCount);

  const part = made.objects.find(({ bytes }) => Buffer.from(bytes).includes('caption-production.citations.v1'));
  if (part === undefined) throw new Error('there are records of citations');
  const without = all.filter((object) => object !== part);
  t.regex((await placeOf(...goingOn(citing, without, ...journal))) ?? '', /^caption: /);
  const bytes = Buffer.from(
    part.bytes.toString().replace('"readReceiptId":"evidence-read:', '"readReceiptId":"evidence-read:0'),
  );
  t.is(await placeOf(...goingOn(citing, [...without, { ...part, bytes }], ...journal)), 'caption: content');
});

test('a journal in which an attempt has other limits than its host can allow is found', async (t) => {
  const other = captionSteps({ ...longJob, allowance: { ...allowed, maxLines: 2000 } });
  const place = await placeOf(
    ...goingOn(
      longStudy,
      [...longObjects, ...other.objects],
      ...longTail.slice(0, 2),
      other.started,
      longSteps.recorded,
    ),
  );
  t.regex(place ?? '', /^caption_receipt: limits/);
  t.true(storedBytes(captionsOf(longJob)).length > 131_072);
});
