import type { Range } from '../contract/base/grammar.ts';
import { type SpeechFact, speechFact } from '../contract/evidence/evidence.ts';
import { factsOf, passagesLine, windows } from './found.ts';
import { type DetectorKind, type KindParameters, stated } from './kind.ts';
import {
  APART_RULE,
  FRAME_SAMPLES,
  GAIN_RULE,
  SAMPLE_RATE,
  SAMPLES_PER_MS,
  type SampleSpan,
} from './sound/sound-signals.ts';
import {
  BAND_RULE,
  BOUNDARY_WEIGHTS_SHA256,
  SPEECH_RULE,
  STEADINESS_RULE,
  STEP_SAMPLES,
  SUPPRESSION_RULE,
} from './sound/speech-rule.ts';

/**
 * Lays windows of speech (samples from the start of the range) on the source's own time line. It fills the rest with windows of
 * non-speech, so that both together cover the range once, without a gap. Each kind is counted from 0. Windows must be ordered and
 * disjoint; parts beyond the range are cut off.
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

/** The count has all of them. */
const MOST_NAMED_WINDOWS = 256;

/**
 * Windows that do not count as speech because a model finds too little in them, named beside the facts; nothing if there are
 * none.
 */
function unconfirmedIn(spans: readonly SampleSpan[], { startMs }: Range): KindParameters {
  if (spans.length === 0) return {};
  const msOf = (sample: number): number => startMs + Math.floor(sample / SAMPLES_PER_MS);
  const named = spans.slice(0, MOST_NAMED_WINDOWS).map(({ start, end }) => `${msOf(start)}-${msOf(end)}`);
  return { unconfirmedWindows: spans.length, unconfirmedWindowsMs: named.join(', ') };
}

/** The place of the first window whose milliseconds are not those of its samples, or that has none; null without one. */
function oddWindow(facts: readonly SpeechFact[]): string | null {
  for (const [at, { startSample, endSample, startMs, endMs }] of facts.entries()) {
    if (endSample <= startSample) return `facts[${at}].endSample`;
    if (startMs !== Math.floor(startSample / SAMPLES_PER_MS)) return `facts[${at}].startMs`;
    if (endMs !== Math.ceil(endSample / SAMPLES_PER_MS)) return `facts[${at}].endMs`;
  }
  return null;
}

/** The first place at which the windows do not cover the range once, without a gap; null if they do. */
function uncovered(facts: readonly SpeechFact[], range: Range): string | null {
  const counts = { speech_window: 0, non_speech_window: 0 };
  let covered = range.startMs * SAMPLES_PER_MS;
  for (const [at, fact] of facts.entries()) {
    if (fact.index !== counts[fact.kind]++) return `facts[${at}].index`;
    if (fact.startSample !== covered) return `facts[${at}].startSample`;
    covered = fact.endSample;
  }
  return covered === range.endMs * SAMPLES_PER_MS ? null : 'facts';
}

/** Where someone speaks. */
export const detectedSpeech: DetectorKind<'speech_activity', SpeechFact> = {
  name: 'speech_activity',
  title: 'speech activity',
  track: 'audio',
  facts: {
    speech_window: { schema: speechFact, words: ['speech'], tone: 'speech' },
    non_speech_window: { schema: speechFact, words: ['no speech'], tone: 'gap' },
  },
  order: 'free',
  measured: ['channelsApart', 'channelsApartMs', 'unconfirmedWindows', 'unconfirmedWindowsMs'],
  lane: { place: 20, about: 'words', backdrop: null },
  summary: {
    words: [
      'Speech: ',
      { value: 'count', counted: ['passage', 'passages'], otherwise: '0 passages' },
      ', ',
      { value: 'total', form: 'length' },
      { value: 'share', form: 'rounded', before: ', ', after: ' % of the range' },
      '.',
    ],
  },
  terminal: { words: (finding) => passagesLine('Speech', finding) },
  row: { usual: true, name: ({ kind }) => (kind === 'speech_window' ? 'speech' : null) },
  found: (facts, range) => windows(factsOf(facts, 'speech_window'), range),
  contradiction: ({ facts, input: { range, derivedAudio } }) => {
    // A range has no more samples than its length.
    if (derivedAudio != null && derivedAudio.samples > (range.endMs - range.startMs) * SAMPLES_PER_MS)
      return 'input.derivedAudio.samples';
    return oddWindow(facts) ?? uncovered(facts, range);
  },
  parameters: {
    ...SPEECH_RULE,
    ...stated({ suppression: SUPPRESSION_RULE }),
    ...GAIN_RULE,
    ...stated({ boundary: { ...BAND_RULE, stepSamples: STEP_SAMPLES } }),
    ...stated({ steadiness: STEADINESS_RULE }),
    'boundary.weights': `sha256:${BOUNDARY_WEIGHTS_SHA256}`,
    signals: 'the mix of all channels, and left, right and centre where they are apart',
    ...APART_RULE,
    sampleRate: SAMPLE_RATE,
    frameSamples: FRAME_SAMPLES,
    beyondAudio: 'non_speech',
  },
  isEstimated: true,
  ofSound: ({ speech, unconfirmed, apart }, range) => ({
    facts: speechFacts(speech, range),
    measured: {
      ...(apart.ms === 0 ? {} : { channelsApart: apart.channels.join(', '), channelsApartMs: apart.ms }),
      ...unconfirmedIn(unconfirmed, range),
    },
  }),
};
