import test from 'ava';
import { captionReceipt } from '../../../contract/captions/caption-production.ts';
import { type CaptionRules, everyCaptionRules } from '../../../receipts/captions/caption-rules.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { approvedStudyOf } from '../../../receipts/reopening/approved-study.ts';
import { publishedCaptionsOf, publishedQualityControlsOf } from '../../../receipts/reopening/published-captions.ts';
import type { VerifiedRuntime } from '../../../receipts/reopening/reopen-runtime.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { type StoredStudy, type StudyShape, storedStudy } from '../evidence/stored-study.ts';
import { type StoredTrack, twoTracks } from '../evidence/stored-tracks.ts';
import { placeOf, reopened } from '../reopening/reopened.ts';
import { approval, rejection, reviewOf } from '../review/review-steps.ts';
import { captionedStudy, captionSteps, goingOn } from './captioned-studies.ts';

const embeddedJob = { attempt: 0, classification: 'embedded_subtitle_tracks' } as const;

type Tail = readonly (readonly EventDraft[])[];

const study = storedStudy({ version: 1, windows: 4, tracks: twoTracks });
const captioned = await captionedStudy(study);
const review = reviewOf(study, approval);
const approved = [review.started, review.recorded];
const stepsOf = (attempt: number, classification: 'embedded_subtitle_tracks' | 'deterministic_current_run_test_seam') =>
  captionSteps({ study: captioned, attempt, classification });
const [first, second, third, fourth] = [0, 1, 2, 3].map((attempt) => stepsOf(attempt, 'embedded_subtitle_tracks'));
if (first === undefined || second === undefined || third === undefined || fourth === undefined) throw new Error('four');
const seam = stepsOf(0, 'deterministic_current_run_test_seam');
const { revocationStarted, revocationFailed, revoked } = review;

const objects = [...review.objects, ...[first, second, third, fourth, seam].flatMap((steps) => steps.objects)];
const end = study.commits.flat().length;
const goneOn = (tail: Tail, from: StoredStudy = study) => goingOn(from, objects, ...tail);

const runtimeAfter = async (tail: Tail): Promise<VerifiedRuntime> =>
  (await reopened(...goneOn([...approved, ...tail]))).runtime;

const ways: Readonly<
  Record<string, readonly [Tail, { attempts: number; isOpen: boolean; captions: number; checks: number }]>
> = {
  'nothing was begun': [[], { attempts: 0, isOpen: false, captions: 0, checks: 0 }],
  'an attempt is under way': [[first.started], { attempts: 1, isOpen: true, captions: 0, checks: 0 }],
  'an attempt failed': [[first.started, first.failed], { attempts: 1, isOpen: false, captions: 0, checks: 0 }],
  'captions were made': [[first.started, first.recorded], { attempts: 1, isOpen: false, captions: 1, checks: 0 }],
  'captions were checked': [
    [first.started, first.recorded, first.checked],
    { attempts: 1, isOpen: false, captions: 1, checks: 1 },
  ],
  'the second attempt made them': [
    [first.started, first.failed, second.started, second.recorded, second.checked],
    { attempts: 2, isOpen: false, captions: 1, checks: 1 },
  ],
  'the third attempt made them': [
    [first.started, first.failed, second.started, second.failed, third.started, third.recorded],
    { attempts: 3, isOpen: false, captions: 1, checks: 0 },
  ],
  'the approval was withdrawn after a failed attempt': [
    [first.started, first.failed, revocationStarted, revoked],
    { attempts: 1, isOpen: false, captions: 0, checks: 0 },
  ],
  'captions were checked after the approval was withdrawn': [
    [first.started, first.recorded, revocationStarted, revoked, first.checked],
    { attempts: 1, isOpen: false, captions: 1, checks: 1 },
  ],
  'captions were checked while the approval was being withdrawn': [
    [first.started, first.recorded, revocationStarted, first.checked, revoked],
    { attempts: 1, isOpen: false, captions: 1, checks: 1 },
  ],
  'captions were made after a withdrawal that failed': [
    [revocationStarted, revocationFailed, first.started, first.recorded],
    { attempts: 1, isOpen: false, captions: 1, checks: 0 },
  ],
  'another executor made them': [
    [seam.started, seam.recorded, seam.checked],
    { attempts: 1, isOpen: false, captions: 1, checks: 1 },
  ],
};

