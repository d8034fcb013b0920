import type { Judgement } from '../../contract/judgement.ts';
import type { DerivedSubtitles } from '../../contract/sources/derived-subtitles.ts';
import { SourceInconsistent, type SourceReceipt, sourceReceipt } from '../../contract/sources/source-receipt.ts';
import {
  type DerivedOrigin,
  notedIn,
  notesIn,
  type SealedSubtitleTrack,
  type SubtitleFormat,
  type SubtitleNote,
  type SubtitleTrack,
} from '../../contract/sources/subtitle-track.ts';
import { firstDifference } from '../../formats/canonical-json.ts';
import type { Steps } from '../../formats/steps.ts';
import { readableText } from '../../formats/subtitles.ts';
import { decodedText, isUnicode } from '../../formats/text-encoding.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import { verifyDerived } from './derived-subtitles.ts';
import {
  type ContentRef,
  contentRefOf,
  demandSealed,
  readSealedRecord,
  type SealedFile,
  type SealedSourceRecords,
  sealedSubtitlePath,
  staysInside,
} from './sealed-record.ts';
import type { RightsGrant } from './source-receipt.ts';

/** The grant under which a subtitle file is taken over the wire. */
const subtitleGrant: Pick<RightsGrant, 'statement'> = {
  statement:
    'Whoever handed this subtitle file over attested to own it or to hold the right to process it. It is processed on this computer only; the attestation grants no right to pass it on.',
};

/** ffmpeg's name of the codec of each format. */
const codecs: Readonly<Record<SubtitleFormat, string>> = { srt: 'subrip', webvtt: 'webvtt', ass: 'ass' };
export const codecOf = (format: SubtitleFormat): string => codecs[format];

/** The statements about a subtitle file, and its facts: all that a receipt holds about it. */
interface AttachedSubtitles {
  readonly trackIndex: number;
  readonly label: string;
  readonly language: string | null;
  readonly format: SubtitleFormat;
  readonly encoding: string;
  readonly file: ContentRef;
  readonly text: ContentRef;
  readonly measured: SubtitleTrack['measured'];
  readonly notes: readonly SubtitleNote[];
  readonly rightsHolder: string;
  /** UTC with milliseconds. */
  readonly assertedAt: string;
  /** The origin of a track that was made of other text, and the files behind it; absent for others. */
  readonly derived?: { readonly origin: DerivedOrigin; readonly parent: ParentRef; readonly record: ContentRef };
}

/** The text that a track was made of. */
type ParentRef = ContentRef & Pick<DerivedSubtitles['parent'], 'format' | 'label' | 'trackIndex'>;

const sealedAt = ({ contentId, bytes }: ContentRef, trackIndex: number, ending: string) => ({
  path: sealedSubtitlePath(trackIndex, ending),
  content_id: contentId,
  bytes,
});

/** A subtitle file as a receipt names it. */
export function sealedSubtitleOf(attached: AttachedSubtitles): SealedSubtitleTrack {
  const { trackIndex, label, language, format, encoding, file, text, measured, notes, rightsHolder, assertedAt } =
    attached;
  const { derived } = attached;
  const path = sealedSubtitlePath(trackIndex, format);
  const isSame = file.contentId === text.contentId;
  return {
    track_index: trackIndex,
    label,
    ...(language === null ? {} : { language }),
    format,
    encoding,
    path,
    content_id: file.contentId,
    bytes: file.bytes,
    text: {
      path: isSame ? path : sealedSubtitlePath(trackIndex, `utf-8.${format}`),
      content_id: text.contentId,
      bytes: text.bytes,
    },
    measured: {
      cues: measured.cues,
      out_of_order: measured.outOfOrder,
      overlapping: measured.overlapping,
      without_duration: measured.withoutDuration,
      beyond_media: measured.beyondMedia,
    },
    ...notedIn(notes),
    ...(derived !== undefined && {
      derived: {
        origin: derived.origin,
        parent: {
          ...sealedAt(derived.parent, trackIndex, `parent.${derived.parent.format}`),
          label: derived.parent.label,
          ...(derived.parent.trackIndex !== null && { track_index: derived.parent.trackIndex }),
        },
        record: sealedAt(derived.record, trackIndex, 'derived.json'),
      },
    }),
    rights: {
      basis: 'ownership_attestation',
      asserted_by: rightsHolder,
      asserted_at: assertedAt,
      scope: 'local_processing',
      statement: subtitleGrant.statement,
    },
  };
}

