import type { z } from 'zod';
import { languageRanges } from '../../contract/sources/languages.ts';
import { mediaProbe, speechActivity } from '../../contract/sources/media-probe.ts';
import {
  type PreflightArtifact,
  type PreflightBundle,
  preflightBundle,
} from '../../contract/sources/preflight-bundle.ts';
import { SourceInconsistent, type SourceReceipt, sourceReceipt } from '../../contract/sources/source-receipt.ts';
import { videohostResolution } from '../../contract/sources/videohost-resolution.ts';
import { type ContentRef, contentRefOf } from './sealed-content.ts';
import { preflightPaths, sealedPaths, staysInside } from './sealed-layout.ts';
import { readSealedRecord } from './sealed-record.ts';
import { openSubtitles } from './sealed-subtitles.ts';
import type { Sealed, SealedFile, SealedSourceRecords } from './source-records.ts';

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

/** Where a file of the preflight lies. Throws `source_outside_root` where its path would leave the folder. */
export function sealedFileOf({ kind, path, content }: PreflightArtifact & { readonly path: string }): SealedFile {
  if (!staysInside(path)) throw new SourceInconsistent('source_outside_root', `preflight.artifacts.${kind}.path`);
  return { contentId: content.id, bytes: content.bytes, path };
}

function demandContent(found: ContentRef, sealed: ContentRef, kind: string): void {
  if (found.contentId === sealed.contentId && found.bytes === sealed.bytes) return;
  throw new SourceInconsistent('content_mismatch', `preflight.artifacts.${kind}.content`);
}

/**
 * Reads all records of a source after comparing every file with what the preflight says of it. What the records say of
 * each other is not compared yet. Throws `SourceInconsistent`.
 */
export function openChain(chain: SealedChain): SealedSourceRecords {
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
    ...openSubtitles(receipt.record, chain.subtitles ?? new Map()),
  };
}
