import type { SealedSubtitleTrack, SubtitleFormat, SubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import type { ContentRef } from './sealed-content.ts';
import { sealedSubtitlePath } from './sealed-layout.ts';
import type { RightsGrant } from './source-receipt.ts';

/** The grant under which a subtitle file is taken over the wire. */
export const subtitleGrant: Pick<RightsGrant, 'statement'> = {
  statement:
    'Whoever handed this subtitle file over attested to own it or to hold the right to process it. It is processed on this computer only; the attestation grants no right to pass it on.',
};

/** ffmpeg's name of the codec of each format. */
const codecs: Readonly<Record<SubtitleFormat, string>> = { srt: 'subrip', webvtt: 'webvtt', ass: 'ass' };
export const codecOf = (format: SubtitleFormat): string => codecs[format];

/** What is stated of a subtitle file, and what it is: everything that a receipt says of it. */
export interface AttachedSubtitles {
  readonly trackIndex: number;
  readonly label: string;
  readonly language: string | null;
  readonly format: SubtitleFormat;
  readonly encoding: string;
  readonly file: ContentRef;
  readonly text: ContentRef;
  readonly measured: SubtitleTrack['measured'];
  readonly rightsHolder: string;
  /** UTC with milliseconds. */
  readonly assertedAt: string;
}

/** A subtitle file as a receipt names it. */
export function sealedSubtitleOf(attached: AttachedSubtitles): SealedSubtitleTrack {
  const { trackIndex, label, language, format, encoding, file, text, measured, rightsHolder, assertedAt } = attached;
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
  rights: {
    assertedBy: sealed.rights.asserted_by,
    assertedAt: sealed.rights.asserted_at,
    scope: sealed.rights.scope,
  },
});
