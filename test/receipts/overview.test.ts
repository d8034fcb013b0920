import test from 'ava';
import { captionProductionRequest } from '../../contract/captions/caption-production.ts';
import { qualityControlRequest } from '../../contract/captions/quality-control.ts';
import type { FurtherFact } from '../../contract/evidence/evidence.ts';
import { type RuntimeOverview, runtimeOverview, type SituationCode } from '../../contract/overview.ts';
import { attestations, reviewDecisionRequest, reviewRevocationRequest } from '../../contract/review.ts';
import { runtimeRequest } from '../../contract/study/plan.ts';
import type { EvidenceRow } from '../../contract/study/runtime-evidence.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import { defaultCaptionAllowance } from '../../receipts/captions/allowance.ts';
import { withheldTexts } from '../../receipts/overview/findings.ts';
import { foundIn, foundOf } from '../../receipts/overview/found.ts';
import { runtimeOverviewBySteps } from '../../receipts/overview/overview.ts';
import type { HostAbilities, StudyActorState } from '../../receipts/overview/parts.ts';
import { fieldOf } from '../fields.ts';
import { captionedClip, goingOn, type Tail } from './captions/captioned-studies.ts';
import { contentOf, storedEvents, storedRuntimeOf, writtenEvents } from './core/stored-content-in-memory.ts';
import { storedStudy } from './evidence/stored-study.ts';
import { reopened } from './reopening/reopened.ts';
import { rejection, reviewOf } from './review/review-steps.ts';

const host: HostAbilities = {
  reviewerId: 'reviewer:one',
  captions: { classification: 'embedded_subtitle_tracks', allowance: defaultCaptionAllowance },
  explains: true,
  sourceIsCurrent: true,
};
const ended: StudyActorState = {
  lifecycle: 'terminal',
  reason: null,
  resumes: 0,
  deadlineLeftMs: null,
  waitsFor: null,
};

const withheldStudy = storedStudy({ version: 3, windows: 8 });
const silent = storedStudy({ version: 1, windows: null });
const { study: queued, review, steps: captioning, made, objects: captionObjects } = await captionedClip();
const rejecting = reviewOf(queued, rejection);
const objects = [...captionObjects, ...rejecting.objects];

/** The overview of the queued study whose journal goes on with these events. */
async function after(tail: Tail, abilities: Partial<HostAbilities> = {}) {
  const { runtime } = await reopened(...goingOn(queued, objects, ...tail));
  return runtimeOverview.parse(resultOfSteps(runtimeOverviewBySteps(runtime, ended, { ...host, ...abilities })));
}

const partsOf = ({ decision, review: reviewed, captions, check, explanations }: RuntimeOverview) =>
  [decision, reviewed, captions, check, explanations].map(({ state }) => state);
const actionsOf = ({ actions }: RuntimeOverview) => actions.map(({ action }) => action);

const approved = [review.started, review.recorded];
const checked = [...made, captioning.checked];
const withdrawn = [...checked, review.revocationStarted, review.revoked];

/** The history of a study, its situation, its parts from decision to explanations, and its possible next steps. */
const ways: Readonly<Record<string, readonly [Tail, SituationCode, parts: string, actions: string]>> = {
  'is finished': [[], 'waiting_for_review', 'done waiting not_yet not_yet not_yet', 'approve reject study_again'],
  'is being reviewed': [[review.started], 'recording_review', 'done under_way not_yet not_yet not_yet', 'study_again'],
  'was rejected': [
    [rejecting.started, rejecting.recorded],
    'rejected',
    'done withheld never never never',
    'study_again',
  ],
  'was approved': [approved, 'approved', 'done done waiting not_yet not_yet', 'produce_captions revoke study_again'],
  'is being captioned': [
    made.slice(0, 3),
    'producing_captions',
    'done done under_way not_yet not_yet',
    'revoke study_again',
  ],
  'has unchecked captions': [
    made,
    'waiting_for_check',
    'done done done waiting waiting',
    'check_captions explain revoke study_again',
  ],
  'has accepted captions': [
    checked,
    'captions_accepted',
    'done done done done waiting',
    'read_captions explain revoke study_again',
  ],
  'lost its approval': [withdrawn, 'approval_withdrawn', 'done withdrawn done done never', 'study_again'],
};

