import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { EvidenceArtifact, SpeechFact } from '../../contract/evidence/evidence.ts';
import type { LanguageRanges } from '../../contract/sources/languages.ts';
import type { SampleWindow, SpeechActivity } from '../../contract/sources/media-probe.ts';
import type { SampleGold } from '../../fixtures/sample/gold.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';

const samplesPerMs = 16;

const windowsOf = (artifact: EvidenceArtifact, kind: SpeechFact['kind']): SampleWindow[] =>
  artifact.facts.flatMap((fact) =>
    fact.kind === kind && 'startSample' in fact
      ? [{ index: fact.index, start_sample: fact.startSample, end_sample: fact.endSample }]
      : [],
  );

/** The speech-activity record of what the host's own detector measured over the whole sample. */
export function speechActivityOf(measured: EvidenceArtifact, decoder: ToolIdentity): SpeechActivity {
  const { derivedAudio, sourceContentId, trackIndex } = measured.input;
  if (derivedAudio === null || trackIndex === null) throw new Error('no sound was measured');
  const samplesPerFrame = Number(measured.parameters.frameSamples);
  return {
    schema: 'studio.speech-activity.v1',
    producer: 'studio.speech-detector',
    run: { tools: [decoder], models: [measured.tool] },
    input: {
      source_content_id: sourceContentId,
      track_index: trackIndex,
      audio_content_id: derivedAudio.contentId,
      audio_samples: derivedAudio.samples,
    },
    normalization: { sample_rate: 16000, channels: 1, encoding: 's16le' },
    configuration: measured.parameters,
    frames: { samples_per_frame: samplesPerFrame, count: Math.ceil(derivedAudio.samples / samplesPerFrame) },
    speech_windows: windowsOf(measured, 'speech_window'),
    non_speech_windows: windowsOf(measured, 'non_speech_window'),
  };
}

/**
 * The language of each measured stretch of speech, taken from the script of the sample. No language was measured, so there
 * are no scores and no confidence, and the producer names the script.
 */
export function scriptedLanguages(
  speech: SpeechActivity,
  speechContentId: string,
  utterances: SampleGold['utterances'],
): LanguageRanges {
  return {
    schema: 'studio.language-ranges.v1',
    producer: 'studio.fixture-script',
    run: { tools: [], models: [] },
    input: {
      source_content_id: speech.input.source_content_id,
      speech_activity_content_id: speechContentId,
      audio_content_id: speech.input.audio_content_id,
    },
    configuration: { method: 'constructed from the known script', scriptContentId: contentIdOfJson(utterances) },
    languages: ['ko', 'en'],
    ranges: speech.speech_windows.flatMap((window) => rangesWithin(window, utterances)),
  };
}

const rangesWithin = (window: SampleWindow, utterances: SampleGold['utterances']): LanguageRanges['ranges'] =>
  utterances
    .map(({ startMs, endMs, language }) => ({
      start_sample: Math.max(window.start_sample, startMs * samplesPerMs),
      end_sample: Math.min(window.end_sample, endMs * samplesPerMs),
      language,
    }))
    .filter(({ start_sample, end_sample }) => start_sample < end_sample)
    .map(({ start_sample, end_sample, language }, chunk) => ({
      speech_window_index: window.index,
      chunk_index: chunk,
      start_sample,
      end_sample,
      scores: [],
      decision: {
        status: 'classified',
        code: language,
        token_id: null,
        probability: null,
        margin: null,
        reason: null,
      },
    }));
