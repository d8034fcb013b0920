import { type KeptScreenText, keptScreenText } from '../../contract/screentext.ts';
import { furtherShape } from '../../receipts/evidence/detection.ts';
import { screenReading } from '../../receipts/screentext.ts';
import { readStoredReceipt } from '../../receipts/stored-records.ts';
import { GrantedSteps, type GrantedStepsOptions, type GrantedStudyStep } from '../study/granted-steps.ts';
import type { ScreenTexts } from './screen-texts.ts';

export interface ScreenTextStepsOptions extends GrantedStepsOptions {
  /** Null on a host without a reader. */
  readonly screenTexts: ScreenTexts | null;
}

/** The step that has the text on the screen of a study read. A reader that fails leaves the study without it. */
export const screenTextSteps = (options: ScreenTextStepsOptions): GrantedStudyStep => {
  const { content, screenTexts, board, moved } = options;
  return new GrantedSteps(options, {
    operation: screenReading,
    producer: screenTexts === null ? null : (_, source) => screenTexts.producer(source),
    standing: ({ keyframesFrom, openReading }) => ({ from: keyframesFrom, begun: openReading }),
    changed: 'who reads the screen on the host, or how it is set, changed after the reading had begun',
    keptIn: (row) => keptScreenText.safeParse(row).data?.screenText ?? null,
    rowOf: (screenText, { record }) =>
      ({ sourceContentId: record.analysisRequest.sourceContentId, screenText }) satisfies KeptScreenText,
    find: async ({ record }, source, { from: [named] }, signal) => {
      if (screenTexts === null) throw new RangeError('this host has no reader of the screen');
      const { runtimeId, analysisRequest: request } = record;
      const keyframes =
        named === undefined ? null : (await readStoredReceipt(furtherShape, content, named.contentId)).body;
      const total = request.range.endMs - request.range.startMs;
      return screenTexts.find({
        ...{ source, request, keyframes, signal },
        kept: () => moved(runtimeId),
        read: (completed) => board.note(runtimeId, { stage: 'readScreen', completed, total, unit: 'milliseconds' }),
      });
    },
  });
};
