import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { passKinds } from '../../contract/evidence/further-evidence.ts';

type Parameters = EvidenceArtifact['parameters'];

/** What a pass states since it measures further evidence. */
const furtherMarks = [...passKinds, 'shot_changes.rule', 'speech_activity.suppression', 'speech_activity.edges'];

/** What it states since it chooses among several audio tracks by a rule. */
const ruleMarks = [...furtherMarks, 'speech_activity.signals', 'silence.belowProgrammeDb'];

const statesOne = (parameters: Parameters, marks: readonly string[]): boolean =>
  Object.keys(parameters).some((name) => marks.some((mark) => name === mark || name.startsWith(`${mark}.`)));

/** Whether the version that stated these parameters of a pass measures every kind of further evidence. */
export const measuresFurther = (parameters: Parameters): boolean => statesOne(parameters, furtherMarks);

/** Whether it names the rule by which it chose among several audio tracks. */
export const namesTrackRule = (parameters: Parameters): boolean => statesOne(parameters, ruleMarks);