for (const [what, [tail, situation, parts, actions]] of Object.entries(ways)) {
  test(`the overview of a study that ${what} says so, with what may come next`, async (t) => {
    const overview = await after(tail);
    t.is(overview.situation.code, situation);
    t.is(partsOf(overview).join(' '), parts);
    t.is(actionsOf(overview).join(' '), actions);
  });
}

test('an overview describes a wait for a person in plain words', async (t) => {
  t.is((await after([])).situation.text, 'waiting for your review');
  t.is((await after(approved)).situation.text, 'approved: captions may be made under the approval');
  t.is((await after(made)).captions.text, '3 lines with both texts');
});

test('an action is a request of its endpoint once its blanks are filled', async (t) => {
  const bodyOf = async (tail: Tail, name: string) =>
    (await after(tail)).actions.find(({ action }) => action === name)?.body;
  const sign = (body: object | null | undefined, attestation: string) => ({
    ...body,
    reviewer: { id: host.reviewerId, attestation },
  });
  const decision = await bodyOf([], 'approve');
  t.false(reviewDecisionRequest.safeParse(decision).success, 'no client attests by itself');
  t.true(reviewDecisionRequest.safeParse(sign(decision, attestations.decision)).success);
  t.true(captionProductionRequest.safeParse(await bodyOf(approved, 'produce_captions')).success);
  t.true(qualityControlRequest.safeParse(await bodyOf(made, 'check_captions')).success);
  const revocation = sign(await bodyOf(made, 'revoke'), attestations.revocation);
  const reasons = { reasonCodes: ['new_review_required'], note: null };
  t.true(reviewRevocationRequest.safeParse({ ...revocation, revocation: reasons }).success);
  const again = await bodyOf([], 'study_again');
  t.true(runtimeRequest.safeParse({ ...again, clientRequestId: 'again' }).success);
});

test('every blank of an action is null in its body', async (t) => {
  for (const [tail] of Object.values(ways)) {
    for (const { body, fill } of (await after(tail)).actions) {
      for (const { at } of fill) {
        const value = at
          .slice(1)
          .split('/')
          .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], body);
        t.is(value, null, at);
      }
    }
  }
});

test('an overview offers only actions that the host supports', async (t) => {
  const recorded = await after(approved, {
    captions: { classification: 'recorded_real_pipeline_fixture', allowance: defaultCaptionAllowance },
    sourceIsCurrent: false,
  });
  t.deepEqual(actionsOf(recorded), ['revoke']);
  t.is(recorded.captions.state, 'never');
  for (const classification of ['recognised_transcript', 'grouped_subtitle_tracks'] as const) {
    const other = await after(approved, { captions: { classification, allowance: defaultCaptionAllowance } });
    const isMade = classification === 'grouped_subtitle_tracks';
    t.is(other.captions.state, isMade ? 'waiting' : 'never');
    t.is(actionsOf(other).includes('produce_captions'), isMade);
    if (!isMade) t.regex(other.captions.text, /^captions would have no line: .* without a recognizer/);
  }
  const either = { classification: 'recognised_transcript', subtitlesFirst: true } as const;
  const subtitled = await after(approved, { captions: { ...either, allowance: defaultCaptionAllowance } });
  t.is(subtitled.captions.state, 'waiting');
  t.true(actionsOf(subtitled).includes('produce_captions'));
  const mute = await after(made, { explains: false });
  t.false(actionsOf(mute).includes('explain'));
  t.is(mute.explanations.text, 'no explanation executor is configured');
});

test('findings are numbers with units and places with time codes', async (t) => {
  const { runtime } = await reopened(storedRuntimeOf(withheldStudy), contentOf(withheldStudy.files));
  const { findings } = runtimeOverview.parse(resultOfSteps(runtimeOverviewBySteps(runtime, ended, host)));
  const found = (kind: string) => findings.find((each) => each.kind === kind);
  t.is(found('speech_activity')?.text, '4 windows, 2.0 s, 50 %');
  t.deepEqual(found('speech_activity')?.places[1], { startMs: 1000, endMs: 1500, text: '0:01.000 to 0:01.500' });
  t.deepEqual(found('loudness')?.measures, [
    { name: 'integrated_loudness', value: -23, unit: 'LUFS' },
    { name: 'loudness_range', value: null, unit: 'LU' },
    { name: 'true_peak', value: -1.5, unit: 'dBTP' },
  ]);
  t.is(found('loudness')?.text, '-23.0 LUFS, range too quiet to measure (LU), true peak -1.5 dBTP');
  t.like(found('shot_changes'), { state: 'unavailable', reasonCode: 'no_frames_in_range' });
  t.like(found('subtitle_track'), { trackIndex: 2, title: 'subtitles of track 2', text: '1 cue' });
});

