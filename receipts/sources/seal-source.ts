import type { z } from 'zod';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { languageRanges } from '../../contract/sources/languages.ts';
import { type ProbeResult, speechActivity } from '../../contract/sources/media-probe.ts';
import { type SourceReceipt, sourceReceipt } from '../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { SealedSubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import type { VideohostResolution } from '../../contract/sources/videohost-resolution.ts';
import { indentedFile } from '../../formats/canonical-json.ts';
import type { Steps } from '../../formats/steps.ts';
import { mediaProbeOf, preflightOf } from './preflight.ts';
import {
  type ContentRef,
  contentRefOf,
  preflightPaths,
  readSealedRecord,
  type Sealed,
  sealedPaths,
} from './sealed-record.ts';
import { type DescribedMedia, type OwnershipClaim, ownedReceiptOf } from './source-receipt.ts';
import { subtitleFilesOf } from './subtitle-track.ts';
import { type SealedChain, verifyRecords, verifySource, verifySourceInSteps } from './verify-source.ts';
import { type VideohostClaim, videohostReceiptOf, videohostResolutionOf } from './videohost.ts';

/** Evidence files that were pinned to the same media before, byte for byte. */
export interface PinnedFiles {
  readonly speechActivity: Uint8Array;
  readonly languageRanges: Uint8Array | null;
}

/** Media that was measured, whatever way it came. */
export interface MeasuredMedia {
  readonly media: ContentRef;
  /** The path of the media below a source's folder; `media/original` unless a folder is being built. */
  readonly mediaPath?: string;
  readonly probe: ProbeResult;
  /** The tools that probed. */
  readonly tools: readonly ToolIdentity[];
  readonly pinned: PinnedFiles | null;
}

export interface OwnedIngest extends MeasuredMedia {
  readonly claim: OwnershipClaim;
}

export interface VideohostIngest extends MeasuredMedia {
  readonly claim: VideohostClaim;
}

/** A record of a sealed source with its place below the source's folder. */
interface SealedObject extends StoredObject {
  readonly path: string;
}

export interface SealedSource {
  readonly chain: SealedChain;
  /** Every file but the media, to be stored before the source is registered. */
  readonly objects: readonly SealedObject[];
  readonly source: RegisteredSource;
}

interface Written<Body> extends Sealed<Body> {
  readonly bytes: Uint8Array;
}

const written = <Body>(record: Body, bytes: Uint8Array, path: string): Written<Body> => ({
  record,
  bytes,
  file: { ...contentRefOf(bytes), path },
});

const write = <Body extends object>(record: Body, path: string): Written<Body> =>
  written(record, indentedFile(record), path);

const reopen = <Schema extends z.ZodType<object>>(schema: Schema, bytes: Uint8Array, path: string) =>
  written(readSealedRecord(schema, bytes, path), bytes, path);

interface Provenance {
  readonly receipt: SourceReceipt;
  readonly resolution: Written<VideohostResolution> | null;
}

/**
 * Seals an owned file: writes its probe record, its receipt and its preflight, carrying over evidence that was pinned to
 * the same bytes. The result was verified like any source that is read. Throws `SourceInconsistent` where pinned
 * evidence does not belong to this media.
 */
export const sealOwnedIngest = (ingest: OwnedIngest): SealedSource =>
  seal(ingest, (described) => ({ receipt: ownedReceiptOf(ingest.claim, described), resolution: null }));

/**
 * Seals a range of a video as `sealOwnedIngest` does a file, and writes its host's description. Throws `SourceInconsistent`
 * `duration_mismatch`, too, if the media is not as long as the range.
 */
export const sealVideohostIngest = (ingest: VideohostIngest): SealedSource =>
  seal(ingest, (described) => {
    const resolution = write(videohostResolutionOf(ingest.claim), sealedPaths.resolution);
    return { receipt: videohostReceiptOf(ingest.claim, resolution, described), resolution };
  });

