import type { z } from 'zod';
import { type LanguageRange, type LanguageRanges, languageRanges } from '../../contract/sources/languages.ts';
import {
  mediaProbe,
  type SampleWindow,
  type SpeechActivity,
  speechActivity,
} from '../../contract/sources/media-probe.ts';
import {
  type PreflightArtifact,
  type PreflightBundle,
  preflightBundle,
} from '../../contract/sources/preflight-bundle.ts';
import {
  SourceInconsistent,
  type SourceReceipt,
  sourceReceipt,
  type VideohostLocalReceipt,
} from '../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { type VideohostResolution, videohostResolution } from '../../contract/sources/videohost-resolution.ts';
import { resultOfSteps, type Steps } from '../../formats/steps.ts';
import { preflightOf } from './preflight.ts';
import {
  type ContentRef,
  contentHashOf,
  contentRefOf,
  demandDuration,
  demandSealed,
  preflightPaths,
  readSealedRecord,
  type Sealed,
  type SealedFile,
  type SealedSourceRecords,
  sealedContentOf,
  sealedPaths,
  staysInside,
} from './sealed-record.ts';
import { ownedReceiptIdOf } from './source-receipt.ts';
import { durationMsOf, registeredSourceOf } from './source-session.ts';
import { openSubtitles, verifySubtitles } from './subtitle-track.ts';
import {
  canonicalUrlOf,
  rangeToleranceMs,
  resolutionIdOf,
  videohostLabelsOf,
  videohostReceiptIdOf,
} from './videohost.ts';

export type RecordKind = 'source-receipt' | 'container-probe' | 'speech-activity' | 'language-ranges' | 'resolution';

/** All files of one source: the media by what was found when it was hashed, the records by their bytes. */
export interface SealedChain {
  readonly media: ContentRef;
  readonly preflight: Uint8Array;
  /** The records that the preflight names, by their kind in it, and the resolution that a receipt names. */
  readonly records: Readonly<Partial<Record<RecordKind, Uint8Array>>>;
  /** The subtitle files that the receipt names, by their content; absent where it names none. */
  readonly subtitles?: ReadonlyMap<string, Uint8Array>;
}

/** Reads the preflight, which names every other file of a source. Throws `SourceInconsistent`. */
export const readPreflight = (bytes: Uint8Array): PreflightBundle =>
  readSealedRecord(preflightBundle, bytes, 'preflight');

/** A file of the preflight, by its path. Throws `source_outside_root` if its path would leave the folder. */
export function sealedFileOf({ kind, path, content }: PreflightArtifact & { readonly path: string }): SealedFile {
  if (!staysInside(path)) throw new SourceInconsistent('source_outside_root', `preflight.artifacts.${kind}.path`);
  return { contentId: content.id, bytes: content.bytes, path };
}

function demandContent(found: ContentRef, sealed: ContentRef, kind: string): void {
  if (found.contentId === sealed.contentId && found.bytes === sealed.bytes) return;
  throw new SourceInconsistent('content_mismatch', `preflight.artifacts.${kind}.content`);
}

/**
 * Reads all records of a source after comparing every file with the preflight. The statements of records about each other are not
 * compared yet. Throws `SourceInconsistent`.
 */
function* openChain(chain: SealedChain): Steps<SealedSourceRecords> {
  const preflight = readPreflight(chain.preflight);
  const artifacts: readonly PreflightArtifact[] = preflight.artifacts;

  function openRecord<Schema extends z.ZodType<object>>(
    schema: Schema,
    kind: RecordKind,
  ): Sealed<z.infer<Schema>> | null {
    const artifact = artifacts.find((candidate) => candidate.kind === kind);
    if (artifact === undefined || artifact.path === null) return null;
    const file = sealedFileOf(artifact);
    const bytes = chain.records[kind];
    if (bytes === undefined) throw new SourceInconsistent('file_missing', `preflight.artifacts.${kind}`);
    demandContent(contentRefOf(bytes), file, kind);
    return { record: readSealedRecord(schema, bytes, kind), file };
  }

  function openResolution(receipt: SourceReceipt): SealedSourceRecords['resolution'] {
    if (receipt.kind !== 'videohost_local') return null;
    const bytes = chain.records.resolution;
    if (bytes === undefined) throw new SourceInconsistent('file_missing', 'source-receipt.resolution');
    const found = contentRefOf(bytes);
    if (found.contentId !== receipt.resolution.content_id) {
      throw new SourceInconsistent('content_mismatch', 'source-receipt.resolution.content_id');
    }
    const record = readSealedRecord(videohostResolution, bytes, 'resolution');
    return { record, file: { ...found, path: sealedPaths.resolution } };
  }

  const [raw] = preflight.artifacts;
  const media = sealedFileOf(raw);
  demandContent(chain.media, media, raw.kind);
  const receipt = openRecord(sourceReceipt, 'source-receipt');
  const probe = openRecord(mediaProbe, 'container-probe');
  if (receipt === null || probe === null) throw new SourceInconsistent('record_malformed', 'preflight.artifacts');
  return {
    media,
    sourceReceipt: receipt,
    mediaProbe: probe,
    speechActivity: openRecord(speechActivity, 'speech-activity'),
    languageRanges: openRecord(languageRanges, 'language-ranges'),
    preflight: {
      record: preflight,
      file: { ...contentRefOf(chain.preflight), path: preflightPaths[preflight.schema] },
    },
    resolution: openResolution(receipt.record),
    ...(yield* openSubtitles(receipt.record, chain.subtitles ?? new Map())),
  };
}

