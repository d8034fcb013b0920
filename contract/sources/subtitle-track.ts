import { z } from 'zod';
import { contentId, count, languageTag, positive, timestamp } from '../base/grammar.ts';
import { sealedPath } from './media-probe.ts';

/** The formats of subtitle files that can be attached to a source. */
export const subtitleFormat = z.enum(['srt', 'webvtt', 'ass']);
export type SubtitleFormat = z.infer<typeof subtitleFormat>;

/** The largest subtitle file, in bytes as it is sent. */
export const maximumSubtitleBytes = 1024 * 1024;
/** The most text tracks of a source, those of its media included: a study reads no more. */
export const maximumTextTracks = 32;

/**
 * The number of cues, and of unusual ones: those that begin before the one above them, those that begin before an earlier one
 * ends. Further those that end when they begin and are never shown, and those that begin after the end of the media.
 */
const measured = {
  cues: positive,
  outOfOrder: count,
  overlapping: count,
  withoutDuration: count,
  beyondMedia: count,
};

/** The kinds of notes that clients of 1.0.0 know. */
const noteKind = z.enum(['line_end', 'cue_number', 'field_order']);

/** The further ones, which answers and receipts have in a field of their own. */
const remarkKind = z.enum([
  'end_of_file',
  'invisible_mark',
  'time_form',
  'arrow',
  'line_separator',
  'stream_clock',
  'repeated_head',
  'other_letters',
]);

const noted = { line: positive, count: positive };

/**
 * The adaptation that lets the host read a file as it is meant. `line_end`: lines that end with a carriage return alone.
 * `cue_number`: cues of SubRip without their number. `field_order`: events of ASS whose fields have another order. `line` is the
 * first one, counted from 1, and `count` is their number; of `field_order` these are lines that name the fields.
 */
const subtitleNote = z.strictObject({ note: noteKind, ...noted });

/**
 * The same for what 1.0.0 refused. `end_of_file`: NUL characters, and signs of DOS for the end of a file. `invisible_mark`: marks
 * without a width around a number, times or a heading. `time_form`: times in another form than that of the format. `arrow`: text
 * with the arrow of times. `line_separator`: events of ASS with the separators of Unicode. `stream_clock`: a WebVTT file with the
 * clock of its stream; its times are read as written. `repeated_head`: headings of further parts of a WebVTT file.
 * `other_letters`: cues with letters that the stated language does not have; nothing is adapted, and `found` shows some.
 */
const subtitleRemark = z.strictObject({
  note: remarkKind,
  ...noted,
  found: z.string().min(1).max(80).optional(),
});

/** A note of either field. */
export interface SubtitleNote {
  readonly note: z.infer<typeof noteKind> | z.infer<typeof remarkKind>;
  readonly line: number;
  readonly count: number;
  readonly found?: string | undefined;
}

/** Absent for a file in which nothing was adapted. */
const notes = {
  notes: z.array(subtitleNote).min(1).max(noteKind.options.length).optional(),
  remarks: z.array(subtitleRemark).min(1).max(remarkKind.options.length).optional(),
};

/** The ways in which the program makes subtitles of others: it moves their times, or it gives times to a script. */
export const derivedOrigin = z.enum(['resynced', 'aligned']);
export type DerivedOrigin = z.infer<typeof derivedOrigin>;

type FieldsOfNotes = { [Field in keyof typeof notes]?: z.infer<(typeof notes)[Field]> };

/** Notes as records and answers have them. */
export function notedIn(found: readonly SubtitleNote[]): FieldsOfNotes {
  const known = found.flatMap(({ note, line, count }) => {
    const kind = noteKind.safeParse(note);
    return kind.success ? [{ note: kind.data, line, count }] : [];
  });
  const further = found.flatMap(({ note, line, count, found: signs }) => {
    const kind = remarkKind.safeParse(note);
    return kind.success ? [{ note: kind.data, line, count, ...(signs !== undefined && { found: signs }) }] : [];
  });
  return { ...(known.length > 0 && { notes: known }), ...(further.length > 0 && { remarks: further }) };
}

/** The notes of both fields. */
export const notesIn = ({ notes: known = [], remarks = [] }: FieldsOfNotes): readonly SubtitleNote[] => [
  ...known,
  ...remarks,
];

const sealedReference = z.strictObject({ path: sealedPath, content_id: contentId, bytes: positive });

/** How a source receipt names a subtitle file that was attached to its media, and the attestation that came with it. */
export const sealedSubtitleTrack = z.strictObject({
  track_index: count,
  label: z.string().min(1).max(160),
  language: languageTag.optional(),
  format: subtitleFormat,
  /** The encoding by its name in the Encoding Standard, in lower case. */
  encoding: z.string().min(1).max(40),
  path: sealedPath,
  content_id: contentId,
  bytes: positive,
  /** The same text as UTF-8, as it is read; the file itself if it is that already. */
  text: sealedReference,
  measured: z.strictObject({
    cues: measured.cues,
    out_of_order: measured.outOfOrder,
    overlapping: measured.overlapping,
    without_duration: measured.withoutDuration,
    beyond_media: measured.beyondMedia,
  }),
  ...notes,
  /** For a track that the program made of other text: that file, and the record of what was done. Absent for others. */
  derived: z
    .strictObject({
      origin: derivedOrigin,
      parent: sealedReference.extend({
        label: z.string().min(1).max(160),
        /** The text track that it is; absent for a file that is not a track of the source. */
        track_index: count.optional(),
      }),
      record: sealedReference,
    })
    .optional(),
  rights: z.strictObject({
    basis: z.literal('ownership_attestation'),
    asserted_by: z.string().min(1).max(160),
    asserted_at: timestamp,
    scope: z.literal('local_processing'),
    statement: z.string().min(1),
  }),
});

export const sealedSubtitleTracks = z.array(sealedSubtitleTrack).min(1).max(maximumTextTracks);

/** The origin of a track that the program made of other text, with the digests of that text and of the record. */
export const derivedTrack = z.strictObject({
  origin: derivedOrigin,
  parentLabel: z.string(),
  /** The text track that the parent is; null for a file that is not a track of the source. */
  parentTrackIndex: count.nullable(),
  parentContentId: contentId,
  recordContentId: contentId,
});
export type DerivedTrack = z.infer<typeof derivedTrack>;

/** A subtitle file that is attached to a source, as a text track behind those of its media. */
export const subtitleTrack = z.strictObject({
  trackIndex: count,
  label: z.string(),
  /** The language from the request that attached it; null if it named none, and a study identifies it. */
  language: languageTag.nullable(),
  format: subtitleFormat,
  encoding: z.string(),
  contentId,
  bytes: positive,
  /** The same text as UTF-8, as it is read. */
  text: z.strictObject({ contentId, bytes: positive }),
  measured: z.strictObject(measured),
  ...notes,
  /** Absent for a file as a person attached it. */
  derived: derivedTrack.optional(),
  rights: z.strictObject({ assertedBy: z.string(), assertedAt: timestamp, scope: z.literal('local_processing') }),
});

export type SealedSubtitleTrack = z.infer<typeof sealedSubtitleTrack>;
export type SubtitleTrack = z.infer<typeof subtitleTrack>;
