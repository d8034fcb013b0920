import type { StoredObject } from '../../../contract/base/stored-object.ts';
import type { CaptionClassification, CaptionLine } from '../../../contract/captions/caption-line.ts';
import type { CaptionArtifact } from '../../../contract/captions/caption-production.ts';
import { type CaptionJob, captionJobIdOf, captionsOf, resultOf } from '../../../receipts/captions/artifact.ts';
import type { CaptionedStudy } from '../../../receipts/captions/captioned-study.ts';
import { recordQualityControl } from '../../../receipts/captions/quality-control.ts';
import { type WholeCaptions, wholeCaptionsOf } from '../../../receipts/captions/stored-captions.ts';
import { captionFailed, captionReceiptOf, captionStarted } from '../../../receipts/stages/captions.ts';
import type { StoredContent } from '../../../receipts/stored-records.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { contentOf, storedRuntimeOf } from '../core/stored-content-in-memory.ts';
import { type StoredStudy, type StudyShape, storedStudy } from '../evidence/stored-study.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { reopened } from '../reopening/reopened.ts';
import { approval, reviewOf } from '../review/review-steps.ts';
import { recordCaptions } from './recorded-captions.ts';

/** A stored study as a maker of captions gets it, without any check of the approval. */
export async function captionedStudy(stored: StoredStudy): Promise<CaptionedStudy> {
  const { runtime } = await reopened(storedRuntimeOf(stored), contentOf(stored.files));
  const { execution } = runtime;
  if (execution === null || execution.study.conclusion === null) throw new RangeError('the study has no end');
  const { findings, conclusion } = execution.study;
  const reviewed = reviewOf(stored, approval).approval;
  return { run: execution.opened.run, findings, conclusion, approval: reviewed };
}

export const captionJob = async (
  shape: StudyShape,
  classification: CaptionClassification = 'embedded_subtitle_tracks',
): Promise<CaptionJob> => ({ study: await captionedStudy(storedStudy(shape)), attempt: 0, classification });

const reason = { code: 'caption_not_produced', message: 'interrupted: the attempt was cut short' };

