import { z } from 'zod';
import { contentId, count, languageTag } from '../base/grammar.ts';
import { wellFormedText } from '../base/text.ts';

/** Most characters of a line: no one says so much in one region. */
export const maximumLineCharacters = 4096;

/** The gates by which transcripts are judged, as a transcript states them among its parameters. */
export const transcriptGates = 2;
/** The first gates look for one invented phrase at a time, and let notes of sounds pass. */
export const firstTranscriptGates = 1;
export type TranscriptGates = typeof transcriptGates | typeof firstTranscriptGates;

const span = { startMs: count, endMs: count };

/** What a recogniser said, as one line: no control characters, and of spaces single ones between words alone. */
export const recognisedText = wellFormedText
  .min(1)
  .max(maximumLineCharacters)
  .refine((text) => text === text.replace(/\s+/gu, ' ').trim(), 'must be one line without spaces around it')
  .refine((text) => !/\p{Cc}/u.test(text), 'must not have control characters');

const text = recognisedText;

const share = z.number().min(0).max(1).nullable();

/**
 * Why a recognised line is withheld, in the order in which a line lists its reasons. `no_speech_evidence`: detected speech
 * does not carry it, or it is not words alone. `repetition`: a loop. `low_confidence`: the recogniser itself doubts it, or is known to invent it.
 * `compression`: a text too regular for speech. `language_mismatch`: not in the language that the study declared.
 * `boundary_only`: it lies at the edge of what was heard. `disagreement`: a second run heard something else.
 */
export const gateReasons = [
  'no_speech_evidence',
  'repetition',
  'low_confidence',
  'compression',
  'language_mismatch',
  'boundary_only',
  'disagreement',
] as const;

export const gateReason = z.enum(gateReasons);
export type GateReason = z.infer<typeof gateReason>;

/**
 * One region of detected speech with the padding around it, as a recogniser was given it: by itself, at 16 kHz in mono.
 * `heard` names the samples; they are not kept. `language` is what the recogniser said that it heard, in its own words.
 */
export const recognisedRegionFact = z.strictObject({
  kind: z.literal('recognised_region'),
  index: count,
  ...span,
  heard: z.strictObject({ samples: count, contentId }),
  language: z.string().min(1).max(64).nullable(),
});

/** A word on the source's own time line; `confidence` is null where the recogniser gives none. */
export const transcriptWord = z.strictObject({ text, ...span, confidence: share });

/**
 * What a recogniser says of its own line: null where it does not. `confidence` is the mean of its words, 0 to 1;
 * `averageLogProbability` and `compressionRatio` are those of Whisper and its relatives. `noSpeechProbability` is recorded
 * and judges nothing: whisper.cpp reads it from the wrong place.
 */
export const lineMeasures = z.strictObject({
  confidence: share,
  averageLogProbability: z.number().nullable(),
  compressionRatio: z.number().nullable(),
  noSpeechProbability: share,
});

/**
 * A line that was recognised in one region: recognised, not said. The gates decide from the line, its region and the
 * study's own speech activity whether it is shown; a line that they withhold keeps its text here and appears nowhere else.
 * `identified` is the language of the text by script or n-grams; `second` is what a second run recognised in its time.
 */
export const transcriptLineFact = z.strictObject({
  kind: z.literal('transcript_line'),
  index: count,
  ...span,
  regionIndex: count,
  speaker: z.literal('unknown'),
  text,
  words: z.array(transcriptWord),
  measures: lineMeasures,
  identified: languageTag.nullable(),
  second: z.string().max(maximumLineCharacters).nullable(),
  outcome: z.enum(['passed', 'withheld']),
  reasonCodes: z.array(gateReason),
});

export type RecognisedRegionFact = z.infer<typeof recognisedRegionFact>;
export type TranscriptWord = z.infer<typeof transcriptWord>;
export type TranscriptLineFact = z.infer<typeof transcriptLineFact>;
