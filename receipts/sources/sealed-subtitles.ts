import { SourceInconsistent, type SourceReceipt, sourceReceipt } from '../../contract/sources/source-receipt.ts';
import type { SealedSubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import { firstDifference } from '../../formats/canonical-json.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import { type ContentRef, contentRefOf } from './sealed-content.ts';
import { demandSealed } from './sealed-demand.ts';
import { staysInside } from './sealed-layout.ts';
import { readSealedRecord } from './sealed-record.ts';
import type { SealedFile, SealedSourceRecords } from './source-records.ts';
import { decodedText, isUnicode } from './subtitle-encoding.ts';
import { everyReadableRules, readableRules, readableText } from './subtitle-file.ts';
import type { ReadableVtt } from './vtt-cues.ts';

/** The subtitle files that a receipt names. */
export const subtitlesOf = ({ subtitle_tracks: tracks = [] }: SourceReceipt): readonly SealedSubtitleTrack[] => tracks;

/** The files behind the attached tracks of a receipt, equal ones once. Throws `source_outside_root`. */
export function subtitleFilesOf(receipt: SourceReceipt): SealedFile[] {
  const files = new Map<string, SealedFile>();
  for (const [at, { path, content_id, bytes, text }] of subtitlesOf(receipt).entries()) {
    for (const file of [{ path, content_id, bytes }, text]) {
      if (!staysInside(file.path)) throw new SourceInconsistent('source_outside_root', `${placeOf(at)}.path`);
      files.set(file.content_id, { contentId: file.content_id, bytes: file.bytes, path: file.path });
    }
  }
  return [...files.values()];
}

/** The same of the bytes of a receipt. Throws `record_malformed`, too. */
export const subtitleFilesIn = (receipt: Uint8Array): SealedFile[] =>
  subtitleFilesOf(readSealedRecord(sourceReceipt, receipt, 'source-receipt'));

const placeOf = (at: number): string => `source-receipt.subtitle_tracks.${at}`;

/** Reads the subtitle files of a receipt, each compared with what the receipt says of it. Throws `SourceInconsistent`. */
export function openSubtitles(
  receipt: SourceReceipt,
  found: ReadonlyMap<string, Uint8Array>,
): Pick<SealedSourceRecords, 'subtitles' | 'subtitleFiles'> {
  const opened = (contentId: string, stated: number, place: string): Uint8Array => {
    const bytes = found.get(contentId);
    if (bytes === undefined) throw new SourceInconsistent('file_missing', place);
    const ref = contentRefOf(bytes);
    if (ref.contentId !== contentId || ref.bytes !== stated) throw new SourceInconsistent('content_mismatch', place);
    return bytes;
  };
  const subtitles = subtitlesOf(receipt);
  for (const [at, track] of subtitles.entries()) {
    const bytes = opened(track.content_id, track.bytes, `${placeOf(at)}.content_id`);
    const text = opened(track.text.content_id, track.text.bytes, `${placeOf(at)}.text`);
    if (isUnicode(track.encoding)) verifyText(track, bytes, text, placeOf(at));
  }
  return { subtitles, subtitleFiles: subtitleFilesOf(receipt) };
}

/** The text of a file in Unicode follows from its bytes alone, by the rules of the host that sealed it. */
function verifyText({ encoding, format }: SealedSubtitleTrack, bytes: Uint8Array, text: Uint8Array, place: string) {
  const derived = (rules: ReadableVtt): ContentRef & { readonly encoding: string } => {
    try {
      const decoded = decodedText(bytes, encoding);
      return { ...contentRefOf(resultOfSteps(readableText(decoded.text, format, rules))), encoding: decoded.encoding };
    } catch (error) {
      throw new SourceInconsistent('content_mismatch', `${place}.encoding`, error);
    }
  };
  const sealed = { ...contentRefOf(text), encoding };
  const follows = (rules: ReadableVtt): boolean => firstDifference(sealed, derived(rules)) === null;
  if (everyReadableRules.some(follows)) return;
  demandSealed('link_mismatch', `${place}.text`, sealed, derived(readableRules));
}

/** The tracks stand behind those of the media, each under an index of its own. Throws `link_mismatch`. */
export function verifySubtitles({ subtitles, mediaProbe }: SealedSourceRecords): void {
  let last = mediaProbe.record.tracks.at(-1)?.index ?? -1;
  for (const [at, { track_index: index }] of subtitles.entries()) {
    if (index <= last) throw new SourceInconsistent('link_mismatch', `${placeOf(at)}.track_index`);
    last = index;
  }
}