/** The steps that a production takes, each with the events and objects that it leaves. */
export function captionSteps(job: CaptionJob, artifact: CaptionArtifact = captionsOf(job)) {
  const { run } = job.study;
  const recorded = recordCaptions(job, artifact);
  const captions = {
    reference: recorded.refs,
    artifact: wholeCaptionsOf(artifact),
    receipt: captionReceiptOf(artifact, job).of(job.study.run, { ...job, artifact }),
  };
  const checked = recordQualityControl(run, captions);
  return {
    started: [captionStarted(job, artifact.executor)],
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
  ...tail: Tail
): [ReturnType<typeof storedRuntimeOf>, StoredContent] {
  const files = new Map(study.files);
  for (const { contentId, bytes } of objects) files.set(contentId, bytes);
  return [storedRuntimeOf({ ...study, commits: [...study.commits, ...tail] }), contentOf(files)];
}

export const embeddedJob = { attempt: 0, classification: 'embedded_subtitle_tracks' } as const;

/** A study of the clip with both tracks, approved, with the steps of its captions; `after` is its runtime so far. */
export async function captionedClip(shape: StudyShape = { version: 1, windows: 4, tracks: twoTracks }) {
  const study = storedStudy(shape);
  const review = reviewOf(study, approval);
  const captioned = await captionedStudy(study);
  const steps = captionSteps({ study: captioned, ...embeddedJob });
  const objects = [...review.objects, ...steps.objects];
  return {
    study,
    review,
    captioned,
    steps,
    objects,
    made: [review.started, review.recorded, steps.started, steps.recorded],
    after: (...tail: Tail) => goingOn(study, objects, ...tail),
  };
}

/** Further events of a journal, commit by commit. */
export type Tail = readonly (readonly EventDraft[])[];

/** The commits of these names, such as `begun0 failed0`. */
export const tailIn = (entries: Readonly<Record<string, readonly EventDraft[]>>, names: string): Tail =>
  names.split(' ').flatMap((name) => {
    if (name === '') return [];
    const entry = entries[name];
    if (entry === undefined) throw new RangeError(`no entry '${name}'`);
    return [entry];
  });

/** The study as a version measured it that did not state these parameters of its tracks. */
const withoutTrackParameters =
  (...names: readonly string[]): NonNullable<StudyShape['forged']> =>
  ({ operations, subtitles, ...passes }) => {
    const without = <Value>(parameters: Readonly<Record<string, Value>>, prefix: string): Record<string, Value> =>
      Object.fromEntries(
        Object.entries(parameters).filter(([name]) => !names.some((each) => `${prefix}${each}` === name)),
      );
    return {
      ...passes,
      operations: {
        ...operations,
        subtitles: {
          ...operations.subtitles,
          parameters: without(operations.subtitles.parameters, 'subtitle_track.'),
        },
      },
      subtitles: subtitles.map((each) => {
        if (each.kind !== 'subtitle_track' || each.state === 'unavailable') return each;
        return { ...each, artifact: { ...each.artifact, parameters: without(each.artifact.parameters, '') } };
      }),
    };
  };

/** The study by caption rules 4: it does not state the words of the container about tracks. By rules 3: nor where cues are shown. */
const byFourthRules = withoutTrackParameters('container');
const byThirdRules = withoutTrackParameters('container', 'placement');

/** The same with caption rules 1: it states nothing of the channels of the sound either. */
const byFirstVersion: StudyShape['forged'] = (found) => {
  const { operations, detect, ...passes } = byThirdRules(found);
  const { 'speech_activity.signals': _, ...parameters } = operations.detect.parameters;
  return {
    ...passes,
    operations: { ...operations, detect: { ...operations.detect, parameters } },
    detect: detect.map((each) => {
      if (each.kind !== 'speech_activity' || each.state === 'unavailable') return each;
      const { signals, ...stated } = each.artifact.parameters;
      return { ...each, artifact: { ...each.artifact, parameters: stated } };
    }),
  };
};

/** The clip as it was studied under the present caption rules, and under earlier ones. */
export const shapesByRules = {
  present: { version: 1, windows: 4, tracks: twoTracks },
  fourth: { version: 1, windows: 4, tracks: twoTracks, forged: byFourthRules },
  third: { version: 1, windows: 4, tracks: twoTracks, forged: byThirdRules },
  first: { version: 1, windows: 4, tracks: twoTracks, forged: byFirstVersion },
} as const satisfies Readonly<Record<string, StudyShape>>;

/** Captions of a host of another version, or of a forger. */
export type Change = (captions: WholeCaptions) => WholeCaptions;

/** Changes one line, and counts the lines again. */
export const withLine =
  (at: number, change: (line: CaptionLine) => Partial<CaptionLine>): Change =>
  (captions) => {
    const lines = captions.lines.map((line, index) => (index === at ? { ...line, ...change(line) } : line));
    return { ...captions, lines, result: resultOf(lines) };
  };

/** Results that older rules allowed, and today's rules do not. */
export const withOtherText: Change = withLine(0, ({ source }) => ({
  source: { ...source, text: 'Hello.' } as CaptionLine['source'],
}));

/** A study with captions that were made by its own rules and changed before they were stored, as its host leaves both behind. */
export async function studyWithCaptions(shape: StudyShape, change: Change) {
  const study = storedStudy(shape);
  const job = { study: await captionedStudy(study), ...embeddedJob };
  const steps = captionSteps(job, change(wholeCaptionsOf(captionsOf(job))));
  const review = reviewOf(study, approval);
  const commits = [review.started, review.recorded, steps.started, steps.recorded, steps.checked];
  const files = new Map(study.files);
  for (const { contentId, bytes } of [...review.objects, ...steps.objects]) files.set(contentId, bytes);
  return { jobId: captionJobIdOf(job), stored: { ...study, files, commits: [...study.commits, ...commits] } };
}