for (const [what, [tail, expected]] of Object.entries(ways)) {
  test(`a journal after which ${what} is followed to its end`, async (t) => {
    const runtime = await runtimeAfter(tail);
    const { attempts, open = [] } = runtime.execution?.study.tail.captions ?? {};
    const isOpen = open.length > 0;
    const captions = publishedCaptionsOf(runtime).length;
    const checks = publishedQualityControlsOf(runtime).length;
    t.deepEqual({ attempts, isOpen, captions, checks } as typeof expected, expected);
  });
}

test('an approval stands until the first word of its withdrawal, and again when that failed', async (t) => {
  const stands: [Tail, boolean][] = [
    [[], true],
    [[first.started, first.failed], true],
    [[first.started, first.recorded], true],
    [[revocationStarted], false],
    [[revocationStarted, revocationFailed], true],
    [[revocationStarted, revoked], false],
  ];
  for (const [tail, isApproved] of stands) {
    t.is(approvedStudyOf(await runtimeAfter(tail), review.approval) !== null, isApproved);
  }
  const runtime = await runtimeAfter([]);
  for (const key of ['reviewId', 'artifactId', 'receiptId', 'receiptContentId'] as const) {
    t.is(approvedStudyOf(runtime, { ...review.approval, [key]: `${review.approval[key]}0` }), null);
  }
  const unreviewed = (await reopened(...goneOn([]))).runtime;
  t.is(approvedStudyOf(unreviewed, review.approval), null);
});

/** Captions that a host made by other rules than those of today, and what the reopened runtime says of them. */
async function madeBy(rules: CaptionRules, from: StoredStudy) {
  const steps = captionSteps({ study: { ...(await captionedStudy(from)), rules }, ...embeddedJob });
  const withdrawn = reviewOf(from, approval);
  const tail = [withdrawn.started, withdrawn.recorded, steps.started];
  const objects = [...withdrawn.objects, ...steps.objects];
  const underWay = (await reopened(...goingOn(from, objects, ...tail))).runtime;
  const whole = (await reopened(...goingOn(from, objects, ...tail, steps.recorded, steps.checked))).runtime;
  return { steps, underWay, approval: withdrawn.approval, caption: whole.execution?.study.tail.captions.caption };
}

/** The seam of the reads lies in the second line. */
const acrossSeam = twoTracks.map((track) => ({
  ...track,
  cues: track.cues.slice(0, 2).map((cue) => ({ ...cue, startMs: cue.startMs + 500, endMs: cue.endMs + 500 })),
}));
const swappedTags = (tracks: readonly StoredTrack[]): StoredTrack[] =>
  tracks.map((track) => ({ ...track, taggedLanguage: track.taggedLanguage === 'ko' ? 'en' : 'ko' }));

const otherwise: Readonly<Record<string, StudyShape>> = {
  'a line across the seam of two reads': { version: 1, windows: 128, tracks: acrossSeam },
  'tracks with swapped tags': {
    ...{ version: 1, windows: 4 },
    tracks: swappedTags(twoTracks),
  },
  'tracks with the names of their languages': {
    ...{ version: 1, windows: 4 },
    tracks: twoTracks.map((track, at) => ({ ...track, taggedLanguage: ['Korean', 'English'][at] ?? null })),
  },
};

for (const [what, shape] of Object.entries(otherwise)) {
  test(`captions of ${what} verify by the rules that they were made by`, async (t) => {
    const from = storedStudy(shape);
    const made = await Promise.all(everyCaptionRules.map((rules) => madeBy(rules, from)));
    t.is(made.length, 3);
    const contents = made.map(({ caption }) => caption?.reference.contentId);
    // The second rules and the third differ in the syllables of transcripts and translations.
    t.is(new Set(contents).size, 2);
    t.false(contents.includes(undefined));
  });
}

/** What a pass states that measured the channels of a sound apart, which the first version did not. */
const signals = 'the mix of all channels';

const byLaterVersion: StudyShape['forged'] = ({ operations, detect, ...passes }) => ({
  ...passes,
  operations: {
    ...operations,
    detect: {
      ...operations.detect,
      parameters: { ...operations.detect.parameters, 'speech_activity.signals': signals },
    },
  },
  detect: detect.map((each) => {
    if (each.kind !== 'speech_activity' || each.state === 'unavailable') return each;
    return { ...each, artifact: { ...each.artifact, parameters: { ...each.artifact.parameters, signals } } };
  }),
});

