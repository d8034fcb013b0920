import test from 'ava';
import { contentIdOfJson } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { defaultCaptionAllowance } from '../../../receipts/captions/allowance.ts';
import { captionsOf } from '../../../receipts/captions/artifact.ts';
import {
  type BaseLines,
  correctedBy,
  correctionsOn,
  draftBaseOf,
  noCorrections,
} from '../../../receipts/captions/corrected-lines.ts';
import { correctableOf } from '../../../receipts/published/corrections.ts';
import { correctionsObstacle, recordCorrection } from '../../../receipts/stages/correction.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { faultOf, reopened } from '../reopening/reopened.ts';
import { approval, reviewOf } from '../review/review-steps.ts';
import { captionedStudy, captionSteps, embeddedJob, goingOn, shapesByRules } from './captioned-studies.ts';

// Corrections of lines before their captions were made, by caption rules that cut other lines.

const reviewer = { id: 'reviewer:one', label: 'Sua Kim' };

/** A study whose second line a person corrected, after rules that gave its first line another text. */
async function correctedUnder(shape: keyof typeof shapesByRules) {
  const study = storedStudy(shapesByRules[shape]);
  const captioned = await captionedStudy(study);
  const present = draftBaseOf({ study: captioned, ...embeddedJob });
  const lines = present.lines.map((line, at) =>
    at === 0 ? { ...line, source: { ...line.source, text: 'Other words.' } } : line,
  );
  const linesContentId = contentIdOfJson({ lines });
  const [head] = [present.base];
  if (head.kind !== 'drafts') throw new RangeError('the base of drafts is of drafts');
  const base: BaseLines = { ...present, lines, contentId: linesContentId, base: { ...head, linesContentId } };
  const [, second] = lines;
  if (second === undefined) throw new RangeError('the clip has two lines');
  const { id, startMs, endMs } = second;
  const asked = { changes: [{ lineIds: [id], lines: [{ startMs, endMs, target: 'Corrected.' }] }] };
  const corrections = correctionsOn(noCorrections, base);
  const { changes } = correctedBy(corrections, base, asked);
  const made = { corrections, base, changes, reviewer, note: null, reverts: null };
  const requestContentId = contentIdOfJson(asked);
  const step = recordCorrection(captioned.run, { ...made, clientRequestId: 'correction-1', requestContentId });
  return { study, captioned, step };
}

test('bug: a study whose lines a person corrected under older caption rules could not be opened any more', async (t) => {
  const { study, captioned, step } = await correctedUnder('third');
  const { runtime, checked } = await reopened(...goingOn(study, step.objects, step.events));
  const judged = checked.flatMap(({ link, judgement }) =>
    link.startsWith('caption_correction') ? [[link, judgement?.rules.version, judgement?.check]] : [],
  );
  t.deepEqual(judged, [
    ['caption_correction', 3, 'form_checked'],
    ['caption_correction_check', 3, 'form_checked'],
  ]);
  const corrections = runtime.execution?.study.tail.corrections ?? noCorrections;
  t.deepEqual(
    corrections.lines.map(({ target }) => target.text),
    ['Corrected.'],
    'only the lines that the correction states are known',
  );
  const ability = { classification: 'embedded_subtitle_tracks', allowance: defaultCaptionAllowance } as const;
  const { obstacle, base } = resultOfSteps(correctableOf(runtime, ability));
  t.is(base, null, 'lines of now are not shown for them');
  t.regex(obstacle?.message ?? '', /older caption rules cut.*study the range again/);
  t.regex(
    correctionsObstacle(corrections, () => draftBaseOf({ study: captioned, ...embeddedJob })) ?? '',
    /older caption rules cut/,
  );
});

test('corrections of drafts that the present rules do not give are caught', async (t) => {
  const { study, step } = await correctedUnder('present');
  const fault = await faultOf(...goingOn(study, step.objects, step.events));
  t.regex(fault?.message ?? '', /linesContentId/);
});

test('corrections of before are shown in captions that older rules made of the same lines', async (t) => {
  const { study, captioned, step } = await correctedUnder('third');
  const review = reviewOf(study, approval);
  const steps = captionSteps({ study: captioned, ...embeddedJob }, captionsOf({ study: captioned, ...embeddedJob }));
  const objects = [...step.objects, ...review.objects, ...steps.objects];
  const commits = [step.events, review.started, review.recorded, steps.started, [...steps.recorded], steps.checked];
  const { runtime } = await reopened(...goingOn(study, objects, ...commits.slice(0, 5)));
  const texts = runtime.execution?.study.tail.corrections.lines.map(({ target }) => target.text) ?? [];
  t.is(texts.length, captionsOf({ study: captioned, ...embeddedJob }).lines.length);
  t.is(texts[1], 'Corrected.');
});