test('claims are sentences over the facts that they cite; others are withheld with a reason', async (t) => {
  const { runtime } = await reopened(storedRuntimeOf(withheldStudy), contentOf(withheldStudy.files));
  const overview = resultOfSteps(runtimeOverviewBySteps(runtime, ended, host));
  t.deepEqual(fieldOf(overview.claims.slice(0, 2), 'text'), [
    'speech in 4 windows, 2.0 s, between 0.0 s and 3.5 s',
    'no speech in 4 windows, 2.0 s, between 0.5 s and 4.0 s',
  ]);
  t.regex(overview.claims[3]?.text ?? '', /^speech in a language that was not identified in .* \(unknown\)$/);
  t.is(overview.situation.code, 'withheld_from_review');
  t.deepEqual(fieldOf(overview.withheld, 'reasonCode'), [
    'no_frames_in_range',
    'unknown',
    'audited_claim_unknown',
    'non_supported_root_coverage',
  ]);
});

test('a study without a claim says that there was nothing to decide', async (t) => {
  const { runtime } = await reopened(storedRuntimeOf(silent), contentOf(silent.files));
  const overview = runtimeOverview.parse(resultOfSteps(runtimeOverviewBySteps(runtime, ended, host)));
  t.deepEqual(overview.claims, []);
  t.deepEqual(partsOf(overview), ['never', 'withheld', 'never', 'never', 'never']);
});

test('what a running study has not come to is not yet; for a study that failed it is never', async (t) => {
  const begun = withheldStudy.commits.slice(0, 2).flat();
  const events = storedEvents(writtenEvents(withheldStudy.run.record.runtimeId, begun));
  const stored = { ...storedRuntimeOf(withheldStudy), events, lifecycle: 'running' } as const;
  const { runtime } = await reopened(stored, contentOf(withheldStudy.files));
  const running = resultOfSteps(
    runtimeOverviewBySteps(runtime, { ...ended, lifecycle: 'running', resumes: 1, deadlineLeftMs: 500 }, host),
  );
  t.is(running.findings.find(({ kind }) => kind === 'subtitle_track')?.state, 'not_yet');
  t.deepEqual(new Set(partsOf(running)), new Set(['not_yet']));
  t.like(running.study, { resumes: 1, deadlineLeftMs: 500, step: 'detect' });
  t.is(running.situation.text, 'studying: reading subtitles');
  const waitsFor = 'waiting for a worker';
  const waiting = resultOfSteps(runtimeOverviewBySteps(runtime, { ...ended, lifecycle: 'running', waitsFor }, host));
  t.deepEqual(waiting.situation, { code: 'waiting_for_a_worker', text: waitsFor });
  t.deepEqual(actionsOf(running), ['follow']);
  const reason = { code: 'executor_failed', message: 'deadline: no time left' } as const;
  const failed = resultOfSteps(runtimeOverviewBySteps(runtime, { ...ended, lifecycle: 'failed', reason }, host));
  t.is(failed.findings.find(({ kind }) => kind === 'subtitle_track')?.state, 'never');
  t.deepEqual(new Set(partsOf(failed)), new Set(['never']));
  t.is(failed.situation.text, 'failed: executor_failed: deadline: no time left');
  t.deepEqual(actionsOf(failed), ['study_again']);
});

test('a study that cannot be captioned says why from its start', async (t) => {
  const automatic = { mode: 'automatic', languages: [], reason: null } as const;
  const study = storedStudy({
    version: 1,
    windows: 4,
    asked: { requestedSourceLanguage: { ...automatic, languages: [] } },
  });
  const { runtime } = await reopened(storedRuntimeOf(study), contentOf(study.files));
  const { captions } = resultOfSteps(runtimeOverviewBySteps(runtime, ended, host));
  t.like(captions, { state: 'never', text: 'captions need a study of one declared source language' });
});

