import { type SourceReceipt, sourceReceipt } from '../../contract/sources/source-receipt.ts';
import type { SealedSubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import { indentedFile } from '../../formats/canonical-json.ts';
import type { SealedChain } from './open-chain.ts';
import { preflightOf } from './preflight-bundle.ts';
import type { SealedObject, SealedSource } from './seal-source.ts';
import { contentRefOf } from './sealed-content.ts';
import { readSealedRecord } from './sealed-record.ts';
import { subtitleFilesOf } from './sealed-subtitles.ts';
import { verifyRecords, verifySource } from './verify-source.ts';

/** The receipt of a chain. Throws `record_malformed`. */
export const receiptOf = ({ records }: SealedChain): SourceReceipt =>
  readSealedRecord(sourceReceipt, records['source-receipt'] ?? new Uint8Array(), 'source-receipt');

/**
 * The same source with these subtitle files and no others: a new receipt, which names them, and a preflight over it. Of the
 * other records nothing changes. `files` holds the bytes of the files by their content. Throws `SourceInconsistent`.
 */
export function sealWithSubtitles(
  chain: SealedChain,
  tracks: readonly SealedSubtitleTrack[],
  files: ReadonlyMap<string, Uint8Array>,
): SealedSource {
  const records = verifyRecords(chain);
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
  return { chain: sealed, objects: [...written, ...named], source: verifySource(sealed, null) };
}

/** The receipt in the order in which it was written, so that it is the same file again once its last track is gone. */
function receiptWith(written: Uint8Array, tracks: readonly SealedSubtitleTrack[]): SourceReceipt {
  const { subtitle_tracks: _, ...receipt } = JSON.parse(Buffer.from(written).toString('utf8')) as SourceReceipt;
  return tracks.length === 0 ? receipt : { ...receipt, subtitle_tracks: [...tracks] };
}
