import { type SilenceFact, silenceFact } from '../contract/evidence/evidence.ts';
import { passagesLine, spread, windows } from './found.ts';
import { type DetectorKind, statedNumber } from './kind.ts';
import { SILENCE_RULE } from './sound/silences.ts';

/** Stretches that are silent in every channel. */
export const silence: DetectorKind<'silence', SilenceFact> = {
  name: 'silence',
  title: 'silence',
  track: 'audio',
  facts: { silence: { schema: silenceFact, words: ['silence'], tone: 'silence' } },
  order: 'successive',
  measured: ['programmeDbfs', 'floorDbfs', 'thresholdDbfs'],
  terminal: { words: (finding) => passagesLine('Silence', finding) },
  lane: { place: 30, about: 'pictures_and_sound', backdrop: null },
  summary: { words: ['Silence: ', ...spread, '.'] },
  row: { usual: true, name: () => 'silence' },
  found: windows,
  /**
   * Silent stretches lie below a threshold that follows from the measured levels, for as long as the parameters demand. Versions
   * that stated no window measured by another rule.
   */
  contradiction: (evidence) => {
    const [leastMs, gate, below, above] = ['minimumMs', 'absoluteGateDbfs', 'belowProgrammeDb', 'aboveFloorDb'].map(
      (name) => statedNumber(evidence, name),
    );
    if (leastMs == null || gate == null || below == null || above == null) return null;
    const [programme, floor] = [statedNumber(evidence, 'programmeDbfs'), statedNumber(evidence, 'floorDbfs')];
    const levels = [
      gate,
      ...(programme === null ? [] : [programme - below]),
      ...(floor === null ? [] : [floor + above]),
    ];
    if (statedNumber(evidence, 'thresholdDbfs') !== Math.max(...levels)) return 'parameters.thresholdDbfs';
    const short = evidence.facts.findIndex(({ startMs, endMs }) => endMs - startMs < leastMs);
    return short === -1 ? null : `facts[${short}].endMs`;
  },
  parameters: { ...SILENCE_RULE, channels: 'the loudest of left, right and centre' },
  isEstimated: false,
  /** Lays silences (milliseconds from the start of the range) on the source's own time line. */
  ofSound: ({ silences }, { startMs, endMs }) => ({
    facts: silences.spans.map(([from, to], index) => ({
      kind: 'silence',
      index,
      startMs: startMs + from,
      endMs: Math.min(startMs + to, endMs),
    })),
    measured: { ...silences.levels },
  }),
};