const samplesPerMs = 16;

const demand = (holds: boolean, place: string): void => {
  if (!holds) throw new SourceInconsistent('evidence_invalid', place);
};

const countsUp = (windows: readonly SampleWindow[]): boolean => windows.every(({ index }, at) => index === at);

/**
 * Checks that speech and non-speech windows are counted from 0 and cover `durationMs` of the source once, without a gap.
 * Throws `SourceInconsistent` `evidence_invalid`.
 */
function verifySpeechWindows(record: SpeechActivity, durationMs: number): void {
  const { frames, input, speech_windows: speech, non_speech_windows: rest } = record;
  demand(frames.count === Math.ceil(input.audio_samples / frames.samples_per_frame), 'speech-activity.frames');
  demand(countsUp(speech), 'speech-activity.speech_windows');
  demand(countsUp(rest), 'speech-activity.non_speech_windows');
  let covered = 0;
  for (const window of [...speech, ...rest].sort((a, b) => a.start_sample - b.start_sample)) {
    demand(window.start_sample === covered, 'speech-activity.windows');
    covered = window.end_sample;
  }
  demand(covered === durationMs * samplesPerMs, 'speech-activity.windows');
}

/**
 * Checks that language ranges are ordered, disjoint, counted per window and inside their speech windows, and that they
 * name no language outside the record's list. Throws `SourceInconsistent` `evidence_invalid`.
 */
function verifyLanguageRanges(record: LanguageRanges, speech: SpeechActivity): void {
  let before: LanguageRange | undefined;
  for (const [index, range] of record.ranges.entries()) {
    const place = `language-ranges.ranges.${index}`;
    const window = speech.speech_windows[range.speech_window_index];
    const isInside =
      window !== undefined && window.start_sample <= range.start_sample && range.end_sample <= window.end_sample;
    demand(isInside, `${place}.speech_window_index`);
    demand(before === undefined || before.end_sample <= range.start_sample, `${place}.start_sample`);
    const chunk = before?.speech_window_index === range.speech_window_index ? before.chunk_index + 1 : 0;
    demand(range.chunk_index === chunk, `${place}.chunk_index`);
    const named = [
      ...range.scores.map(({ code }) => code),
      ...(range.decision.code === null ? [] : [range.decision.code]),
    ];
    demand(
      named.every((code) => record.languages.includes(code)),
      `${place}.languages`,
    );
    before = range;
  }
}

/**
 * Compares the receipt of a range with its host's description of the video, and the range with the measured seconds. Throws
 * `SourceInconsistent`.
 */
function verifyVideohost(receipt: VideohostLocalReceipt, said: VideohostResolution, measured: number): void {
  const { video, schema, resolution_id, producer, tool } = said;
  demandSealed('identity_mismatch', 'resolution.resolution_id', resolution_id, resolutionIdOf(said));
  const canonicalUrl = canonicalUrlOf(video.extractor, video.external_id, video.canonical_url);
  demandSealed('identity_mismatch', 'resolution.video.canonical_url', video.canonical_url, canonicalUrl);
  const { content_id: _, ...named } = receipt.resolution;
  demandSealed('link_mismatch', 'source-receipt.resolution', named, { schema, resolution_id, producer, tool });
  demandSealed('link_mismatch', 'source-receipt.origin', receipt.origin, {
    kind: 'video_host',
    canonical_url: video.canonical_url,
    external_id: video.external_id,
    creator: video.creator,
  });
  if (!videohostLabelsOf(video.title, video.external_id).includes(receipt.label)) {
    throw new SourceInconsistent('link_mismatch', 'source-receipt.label');
  }
  const { provider_start_ms: startMs, provider_end_ms: endMs } = receipt.selection;
  if (startMs >= endMs || endMs > video.duration_ms) {
    throw new SourceInconsistent('link_mismatch', 'source-receipt.selection');
  }
  demandDuration([(endMs - startMs) / 1000], measured, rangeToleranceMs);
}

/** How far the selected duration may be from the measured one, in ms. */
const durationToleranceMs = 150;

function verifyProbe({ media, mediaProbe }: SealedSourceRecords): void {
  const { input, media: measured } = mediaProbe.record;
  const derived = { content_id: media.contentId, hash: contentHashOf(media.contentId), bytes: media.bytes };
  demandSealed('link_mismatch', 'container-probe.input', input, derived);
  demandSealed('link_mismatch', 'container-probe.media.path', measured.path, media.path);
}

