import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { LanguageRanges } from '../../contract/sources/languages.ts';
import type {
  MediaProbe,
  MediaProbeTrack,
  ProbedTrack,
  ProbeResult,
  SealedIncompleteMedia,
  SpeechActivity,
} from '../../contract/sources/media-probe.ts';
import type { PreflightArtifactKind, PreflightBundle } from '../../contract/sources/preflight-bundle.ts';
import { type ContentRef, contentHashOf, type MeasuredRecords, type Sealed, sealedContentOf } from './sealed-record.ts';

interface MediaProbeInput {
  readonly media: ContentRef;
  /** The path of the media below the source's folder. */
  readonly mediaPath: string;
  readonly probe: ProbeResult;
  readonly tools: readonly ToolIdentity[];
}

/** The probe's milliseconds as the record's seconds. */
const secondsOf = (ms: number): number => ms / 1000;

/** Cover art, data and attachments are `other`: no player shows them as a track. */
function recordedTrack(track: ProbedTrack): MediaProbeTrack {
  const { index, codec, durationMs, language, width, height, sampleRate, channels } = track;
  const stated = {
    ...(durationMs === null ? {} : { duration: secondsOf(durationMs) }),
    ...(language === null ? {} : { language }),
  };
  if (track.isCoverArt) return { index, type: 'other', codec, ...stated };
  switch (track.type) {
    case 'video': {
      const size = width === undefined || height === undefined ? {} : { width, height };
      return { index, type: 'video', codec, ...stated, ...size };
    }
    case 'audio': {
      const layout = sampleRate === undefined || channels === undefined ? {} : { sample_rate: sampleRate, channels };
      return { index, type: 'audio', codec, ...stated, ...layout, ...(track.isDefault ? { default: true } : {}) };
    }
    case 'subtitle':
      return { index, type: 'subtitle', codec, ...stated };
    default:
      return { index, type: 'other', codec, ...stated };
  }
}

/** The note on incomplete media in the seconds of sealed records; undefined for whole media. */
function sealedNoteOf({ incomplete }: ProbeResult): SealedIncompleteMedia | undefined {
  if (incomplete === undefined) return undefined;
  const { cause, statedMs, measuredMs } = incomplete;
  return { cause, stated: statedMs === null ? null : secondsOf(statedMs), measured: secondsOf(measuredMs) };
}

/** The fields that only some media have. */
function exceptions(probe: ProbeResult): Pick<MediaProbe, 'start_offset' | 'incomplete_media'> {
  const { startOffsetMs } = probe;
  const note = sealedNoteOf(probe);
  return {
    ...(startOffsetMs === undefined ? {} : { start_offset: secondsOf(startOffsetMs) }),
    ...(note === undefined ? {} : { incomplete_media: note }),
  };
}

/** The probe record of a sealed file. Equal bytes under equal tools give equal records. */
export const mediaProbeOf = ({ media, mediaPath, probe, tools }: MediaProbeInput): MediaProbe => ({
  schema: 'studio.media-probe.v1',
  producer: 'scripts/probe-media.mjs',
  run: { tools: [...tools] },
  media: { path: mediaPath },
  input: { content_id: media.contentId, hash: contentHashOf(media.contentId), bytes: media.bytes },
  duration: secondsOf(probe.durationMs),
  ...exceptions(probe),
  container: [...probe.containerNames],
  container_long_name: probe.containerLongName,
  bit_rate: probe.bitRate,
  tracks: probe.tracks.map(recordedTrack),
});

const suffixes = {
  'studio.preflight-bundle.v1': '',
  'studio.preflight-bundle.v2': ':speech-v1',
  'studio.preflight-bundle.v3': ':speech-v1:language-v1',
} as const satisfies Record<PreflightBundle['schema'], string>;

/** The id of a preflight: the media, and which kinds of evidence come with it. */
const preflightIdOf = (schema: PreflightBundle['schema'], mediaContentId: string): string =>
  `preflight:${mediaContentId}${suffixes[schema]}`;

const preflightArtifactIdOf = (kind: PreflightArtifactKind, contentId: string): string => `${kind}:${contentId}`;

