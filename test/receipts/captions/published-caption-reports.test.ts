import test from 'ava';
import { captionQualityReports } from '../../../contract/captions/caption-quality-report.ts';
import type { ReviewDecision } from '../../../contract/review/publish-review.ts';
import { type CaptionJob, captionsOf } from '../../../receipts/captions/caption-artifact.ts';
import { captionStarted, recordCaptions } from '../../../receipts/captions/caption-production.ts';
import { approvedStudyOf } from '../../../receipts/reopening/approved-study.ts';
import { publishedCaptionReportsOf } from '../../../receipts/reopening/published-caption-reports.ts';
import { recordReview, reviewStarted } from '../../../receipts/review/publish-review-decision.ts';
import type { AdmissionReference } from '../../../receipts/study/study-admission.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { contentOf, storedEvents, storedRuntimeOf, writtenEvents } from '../core/stored-content-in-memory.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { reopened } from '../reopening/reopened.ts';

const study = storedStudy({ version: 1, windows: 4 });
const decision: ReviewDecision = {
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: null,
};
const { intake } = (study.steps.admit as { admission: AdmissionReference }).admission;
const asked = { intake, reviewer: { id: 'reviewer:one', label: 'One' }, decision };
const review = recordReview(study.run, asked);
const approved = [reviewStarted(study.run, asked), ...review.events];
const files = new Map(study.files);
for (const { contentId, bytes } of review.objects) files.set(contentId, bytes);

/** The runtime when its journal goes on with these events. */
async function runtimeAfter(tail: readonly EventDraft[]) {
  const drafts = [...study.commits.flat(), ...approved, ...tail];
  const events = storedEvents(writtenEvents(study.run.record.runtimeId, drafts));
  return (await reopened({ ...storedRuntimeOf(study), events }, contentOf(files))).runtime;
}

test('captions of a study without evidence of cuts are measured without them', async (t) => {
  const runtime = await runtimeAfter([]);
  t.deepEqual(publishedCaptionReportsOf(runtime).reports, []);
  const approvedStudy = approvedStudyOf(runtime, review.refs);
  if (approvedStudy === null) throw new Error('the approval does not stand');
  const job: CaptionJob = { study: approvedStudy, attempt: 0, classification: 'deterministic_current_run_test_seam' };
  const { objects, events, refs } = recordCaptions(job);
  for (const { contentId, bytes } of objects) files.set(contentId, bytes);
  const answer = publishedCaptionReportsOf(await runtimeAfter([captionStarted(job), ...events]));
  t.deepEqual(captionQualityReports.parse(answer), answer);
  t.is(answer.reports.length, 4);
  for (const { captionContentId, shotChanges, cues } of answer.reports) {
    t.is(captionContentId, refs.contentId);
    t.deepEqual(shotChanges, { state: 'unavailable', reasonCode: 'no_shot_evidence', count: null });
    t.is(cues.length, captionsOf(job).lines.filter(({ source }) => source.state === 'available').length);
    t.true(cues.length > 0);
    t.true(cues.every(({ startToShotMs, endToShotMs }) => startToShotMs === null && endToShotMs === null));
  }
});