function verifyReceipt({ media, sourceReceipt, mediaProbe }: SealedSourceRecords): void {
  const { kind, receipt_id, content, raw_media, derived_artifacts } = sourceReceipt.record;
  const [probe] = derived_artifacts;
  demandSealed('link_mismatch', 'source-receipt.content', content, sealedContentOf(media));
  const receiptIdOf = kind === 'owned_local' ? ownedReceiptIdOf : videohostReceiptIdOf;
  demandSealed('identity_mismatch', 'source-receipt.receipt_id', receipt_id, receiptIdOf(media.contentId));
  const { path, content_id, bytes } = raw_media;
  demandSealed('link_mismatch', 'source-receipt.raw_media', { path, contentId: content_id, bytes }, media);
  demandSealed('link_mismatch', 'source-receipt.derived_artifacts.path', probe.path, mediaProbe.file.path);
  demandSealed('link_mismatch', 'source-receipt.derived_artifacts.source_content_ids', probe.source_content_ids, [
    media.contentId,
  ]);
  const probeHash = contentHashOf(mediaProbe.file.contentId);
  demandSealed('link_mismatch', 'source-receipt.derived_artifacts.content_hash', probe.content_hash, probeHash);
  const { incomplete_media: noted } = mediaProbe.record;
  const { incomplete_media: admitted } = sourceReceipt.record;
  demandSealed('link_mismatch', 'source-receipt.incomplete_media', admitted ?? null, noted ?? null);
  demandDuration(selectedSeconds(sourceReceipt.record), mediaProbe.record.duration, durationToleranceMs);
}

function verifyResolution({ sourceReceipt: { record: receipt }, mediaProbe, resolution }: SealedSourceRecords): void {
  if (receipt.kind !== 'videohost_local' || resolution === null) return;
  verifyVideohost(receipt, resolution.record, mediaProbe.record.duration);
}

/** The durations that a receipt states of its media. */
function selectedSeconds(receipt: SourceReceipt): number[] {
  if (receipt.kind === 'owned_local') {
    const { start, end, duration } = receipt.selection;
    return [duration, end - start];
  }
  const { local_start, local_end, duration } = receipt.selection;
  return [duration, local_end - local_start];
}

/** The preflight must be the one that follows from the records that it names. */
function verifyPreflight(records: SealedSourceRecords): void {
  const { record } = records.preflight;
  const derived = preflightOf(records);
  demandSealed('identity_mismatch', 'preflight.preflight_id', record.preflight_id, derived.preflight_id);
  for (const [index, artifact] of record.artifacts.entries()) {
    const place = `preflight.artifacts.${artifact.kind}`;
    const { artifact_id, ...rest } = artifact;
    const { artifact_id: derivedId, ...derivedRest } = derived.artifacts[index] ?? { artifact_id: null };
    demandSealed('link_mismatch', place, rest, derivedRest);
    demandSealed('identity_mismatch', `${place}.artifact_id`, artifact_id, derivedId);
  }
  demandSealed('link_mismatch', 'preflight.source', record.source, derived.source);
  demandSealed('link_mismatch', 'preflight.findings', record.findings, derived.findings);
}

function verifyEvidence({ media, mediaProbe, speechActivity, languageRanges }: SealedSourceRecords): void {
  if (speechActivity === null) return;
  const { input } = speechActivity.record;
  demandSealed('link_mismatch', 'speech-activity.input.source_content_id', input.source_content_id, media.contentId);
  const trackType = mediaProbe.record.tracks.find(({ index }) => index === input.track_index)?.type;
  demandSealed('link_mismatch', 'speech-activity.input.track_index', trackType ?? null, 'audio');
  verifySpeechWindows(speechActivity.record, durationMsOf(mediaProbe.record));
  if (languageRanges === null) return;
  demandSealed('link_mismatch', 'language-ranges.input', languageRanges.record.input, {
    source_content_id: media.contentId,
    speech_activity_content_id: speechActivity.file.contentId,
    audio_content_id: input.audio_content_id,
  });
  verifyLanguageRanges(languageRanges.record, speechActivity.record);
}

/**
 * Verifies a sealed source as a whole: every file against its digest, every record against its schema, and every id against its
 * formula. Then every link at both ends, and the evidence against the media. It takes short steps, as there may be many subtitle
 * files. Throws `SourceInconsistent` at the first failure.
 */
export function* verifyRecords(chain: SealedChain): Steps<SealedSourceRecords> {
  const records = yield* openChain(chain);
  yield;
  verifyProbe(records);
  verifyReceipt(records);
  verifyResolution(records);
  verifySubtitles(records);
  verifyEvidence(records);
  verifyPreflight(records);
  return records;
}

/**
 * Verifies a source in short steps, and makes of it what the registry keeps. `folder` is the absolute folder of its files, or null for the
 * object store.
 */
export function* verifySourceInSteps(chain: SealedChain, folder: string | null): Steps<RegisteredSource> {
  return registeredSourceOf(yield* verifyRecords(chain), folder);
}

/** The same at once, for a source without subtitle files, and where no other work waits. */
export const verifySource = (chain: SealedChain, folder: string | null): RegisteredSource =>
  resultOfSteps(verifySourceInSteps(chain, folder));