function seal(ingest: MeasuredMedia, provenanceOf: (described: DescribedMedia) => Provenance): SealedSource {
  const { media, mediaPath = sealedPaths.media, probe, tools, pinned } = ingest;
  const mediaProbe = write(mediaProbeOf({ media, mediaPath, probe, tools }), sealedPaths.mediaProbe);
  const { duration, incomplete_media: incomplete } = mediaProbe.record;
  const { receipt, resolution } = provenanceOf({
    media,
    mediaPath,
    duration,
    incomplete,
    probe: mediaProbe.file,
  });
  const sourceReceipt = write(receipt, sealedPaths.sourceReceipt);
  const speech = pinned && reopen(speechActivity, pinned.speechActivity, sealedPaths.speechActivity);
  const language = !pinned?.languageRanges
    ? null
    : reopen(languageRanges, pinned.languageRanges, sealedPaths.languageRanges);
  const measured = { sourceReceipt, mediaProbe, speechActivity: speech, languageRanges: language };
  const bundle = preflightOf({ media: { ...media, path: mediaPath }, ...measured });
  const preflight = write(bundle, preflightPaths[bundle.schema]);
  const chain: SealedChain = {
    media,
    preflight: preflight.bytes,
    records: {
      'source-receipt': sourceReceipt.bytes,
      'container-probe': mediaProbe.bytes,
      ...(speech === null ? {} : { 'speech-activity': speech.bytes }),
      ...(language === null ? {} : { 'language-ranges': language.bytes }),
      ...(resolution === null ? {} : { resolution: resolution.bytes }),
    },
  };
  const objects = [sourceReceipt, mediaProbe, preflight, speech, language, resolution]
    .filter((sealed) => sealed !== null)
    .map(({ bytes, file }) => ({ contentId: file.contentId, bytes, path: file.path }));
  return { chain, objects, source: verifySource(chain, null) };
}

/** The receipt of a chain. Throws `record_malformed`. */
export const receiptOf = ({ records }: SealedChain): SourceReceipt =>
  readSealedRecord(sourceReceipt, records['source-receipt'] ?? new Uint8Array(), 'source-receipt');

/**
 * The same source with these subtitle files and no others: a new receipt, which names them, and a preflight over it. Of the
 * other records nothing changes. `files` holds the bytes of the files by their content. Takes short steps. Throws
 * `SourceInconsistent`.
 */
export function* sealWithSubtitles(
  chain: SealedChain,
  tracks: readonly SealedSubtitleTrack[],
  files: ReadonlyMap<string, Uint8Array>,
): Steps<SealedSource> {
  const records = yield* verifyRecords(chain);
  const { file, record } = records.sourceReceipt;
  const receipt = receiptWith(chain.records['source-receipt'] ?? indentedFile(record), tracks);
  const receiptBytes = indentedFile(receipt);
  const sealedReceipt = { record: receipt, file: { ...contentRefOf(receiptBytes), path: file.path } };
  const preflight = indentedFile(preflightOf({ ...records, sourceReceipt: sealedReceipt }));
  const named = subtitleFilesOf(receipt).flatMap(({ contentId, path }): SealedObject[] => {
    const bytes = files.get(contentId);
    return bytes === undefined ? [] : [{ contentId, bytes, path }];
  });
  const sealed: SealedChain = {
    ...chain,
    preflight,
    records: { ...chain.records, 'source-receipt': receiptBytes },
    subtitles: new Map(named.map(({ contentId, bytes }) => [contentId, bytes])),
  };
  const written = [
    { bytes: receiptBytes, path: file.path },
    { bytes: preflight, path: records.preflight.file.path },
  ].map(({ bytes, path }) => ({ contentId: contentRefOf(bytes).contentId, bytes, path }));
  return { chain: sealed, objects: [...written, ...named], source: yield* verifySourceInSteps(sealed, null) };
}

/** The receipt in the order in which it was written, so that it is the same file again once its last track is gone. */
function receiptWith(written: Uint8Array, tracks: readonly SealedSubtitleTrack[]): SourceReceipt {
  const { subtitle_tracks: _, ...receipt } = JSON.parse(Buffer.from(written).toString('utf8')) as SourceReceipt;
  return tracks.length === 0 ? receipt : { ...receipt, subtitle_tracks: [...tracks] };
}