/** An attached track as the registry keeps it and the wire shows it. */
export const subtitleTrackOf = (sealed: SealedSubtitleTrack): SubtitleTrack => ({
  trackIndex: sealed.track_index,
  label: sealed.label,
  language: sealed.language ?? null,
  format: sealed.format,
  encoding: sealed.encoding,
  contentId: sealed.content_id,
  bytes: sealed.bytes,
  text: { contentId: sealed.text.content_id, bytes: sealed.text.bytes },
  measured: {
    cues: sealed.measured.cues,
    outOfOrder: sealed.measured.out_of_order,
    overlapping: sealed.measured.overlapping,
    withoutDuration: sealed.measured.without_duration,
    beyondMedia: sealed.measured.beyond_media,
  },
  ...notedIn(notesIn(sealed)),
  ...(sealed.derived !== undefined && {
    derived: {
      origin: sealed.derived.origin,
      parentLabel: sealed.derived.parent.label,
      parentTrackIndex: sealed.derived.parent.track_index ?? null,
      parentContentId: sealed.derived.parent.content_id,
      recordContentId: sealed.derived.record.content_id,
    },
  }),
  rights: {
    assertedBy: sealed.rights.asserted_by,
    assertedAt: sealed.rights.asserted_at,
    scope: sealed.rights.scope,
  },
});

/** The subtitle files that a receipt names. */
export const subtitlesOf = ({ subtitle_tracks: tracks = [] }: SourceReceipt): readonly SealedSubtitleTrack[] => tracks;

/** The files behind the attached tracks of a receipt, equal ones once. Throws `source_outside_root`. */
export function subtitleFilesOf(receipt: SourceReceipt): SealedFile[] {
  const files = new Map<string, SealedFile>();
  for (const [at, { path, content_id, bytes, text, derived }] of subtitlesOf(receipt).entries()) {
    const behind = derived === undefined ? [] : [derived.parent, derived.record];
    for (const file of [{ path, content_id, bytes }, text, ...behind]) {
      if (!staysInside(file.path)) throw new SourceInconsistent('source_outside_root', `${placeOf(at)}.path`);
      // A parent that is a track itself is at the path of that track.
      if (files.has(file.content_id) && behind.includes(file)) continue;
      files.set(file.content_id, { contentId: file.content_id, bytes: file.bytes, path: file.path });
    }
  }
  return [...files.values()];
}

/** The same of the bytes of a receipt. Throws `record_malformed`, too. */
export const subtitleFilesIn = (receipt: Uint8Array): SealedFile[] =>
  subtitleFilesOf(readSealedRecord(sourceReceipt, receipt, 'source-receipt'));

const placeOf = (at: number): string => `source-receipt.subtitle_tracks.${at}`;

