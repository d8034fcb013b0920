import type { LanguageRange, LanguageRanges } from '../../contract/sources/languages.ts';
import type { SampleWindow, SpeechActivity } from '../../contract/sources/media-probe.ts';
import { SourceInconsistent } from '../../contract/sources/source-receipt.ts';

const samplesPerMs = 16;

const demand = (holds: boolean, place: string): void => {
  if (!holds) throw new SourceInconsistent('evidence_invalid', place);
};

const countsUp = (windows: readonly SampleWindow[]): boolean => windows.every(({ index }, at) => index === at);

/**
 * Checks that speech and non-speech windows are counted from 0 and cover `durationMs` of the source once, without a gap.
 * Throws `SourceInconsistent` `evidence_invalid`.
 */
export function verifySpeechWindows(record: SpeechActivity, durationMs: number): void {
  const { frames, input, speech_windows: speech, non_speech_windows: rest } = record;
  demand(frames.count === Math.ceil(input.audio_samples / frames.samples_per_frame), 'speech-activity.frames');
  demand(countsUp(speech), 'speech-activity.speech_windows');
  demand(countsUp(rest), 'speech-activity.non_speech_windows');
  let covered = 0;
  for (const window of [...speech, ...rest].sort((a, b) => a.start_sample - b.start_sample)) {
    demand(window.start_sample === covered, 'speech-activity.windows');
    covered = window.end_sample;
  }
  demand(covered === durationMs * samplesPerMs, 'speech-activity.windows');
}

/**
 * Checks that language ranges are ordered, disjoint, counted per window and inside their speech windows, and that they
 * name no language outside the record's list. Throws `SourceInconsistent` `evidence_invalid`.
 */
export function verifyLanguageRanges(record: LanguageRanges, speech: SpeechActivity): void {
  let before: LanguageRange | undefined;
  for (const [index, range] of record.ranges.entries()) {
    const place = `language-ranges.ranges.${index}`;
    const window = speech.speech_windows[range.speech_window_index];
    const isInside =
      window !== undefined && window.start_sample <= range.start_sample && range.end_sample <= window.end_sample;
    demand(isInside, `${place}.speech_window_index`);
    demand(before === undefined || before.end_sample <= range.start_sample, `${place}.start_sample`);
    const chunk = before?.speech_window_index === range.speech_window_index ? before.chunk_index + 1 : 0;
    demand(range.chunk_index === chunk, `${place}.chunk_index`);
    const named = [
      ...range.scores.map(({ code }) => code),
      ...(range.decision.code === null ? [] : [range.decision.code]),
    ];
    demand(
      named.every((code) => record.languages.includes(code)),
      `${place}.languages`,
    );
    before = range;
  }
}