/** Signed 16-bit samples. */
const bytesPerSample = 2;

const digests = (models: readonly { readonly digest: string }[]): string[] => models.map(({ digest }) => digest);

/** The basis of speech activity: the media, the decoded samples, the models. */
const speechLineage = (record: SpeechActivity): string[] => [
  record.input.source_content_id,
  record.input.audio_content_id,
  ...digests(record.run.models),
];

/** The basis of language ranges: the media, the speech activity, the decoded samples, the models. */
const languageLineage = (record: LanguageRanges): string[] => [
  record.input.source_content_id,
  record.input.speech_activity_content_id,
  record.input.audio_content_id,
  ...digests(record.run.models),
];

const artifactOf = <Kind extends PreflightArtifactKind, Class extends string, Path extends string | null>(
  kind: Kind,
  mediaClass: Class,
  file: ContentRef & { readonly path: Path },
  producer: string,
  lineage: readonly string[],
) => ({
  artifact_id: preflightArtifactIdOf(kind, file.contentId),
  kind,
  class: mediaClass,
  path: file.path,
  content: sealedContentOf(file),
  producer,
  source_content_ids: [...lineage],
});

const measuredBy = (artifact: { readonly artifact_id: string }) =>
  ({ status: 'measured', artifact_id: artifact.artifact_id }) as const;

const notMeasured = { status: 'not_measured', artifact_id: null } as const;

function speechArtifacts({ file, record }: Sealed<SpeechActivity>) {
  const { audio_content_id: contentId, audio_samples: samples, source_content_id } = record.input;
  const decoded = { contentId, bytes: samples * bytesPerSample, path: null };
  return {
    audio: artifactOf('speech-detector-audio', 'derived', decoded, record.producer, [source_content_id]),
    activity: artifactOf('speech-activity', 'non_media', file, record.producer, speechLineage(record)),
  };
}

/** The preflight of a source: v1 without evidence, v2 with speech activity, v3 with language ranges over it. */
export function preflightOf(records: MeasuredRecords): PreflightBundle {
  const { media, sourceReceipt, mediaProbe, speechActivity, languageRanges } = records;
  const { producer, receipt_id } = sourceReceipt.record;
  const raw = artifactOf('raw-media', 'raw', media, producer, []);
  const receipt = artifactOf('source-receipt', 'non_media', sourceReceipt.file, producer, [media.contentId]);
  const probe = artifactOf('container-probe', 'non_media', mediaProbe.file, mediaProbe.record.producer, [
    media.contentId,
  ]);
  const head = <Schema extends PreflightBundle['schema']>(schema: Schema) => ({
    schema,
    producer: 'studio.source-preflight',
    preflight_id: preflightIdOf(schema, media.contentId),
    source: { receipt_id, receipt_artifact_id: receipt.artifact_id, raw_artifact_id: raw.artifact_id },
  });
  const findings = {
    container_tracks: measuredBy(probe),
    speech_activity: notMeasured,
    language_ranges: notMeasured,
    acoustic_ranges: notMeasured,
    speaker_overlap: notMeasured,
    complexity: notMeasured,
  };
  const note = 'What is not measured here is unknown; nothing may be concluded from its absence.';
  if (speechActivity === null) {
    return { ...head('studio.preflight-bundle.v1'), artifacts: [raw, receipt, probe], findings, note };
  }
  const { audio, activity } = speechArtifacts(speechActivity);
  const withSpeech = { ...findings, speech_activity: measuredBy(activity) };
  if (languageRanges === null) {
    return {
      ...head('studio.preflight-bundle.v2'),
      artifacts: [raw, receipt, probe, audio, activity],
      findings: withSpeech,
      note,
    };
  }
  const { file, record } = languageRanges;
  const ranges = artifactOf('language-ranges', 'non_media', file, record.producer, languageLineage(record));
  return {
    ...head('studio.preflight-bundle.v3'),
    artifacts: [raw, receipt, probe, audio, activity, ranges],
    findings: { ...withSpeech, language_ranges: measuredBy(ranges) },
    note,
  };
}