/** Reads the subtitle files of a receipt, and compares each with the receipt, in short steps. Throws `SourceInconsistent`. */
export function* openSubtitles(
  receipt: SourceReceipt,
  found: ReadonlyMap<string, Uint8Array>,
): Steps<Pick<SealedSourceRecords, 'subtitles' | 'subtitleFiles' | 'subtitleTexts'>> {
  const opened = (contentId: string, stated: number, place: string): Uint8Array => {
    const bytes = found.get(contentId);
    if (bytes === undefined) throw new SourceInconsistent('file_missing', place);
    const ref = contentRefOf(bytes);
    if (ref.contentId !== contentId || ref.bytes !== stated) throw new SourceInconsistent('content_mismatch', place);
    return bytes;
  };
  const subtitles = subtitlesOf(receipt);
  const subtitleTexts: (Judgement | null)[] = [];
  for (const [at, track] of subtitles.entries()) {
    const bytes = opened(track.content_id, track.bytes, `${placeOf(at)}.content_id`);
    yield;
    const text = opened(track.text.content_id, track.text.bytes, `${placeOf(at)}.text`);
    yield;
    subtitleTexts.push(isUnicode(track.encoding) ? yield* verifyText(track, bytes, text, placeOf(at)) : null);
    const { derived } = track;
    if (derived === undefined) continue;
    const place = `${placeOf(at)}.derived`;
    const parent = opened(derived.parent.content_id, derived.parent.bytes, `${place}.parent`);
    const record = opened(derived.record.content_id, derived.record.bytes, `${place}.record`);
    yield* verifyDerived(track, { parent, record }, placeOf(at));
  }
  return { subtitles, subtitleTexts, subtitleFiles: subtitleFilesOf(receipt) };
}

/**
 * The text of a file in Unicode follows from its bytes alone. No receipt states the version of the rules. A text that does not
 * follow by the present ones may be of version 1, which adapted nothing. Then its lines are all in the file, and it has all lines
 * that the present rules keep. Throws `SourceInconsistent`.
 */
function* verifyText(track: SealedSubtitleTrack, bytes: Uint8Array, text: Uint8Array, place: string): Steps<Judgement> {
  const { encoding, format } = track;
  const sealedNotes = notesIn(track).filter(({ note }) => note !== 'other_letters');
  const { written, derived, notes, encoding: found } = yield* derivedOrFault(bytes, encoding, format, place);
  yield;
  // A remark on the letters follows from the stated language, too, and changes nothing in the text.
  const sealed = { ...contentRefOf(text), encoding, ...notedIn(sealedNotes) };
  const expected = { ...contentRefOf(Buffer.from(derived, 'utf8')), encoding: found, ...notedIn(notes) };
  if (firstDifference(sealed, expected) === null) return judgementBy(ruleSets.readableText);
  const kept = Buffer.from(text).toString('utf8');
  const isAdapted = sealedNotes.length + notes.length > 0;
  const isOlder = format === 'webvtt' && !isAdapted && holdsLines(written, kept) && holdsLines(kept, derived);
  if (!isOlder || found !== encoding) demandSealed('link_mismatch', `${place}.text`, sealed, expected);
  return judgementBy(ruleSets.readableText, 1);
}

/** A file in an encoding as it is written and as it is read, with what was adapted in it. Throws `SourceInconsistent`. */
function* derivedOrFault(bytes: Uint8Array, encoding: string, format: SubtitleFormat, place: string) {
  try {
    const decoded = decodedText(bytes, encoding);
    yield;
    const { text: derived, notes } = yield* readableText(decoded.text, format);
    return { encoding: decoded.encoding, written: decoded.text, derived, notes: [...decoded.notes, ...notes] };
  } catch (error) {
    throw new SourceInconsistent('content_mismatch', `${place}.encoding`, error);
  }
}

/** True if a text has all lines of another one, in their order. */
function holdsLines(text: string, other: string): boolean {
  const wanted = other.split('\n');
  let at = 0;
  for (const line of text.split('\n')) if (line === wanted[at]) at += 1;
  return at === wanted.length;
}

/** The tracks come after those of the media, each under an index of its own. Throws `link_mismatch`. */
export function verifySubtitles({ subtitles, mediaProbe }: SealedSourceRecords): void {
  let last = mediaProbe.record.tracks.at(-1)?.index ?? -1;
  for (const [at, { track_index: index }] of subtitles.entries()) {
    if (index <= last) throw new SourceInconsistent('link_mismatch', `${placeOf(at)}.track_index`);
    last = index;
  }
}
