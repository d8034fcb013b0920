/**
 * Why captions of a study would have no line. `nothing_recognised` and `no_line_passed` speak of its transcript,
 * `no_translator` of an executor that cannot lead from its source language to its target language, `no_supported_line` of
 * lines that the evidence of the study does not carry.
 */
export const linesAbsences = [
  'no_lines_of_this_run',
  'no_text_track',
  'no_cue_in_range',
  'not_recognised',
  'nothing_recognised',
  'no_line_passed',
  'no_translator',
  'no_supported_line',
] as const;

export interface LinesAbsence {
  readonly reason: (typeof linesAbsences)[number];
  /** For people. */
  readonly text: string;
}