/** The overview's description of the loudness of this much sound. */
function loudnessText(
  endMs: number,
  integratedCentiLufs: number | null,
  rangeCentiLu: number | null,
  truePeakCentiDbtp: number | null,
) {
  const fact = { kind: 'loudness', startMs: 0, endMs, integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp };
  const row = { kind: 'loudness', state: 'available', reasonCode: null, facts: [fact] };
  return foundOf(row as unknown as EvidenceRow, { startMs: 0, endMs }).text;
}

test('sound that is shorter than a block of a measurement is too short for it, not too quiet', (t) => {
  t.is(
    loudnessText(320, null, null, -990),
    'too short to measure (LUFS), range too short to measure (LU), true peak -9.9 dBTP',
  );
  t.is(loudnessText(2999, -2300, null, -990), '-23.0 LUFS, range too short to measure (LU), true peak -9.9 dBTP');
});

test('sound that is long enough, or has no peak at all, is too quiet', (t) => {
  const quiet = 'too quiet to measure (LUFS), range too quiet to measure (LU), true peak';
  t.is(loudnessText(3000, null, null, -8000), `${quiet} -80.0 dBTP`);
  t.is(loudnessText(320, null, null, null), `${quiet} too quiet to measure (dBTP)`);
});

const passed = { outcome: 'passed', reasonCodes: [] } as const;
const withheldFor = (...reasonCodes: string[]) => ({ outcome: 'withheld', reasonCodes }) as const;

test('bug: lines that a gate withheld were not counted, by their first reason, as kept back', (t) => {
  const lines = [
    withheldFor('repetition', 'low_confidence'),
    passed,
    withheldFor('low_confidence'),
    withheldFor('repetition'),
  ];
  t.deepEqual(
    withheldTexts(lines, (count) => `lines (${count})`),
    [
      {
        what: 'lines (2)',
        reasonCode: 'repetition',
        text: 'lines (2): it says the same again and again',
        cause: { code: 'repetition', params: {} },
      },
      {
        what: 'lines (1)',
        reasonCode: 'low_confidence',
        text: 'lines (1): it is not certain enough',
        cause: { code: 'low_confidence', params: {} },
      },
    ],
  );
  t.deepEqual(withheldTexts([passed], String), []);
});

const at = (startMs: number, endMs: number) => ({ index: 0, startMs, endMs });

test('bug: dissolves, frozen pictures and the rest were on the timeline and not in the overview', (t) => {
  const transitions: FurtherFact[] = [
    { kind: 'transition', ...at(1000, 2000), form: 'dissolve', unexplainedMilli: 3 },
    { kind: 'transition', ...at(5000, 6000), form: 'dissolve', unexplainedMilli: 3 },
    { kind: 'transition', ...at(8000, 9000), form: 'fade', unexplainedMilli: 3 },
    { kind: 'flash', ...at(9500, 9600) },
    { kind: 'flash', ...at(9900, 9950) },
  ];
  const found = foundIn('transitions', transitions, { startMs: 0, endMs: 10_000 });
  t.is(found.text, '2 dissolves, 1 fade, 2 flashes at 0:01.000, 0:05.000, 0:08.000, 0:09.500, 0:09.900');
  t.is(found.places.length, 5);
  const frozen: FurtherFact[] = [
    { kind: 'frozen', ...at(0, 2000), changeMilli: 0 },
    { kind: 'frozen', ...at(4000, 4500), changeMilli: 1 },
  ];
  t.is(
    foundIn('frozen_frames', frozen, { startMs: 0, endMs: 10_000 }).text,
    '2 stretches, 2.5 s at 0:00.000, 0:04.000',
  );
  const peak: FurtherFact = { kind: 'true_peak', ...at(0, 100), truePeakCentiDbtp: -100 };
  const clipped: FurtherFact = { kind: 'clipping', ...at(3000, 3100), channel: 'left', runs: 2, longestSamples: 5 };
  t.is(
    foundIn('audio_faults', [clipped, peak], { startMs: 0, endMs: 10_000 }).text,
    '1 stretch of clipping at 0:03.000',
  );
});

test('a kind that was measured and has nothing says so', (t) => {
  for (const kind of ['transitions', 'black_frames', 'frozen_frames', 'audio_faults', 'letterbox'] as const) {
    t.like(foundIn(kind, [], { startMs: 0, endMs: 10_000 }), { text: 'none', places: [] });
  }
});
