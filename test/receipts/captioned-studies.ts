import type { CaptionClassification } from '../../contract/caption-executor.ts';
import type { StoredObject } from '../../contract/stored-object.ts';
import { type CaptionJob, captionJobIdOf, captionsOf } from '../../receipts/caption-artifact.ts';
import { wholeCaptionsOf } from '../../receipts/caption-lines.ts';
import { captionFailed, captionReceiptOf, captionStarted, recordCaptions } from '../../receipts/caption-production.ts';
import { recordQualityControl } from '../../receipts/caption-quality-control.ts';
import { captionRules } from '../../receipts/caption-rules.ts';
import type { CaptionedStudy } from '../../receipts/captioned-study.ts';
import type { StoredContent } from '../../receipts/stored-content.ts';
import type { EventDraft } from '../../storage/ledger.ts';
import { reopened } from './reopened.ts';
import { approval, reviewOf } from './review-steps.ts';
import { contentOf, storedRuntimeOf } from './stored-content-in-memory.ts';
import { type StoredStudy, type StudyShape, storedStudy } from './stored-study.ts';

/** A stored study as whoever makes captions of it is given it; whether anybody may approve it is not asked. */
export async function captionedStudy(stored: StoredStudy): Promise<CaptionedStudy> {
  const { runtime } = await reopened(storedRuntimeOf(stored), contentOf(stored.files));
  const { execution } = runtime;
  if (execution === null || execution.study.conclusion === null) throw new RangeError('the study has no end');
  const { findings, conclusion } = execution.study;
  const reviewed = reviewOf(stored, approval).approval;
  return { run: execution.opened.run, findings, conclusion, approval: reviewed, rules: captionRules };
}

export const captionJob = async (
  shape: StudyShape,
  classification: CaptionClassification = 'embedded_subtitle_tracks',
): Promise<CaptionJob> => ({ study: await captionedStudy(storedStudy(shape)), attempt: 0, classification });

const reason = { code: 'caption_not_produced', message: 'interrupted: the attempt was cut short' };

/** The steps that a production takes, each with the events and objects that it leaves. */
export function captionSteps(job: CaptionJob) {
  const { run } = job.study;
  const artifact = captionsOf(job);
  const recorded = recordCaptions(job);
  const captions = {
    reference: recorded.refs,
    artifact: wholeCaptionsOf(artifact),
    receipt: captionReceiptOf(job, artifact),
  };
  const checked = recordQualityControl(run, captions);
  return {
    started: [captionStarted(job)],
    failed: [captionFailed(run, captionJobIdOf(job), reason)],
    recorded: recorded.events,
    checked: checked.events,
    objects: [...recorded.objects, ...checked.objects],
  };
}

/** A study whose journal goes on with these events, and whose store holds these objects too. */
export function goingOn(
  study: StoredStudy,
  objects: readonly StoredObject[],
  ...tail: readonly (readonly EventDraft[])[]
): [ReturnType<typeof storedRuntimeOf>, StoredContent] {
  const files = new Map(study.files);
  for (const { contentId, bytes } of objects) files.set(contentId, bytes);
  return [storedRuntimeOf({ ...study, commits: [...study.commits, ...tail] }), contentOf(files)];
}
