import {
  type DerivedSubtitles,
  derivedStatement,
  derivedSubtitles,
  type MadeSubtitles,
  type ResyncedStretch,
} from '../../contract/sources/derived-subtitles.ts';
import { SourceInconsistent } from '../../contract/sources/source-receipt.ts';
import type { SealedSubtitleTrack, SubtitleFormat } from '../../contract/sources/subtitle-track.ts';
import { indentedFile } from '../../formats/canonical-json.ts';
import { type Placement, type RetimedFile, retimedSubtitles } from '../../formats/retimed-subtitles.ts';
import type { Steps } from '../../formats/steps.ts';
import { type ContentRef, contentRefOf, demandSealed, readSealedRecord } from './sealed-record.ts';

/** The text that a track is made of: a subtitle file, or a script. */
export interface ParentText {
  readonly bytes: Uint8Array;
  readonly label: string;
  readonly format: DerivedSubtitles['parent']['format'];
  readonly encoding: string;
  /** The text track of the source that it is; null for another file. */
  readonly trackIndex: number | null;
}

/** All that is said of a track that the program makes of other text. */
export interface Derivation {
  /** The study with the speech by which it was made. */
  readonly runtimeId: string;
  readonly parent: ParentText;
  readonly made: MadeSubtitles;
  /** The person who answers for it. */
  readonly attestedBy: string;
}

/** The record of a derived track; `attestedAt` is UTC with milliseconds. */
export const derivedRecordOf = (
  { runtimeId, parent, made, attestedBy }: Derivation,
  result: ContentRef & { readonly format: SubtitleFormat; readonly encoding: string },
  attestedAt: string,
): DerivedSubtitles => ({
  schema: 'studio.derived-subtitles.v1',
  runtimeId,
  parent: {
    ...contentRefOf(parent.bytes),
    label: parent.label,
    format: parent.format,
    encoding: parent.encoding,
    trackIndex: parent.trackIndex,
  },
  made,
  result,
  attestation: { attestedBy, attestedAt, statement: derivedStatement },
});

/** The bytes of such a record. */
export const derivedRecordBytes = (record: DerivedSubtitles): Buffer => indentedFile(derivedSubtitles.parse(record));

/**
 * Where a cue of this start belongs: to the last stretch that begins no later, else to the first. Null for one whose times stay,
 * which are in sync, or of which nothing is known.
 */
export function placementAt(stretches: readonly ResyncedStretch[], startMs: number): Placement | null {
  const stretch = stretches.findLast((each) => each.startMs <= startMs) ?? stretches[0];
  return stretch === undefined || stretch.verdict === 'unknown' || stretch.verdict === 'in_sync' ? null : stretch;
}

/** A subtitle file with the times that these stretches say. Throws as `retimedSubtitles`. */
export const resyncedBySteps = (
  bytes: Uint8Array,
  file: { readonly format: SubtitleFormat; readonly encoding: string },
  stretches: readonly ResyncedStretch[],
): Steps<RetimedFile> => retimedSubtitles(bytes, file, (startMs) => placementAt(stretches, startMs));

/**
 * Compares a derived track with its record and its parent, whose bytes are those that the receipt names. The file of a resynced one
 * is made again of its parent. Throws `SourceInconsistent`.
 */
export function* verifyDerived(
  track: SealedSubtitleTrack,
  found: { readonly parent: Uint8Array; readonly record: Uint8Array },
  place: string,
): Steps<void> {
  const { derived, content_id: contentId, bytes, format, encoding } = track;
  if (derived === undefined) return;
  const record = readSealedRecord(derivedSubtitles, found.record, `${place}.derived.record`);
  yield;
  const { parent, made, result } = record;
  demandSealed('link_mismatch', `${place}.derived.origin`, derived.origin, made.origin);
  demandSealed('link_mismatch', `${place}.derived.record.result`, result, { contentId, bytes, format, encoding });
  const { encoding: _, format: __, ...named } = parent;
  const sealed = {
    contentId: derived.parent.content_id,
    bytes: derived.parent.bytes,
    label: derived.parent.label,
    trackIndex: derived.parent.track_index ?? null,
  };
  demandSealed('link_mismatch', `${place}.derived.parent`, named, sealed);
  if (made.origin !== 'resynced') return;
  if (parent.format === 'script') throw new SourceInconsistent('link_mismatch', `${place}.derived.parent`);
  const file = { format: parent.format, encoding: parent.encoding };
  const again = yield* remade(found.parent, file, made.stretches, place);
  demandSealed('link_mismatch', `${place}.content_id`, contentId, contentRefOf(again.bytes).contentId);
}

/** Throws `SourceInconsistent` for a parent of which nothing can be made. */
function* remade(...[bytes, file, stretches, place]: [...Parameters<typeof resyncedBySteps>, string]) {
  try {
    return yield* resyncedBySteps(bytes, file, stretches);
  } catch (error) {
    throw new SourceInconsistent('content_mismatch', `${place}.derived.parent`, error);
  }
}
