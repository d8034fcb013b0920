import { z } from 'zod';
import { contentId, identity } from '../base/grammar.ts';
import { sealedContent, sealedPath } from './media-probe.ts';

const artifactOf = <Kind extends string, Class extends string>(kind: Kind, mediaClass: Class) =>
  z.strictObject({
    artifact_id: identity,
    kind: z.literal(kind),
    class: z.literal(mediaClass),
    path: sealedPath,
    content: sealedContent,
    producer: z.string().min(1),
    source_content_ids: z.array(contentId),
  });

const rawMedia = artifactOf('raw-media', 'raw');
const sourceReceipt = artifactOf('source-receipt', 'non_media');
const containerProbe = artifactOf('container-probe', 'non_media');
/** The decoded samples of the detector. Only their digest is kept, so they have no path. */
const speechDetectorAudio = artifactOf('speech-detector-audio', 'derived').extend({ path: z.null() });
const speechActivity = artifactOf('speech-activity', 'non_media');
const languageRanges = artifactOf('language-ranges', 'non_media');

const measured = z.strictObject({ status: z.literal('measured'), artifact_id: identity });
const notMeasured = z.strictObject({ status: z.literal('not_measured'), artifact_id: z.null() });

/** The facts from before any study, each with its artifact. */
const findingsOf = <Speech extends z.ZodType, Language extends z.ZodType>(speech: Speech, language: Language) =>
  z.strictObject({
    container_tracks: measured,
    speech_activity: speech,
    language_ranges: language,
    acoustic_ranges: notMeasured,
    speaker_overlap: notMeasured,
    complexity: notMeasured,
  });

const bundleOf = <Schema extends string, Artifacts extends z.ZodType, Findings extends z.ZodType>(
  schema: Schema,
  artifacts: Artifacts,
  findings: Findings,
) =>
  z.strictObject({
    schema: z.literal(schema),
    producer: z.string().min(1),
    preflight_id: z.string().min(1),
    source: z.strictObject({ receipt_id: identity, receipt_artifact_id: identity, raw_artifact_id: identity }),
    artifacts,
    findings,
    note: z.string(),
  });

const preflightV1 = bundleOf(
  'studio.preflight-bundle.v1',
  z.tuple([rawMedia, sourceReceipt, containerProbe]),
  findingsOf(notMeasured, notMeasured),
);

const preflightV2 = bundleOf(
  'studio.preflight-bundle.v2',
  z.tuple([rawMedia, sourceReceipt, containerProbe, speechDetectorAudio, speechActivity]),
  findingsOf(measured, notMeasured),
);

const preflightV3 = bundleOf(
  'studio.preflight-bundle.v3',
  z.tuple([rawMedia, sourceReceipt, containerProbe, speechDetectorAudio, speechActivity, languageRanges]),
  findingsOf(measured, measured),
);

/** Everything that was measured of a source before any study, each file with its digest and what it was made from. */
export const preflightBundle = z.discriminatedUnion('schema', [preflightV1, preflightV2, preflightV3]);

export type PreflightBundle = z.infer<typeof preflightBundle>;
export type PreflightArtifact = PreflightBundle['artifacts'][number];
export type PreflightArtifactKind = PreflightArtifact['kind'];
