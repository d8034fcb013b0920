import type { Range } from '../../contract/base/grammar.ts';
import type { SpeechFact } from '../../contract/evidence/evidence.ts';
import { SAMPLES_PER_MS, type SampleSpan } from '../detector/sound-signals.ts';

/**
 * Lays windows of speech (samples from the start of the range) on the source's own time line and fills what is left
 * with windows of non-speech, so that both together cover the range once, without a gap. Each kind is
 * counted from 0. Windows must be ordered and disjoint; what lies beyond the range is cut off.
 */
export function speechFacts(speech: readonly SampleSpan[], range: Range): SpeechFact[] {
  const origin = range.startMs * SAMPLES_PER_MS;
  const end = range.endMs * SAMPLES_PER_MS;
  const facts: SpeechFact[] = [];
  const counts = { speech_window: 0, non_speech_window: 0 };
  let covered = origin;
  const add = (kind: SpeechFact['kind'], endSample: number) => {
    if (endSample <= covered) return;
    facts.push({
      kind,
      index: counts[kind]++,
      startSample: covered,
      endSample,
      startMs: Math.floor(covered / SAMPLES_PER_MS),
      endMs: Math.ceil(endSample / SAMPLES_PER_MS),
    });
    covered = endSample;
  };
  for (const span of speech) {
    add('non_speech_window', Math.min(origin + span.start, end));
    add('speech_window', Math.min(origin + span.end, end));
  }
  add('non_speech_window', end);
  return facts;
}
