import type { z } from 'zod';
import { isWellFormed } from '../../contract/base/grammar.ts';
import type { Judgement } from '../../contract/judgement.ts';
import type { LanguageRanges } from '../../contract/sources/languages.ts';
import type { MediaProbe, SealedContent, SpeechActivity } from '../../contract/sources/media-probe.ts';
import type { PreflightBundle } from '../../contract/sources/preflight-bundle.ts';
import { type SourceFaultCode, SourceInconsistent, type SourceReceipt } from '../../contract/sources/source-receipt.ts';
import type { SealedSubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import type { VideohostResolution } from '../../contract/sources/videohost-resolution.ts';
import {
  canonicalJson,
  contentIdOfBytes,
  hasUnseenField,
  indentedFile,
  utf8Json,
} from '../../formats/canonical-json.ts';
import { digestOf } from '../identities.ts';
import { parsedInParts } from '../stored-records.ts';

/** Throws `SourceInconsistent` with this code and place where a value is not the one that was derived. */
export const demandSealed = (code: SourceFaultCode, place: string, found: unknown, derived: unknown): void => {
  if (canonicalJson(found) !== canonicalJson(derived)) throw new SourceInconsistent(code, place);
};

/** Throws `duration_mismatch` where a stated duration is further from the measured one than `toleranceMs`; seconds. */
export function demandDuration(stated: readonly number[], measured: number, toleranceMs: number): void {
  const isMeasured = stated.every((seconds) => Math.round(Math.abs(seconds - measured) * 1000) <= toleranceMs);
  if (!isMeasured) throw new SourceInconsistent('duration_mismatch', 'source-receipt.selection');
}

/** Bytes by their content id and length. */
export interface ContentRef {
  readonly contentId: string;
  readonly bytes: number;
}

export const contentHashOf = (contentId: string): SealedContent['hash'] => ({
  algorithm: 'sha256',
  digest: digestOf(contentId),
});

export const sealedContentOf = ({ contentId, bytes }: ContentRef): SealedContent => ({
  id: contentId,
  hash: contentHashOf(contentId),
  bytes,
});

export const contentRefOf = (bytes: Uint8Array): ContentRef => ({
  contentId: contentIdOfBytes(bytes),
  bytes: bytes.length,
});

/** The paths of the files of a sealed source below its folder, unless its records name others. */
export const sealedPaths = {
  media: 'media/original',
  sourceReceipt: 'source-receipt.json',
  mediaProbe: 'media-probe.json',
  speechActivity: 'speech-activity.json',
  languageRanges: 'language-ranges.json',
  resolution: 'resolution.json',
} as const;

/** The path of the subtitle file of an attached track. */
export const sealedSubtitlePath = (trackIndex: number, ending: string): string => `subtitles/${trackIndex}.${ending}`;

/** The one file of a sealed folder that has a fixed name: everything else is named by it. Highest version first. */
export const preflightPaths = {
  'studio.preflight-bundle.v3': 'preflight.v3.json',
  'studio.preflight-bundle.v2': 'preflight.v2.json',
  'studio.preflight-bundle.v1': 'preflight.v1.json',
} as const satisfies Record<PreflightBundle['schema'], string>;

/** True if a recorded path stays below its folder on every platform: plain names joined by forward slashes. */
export const staysInside = (sealedPath: string): boolean =>
  !/[\\\0:]/.test(sealedPath) && sealedPath.split('/').every((name) => name !== '' && name !== '.' && name !== '..');

/** A file of a source, and where it lies below the source's folder. */
export interface SealedFile extends ContentRef {
  readonly path: string;
}

export interface Sealed<Body> {
  readonly record: Body;
  readonly file: SealedFile;
}

/** The input of a preflight. Language ranges never come without the speech activity that they divide. */
export interface MeasuredRecords {
  readonly media: SealedFile;
  readonly sourceReceipt: Sealed<SourceReceipt>;
  readonly mediaProbe: Sealed<MediaProbe>;
  readonly speechActivity: Sealed<SpeechActivity> | null;
  readonly languageRanges: Sealed<LanguageRanges> | null;
}

/** All records of one source revision. */
export interface SealedSourceRecords extends MeasuredRecords {
  readonly preflight: Sealed<PreflightBundle>;
  /** The description by a video host; null for any other media. */
  readonly resolution: Sealed<VideohostResolution> | null;
  /** The subtitle files that were attached, as the receipt names them, and where they lie. */
  readonly subtitles: readonly SealedSubtitleTrack[];
  /** By which rules the text of each follows from its file; null for an encoding whose table belongs to the platform. */
  readonly subtitleTexts: readonly (Judgement | null)[];
  readonly subtitleFiles: readonly SealedFile[];
}

/**
 * Reads a record of a sealed source: UTF-8 JSON of the schema, written exactly as
 * `indentedFile` writes it. Throws `SourceInconsistent` `record_malformed`.
 */
export function readSealedRecord<Schema extends z.ZodType<object>>(
  schema: Schema,
  bytes: Uint8Array,
  place: string,
): z.infer<Schema> {
  const value = parse(bytes, place);
  const record = parsedInParts(schema, value);
  if (!record.success) {
    const [issue] = record.error.issues;
    throw new SourceInconsistent('record_malformed', [place, ...(issue?.path ?? [])].join('.'), record.error);
  }
  if (!isWellFormed(value) || !indentedFile(value).equals(bytes) || hasUnseenField(Buffer.from(bytes).toString('utf8')))
    throw new SourceInconsistent('record_malformed', place);
  return record.data;
}

function parse(bytes: Uint8Array, place: string): object {
  const fault = (cause?: unknown) => new SourceInconsistent('record_malformed', place, cause);
  const value = utf8Json(bytes, fault);
  if (typeof value === 'object' && value !== null) return value;
  throw fault();
}