test('captions of a study of a later version do not verify by the rules of the first, which judged no language', async (t) => {
  const shape = otherwise['tracks with swapped tags'] ?? { version: 1, windows: 4 };
  const from = storedStudy({ ...shape, forged: byLaterVersion });
  for (const rules of everyCaptionRules) {
    const made = madeBy(rules, from).then(({ caption }) => caption !== null);
    if (rules.judgesLanguages) t.true(await made);
    else await t.throwsAsync(made, { instanceOf: EvidenceChainError });
  }
});

test('an attempt that was begun by rules that name another executor goes on by them', async (t) => {
  const from = storedStudy(otherwise['tracks with the names of their languages'] ?? { version: 1, windows: 4 });
  for (const rules of everyCaptionRules) {
    const { underWay, approval: named } = await madeBy(rules, from);
    const newest = everyCaptionRules.find(({ judgesLanguages }) => judgesLanguages === rules.judgesLanguages);
    t.deepEqual(approvedStudyOf(underWay, named)?.rules, newest);
  }
});

test('captions that follow by no rules are damage', async (t) => {
  const from = storedStudy({ version: 1, windows: 128, tracks: swappedTags(acrossSeam) });
  const mixed = madeBy({ joinsReads: false, judgesLanguages: true, keepsSyllables: true }, from);
  await t.throwsAsync(mixed, { instanceOf: EvidenceChainError, message: /the caption sha256:\S+ fails at: lines/ });
});

const impossible: readonly (readonly [string, Tail, number])[] = [
  ['begun twice', [...approved, first.started, first.started], 5],
  ['begun without an approval', [first.started], 1],
  ['begun while the review is being written down', [review.started, first.started], 2],
  ['begun under a rejection', [...rejectedTail(), first.started], 4],
  ['made without being begun', [...approved, first.recorded], 6],
  ['failed without being begun', [...approved, first.failed], 4],
  ['checked without being made', [...approved, first.checked], 5],
  ['checked while they are being made', [...approved, first.started, first.checked], 6],
  ['begun while the approval is being withdrawn', [...approved, revocationStarted, first.started], 5],
  ['begun after the approval was withdrawn', [...approved, revocationStarted, revoked, first.started], 7],
  ['still being made when the approval is withdrawn', [...approved, first.started, revocationStarted], 5],
  ['made twice', [...approved, first.started, first.recorded, first.recorded], 10],
  ['failed after they were made', [...approved, first.started, first.recorded, first.failed], 8],
  ['begun again after they were made', [...approved, first.started, first.recorded, second.started], 8],
  ['checked twice', [...approved, first.started, first.recorded, first.checked, first.checked], 11],
  [
    'tried a fourth time',
    [
      ...[...approved, first.started, first.failed, second.started, second.failed],
      ...[third.started, third.failed, fourth.started],
    ],
    10,
  ],
];

function rejectedTail(): Tail {
  const rejected = reviewOf(study, rejection);
  objects.push(...rejected.objects);
  return [rejected.started, rejected.recorded];
}

for (const [what, tail, at] of impossible) {
  test(`captions cannot be ${what}`, async (t) => {
    t.is(await placeOf(...goneOn(tail)), `journal: event ${end + at}: type`);
  });
}

test('an attempt goes by its own number, and ends under the name under which it began', async (t) => {
  const at = (event: number, place: string) => new RegExp(`^journal: event ${end + event}: data\\.${place}`);
  const place = async (...tail: Tail) => (await placeOf(...goneOn([...approved, ...tail]))) ?? '';
  t.regex(await place(second.started), at(4, 'jobId'));
  t.regex(await place(first.started, first.failed, first.started), at(6, 'jobId'));
  t.regex(await place(first.started, second.failed), at(5, 'jobId'));
  t.is(await place(first.started, second.recorded), 'caption: lines[0].lineage.captionExecutor.jobId');
  t.is(await place(seam.started, first.recorded), 'caption: executor.classification');
});

test('a journal that ends between captions and their event is cut', async (t) => {
  const { recorded, checked, started } = first;
  for (const [tail, at] of [
    [[started, recorded.slice(0, 1)], 6],
    [[started, recorded.slice(0, 2)], 7],
    [[started, recorded, checked.slice(0, 1)], 9],
  ] as const) {
    t.is(await placeOf(...goneOn([...approved, ...tail])), `journal: event ${end + at}: missing`);
  }
});

test('what was reopened of captions is what the wire shows of them', async (t) => {
  const runtime = await runtimeAfter([first.started, first.recorded, first.checked]);
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
  const revokedRuntime = await runtimeAfter([first.started, first.recorded, revocationStarted, revoked]);
  t.is(publishedCaptionsOf(revokedRuntime)[0]?.row.authorityState, 'revoked_after_completion');
});
