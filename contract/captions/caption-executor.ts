import { z } from 'zod';
import { contentId, identityOf } from '../base/grammar.ts';
import { captionTranslator } from './caption-translator.ts';

const name = identityOf(200);

const common = {
  version: z.literal('1'),
  cognitionClaim: z.literal('none'),
  recognizer: name,
  translator: name,
  /** The stored text that the source side was taken from; null where it was not taken from a stored text. */
  sourceCaptionContentId: contentId.nullable(),
};

/** Who produces captions, and what its words are worth: no executor of this host claims to have understood anything. */
export const captionExecutor = z.discriminatedUnion('classification', [
  z.strictObject({
    id: z.literal('studio.recorded-caption-fixture-adapter'),
    classification: z.literal('recorded_real_pipeline_fixture'),
    executionScope: z.literal('test_demo_only'),
    ...common,
  }),
  z.strictObject({
    id: z.literal('studio.deterministic-current-run-caption-test-seam'),
    classification: z.literal('deterministic_current_run_test_seam'),
    executionScope: z.literal('current_run'),
    ...common,
  }),
  z.strictObject({
    id: z.literal('studio.embedded-subtitle-caption-producer'),
    classification: z.literal('embedded_subtitle_tracks'),
    executionScope: z.literal('current_run'),
    ...common,
  }),
  /** The media's own tracks, as groups of cues that belong together however each track splits its sentences. */
  z.strictObject({
    id: z.literal('studio.grouped-subtitle-caption-producer'),
    classification: z.literal('grouped_subtitle_tracks'),
    executionScope: z.literal('current_run'),
    ...common,
  }),
  /** Lines of the study's own transcript; both sides are one language. `recognizer` names the engine that wrote it. */
  z.strictObject({
    id: z.literal('studio.recognised-caption-producer'),
    classification: z.literal('recognised_transcript'),
    executionScope: z.literal('current_run'),
    ...common,
  }),
  /** The same, put before a model for the other language; digests name the words and settings with which it is asked. */
  z.strictObject({
    id: z.literal('studio.recognised-translated-caption-producer'),
    classification: z.literal('recognised_transcript_translated'),
    executionScope: z.literal('current_run'),
    ...common,
    ...captionTranslator.shape,
  }),
]);

export type CaptionExecutorIdentity = z.infer<typeof captionExecutor>;
export type CaptionClassification = CaptionExecutorIdentity['classification'];
