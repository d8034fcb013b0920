import { z } from 'zod';
import { contentId, count, positive } from '../base/grammar.ts';
import { parameters } from '../evidence/evidence.ts';
import { evidenceRun } from './sealed-file.ts';

/** A half-open run of 16 kHz samples from the start of the source. */
export const sampleWindow = z
  .strictObject({ index: count, start_sample: count, end_sample: positive })
  .refine((window) => window.start_sample < window.end_sample, 'a window must not be empty');

/** Where speech is, measured over a whole source; both lists together cover it once. */
export const speechActivity = z.strictObject({
  schema: z.literal('studio.speech-activity.v1'),
  producer: z.string().min(1),
  run: evidenceRun,
  input: z.strictObject({
    source_content_id: contentId,
    track_index: count,
    audio_content_id: contentId,
    audio_samples: positive,
  }),
  normalization: z.strictObject({
    sample_rate: z.literal(16000),
    channels: z.literal(1),
    encoding: z.literal('s16le'),
  }),
  configuration: parameters,
  frames: z.strictObject({ samples_per_frame: positive, count: positive }),
  speech_windows: z.array(sampleWindow),
  non_speech_windows: z.array(sampleWindow),
});

export type SampleWindow = z.infer<typeof sampleWindow>;
export type SpeechActivity = z.infer<typeof speechActivity>;
