import type { TrackChoice } from '../../contract/captions/caption-plan.ts';
import type { CauseWith, TextCause } from '../../contract/causes/causes.ts';
import { pictureSubtitleCodecs, readSubtitleCodecs } from '../../contract/sources/subtitle-codecs.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { mayServe } from '../../rules/track-choice.ts';
import type { VerifiedFindings } from '../stages/run-stages.ts';

/** Why the tracks of these codecs have no text; null if there are none. */
export function unreadCause(
  codecs: readonly string[],
): CauseWith<'subtitles_are_pictures' | 'subtitle_format_not_read'> | null {
  const distinct = [...new Set(codecs)];
  const pictures = distinct.filter((codec) => pictureSubtitleCodecs.includes(codec));
  if (pictures.length > 0) return { code: 'subtitles_are_pictures', params: { codecs: pictures } };
  return distinct.length === 0 ? null : { code: 'subtitle_format_not_read', params: { codecs: distinct } };
}

/** Why a track of a study has no text. */
type UnreadTrackCause = CauseWith<'subtitles_are_pictures' | 'subtitle_format_not_read' | 'captions_in_the_picture'>;

/** A track of a study without text. */
interface UnreadTrack {
  readonly trackIndex: number;
  /** Null for the video track whose pictures hold captions. */
  readonly codec: string | null;
  /** As the container states it. */
  readonly tag: string | null;
}

/** The subtitle tracks of a study without text, and behind them the video track if its pictures hold captions. */
export function unreadTracksOf({ operations }: Pick<VerifiedFindings, 'operations'>): UnreadTrack[] {
  return operations.flatMap(({ receipt: { parameters, evidence } }) => {
    const { tracks: stated, picture } = parameters;
    const tracks = (typeof stated === 'string' && stated !== '' ? stated.split(',') : []).map((words) => {
      const [index = '', codec = '', tag = ''] = words.split(':');
      return { trackIndex: Number(index), codec, tag: tag === '' ? null : tag };
    });
    const video = typeof picture === 'string' ? Number(picture.split(':', 1)[0]) : null;
    const holdsCaptions = evidence.some((each) => each.state === 'unavailable' && each.trackIndex === video);
    return [
      ...tracks.filter(({ codec }) => !readSubtitleCodecs.includes(codec)),
      ...(video !== null && holdsCaptions ? [{ trackIndex: video, codec: null, tag: null }] : []),
    ];
  });
}

/** Why a track of a study has no text, by its index; undefined for a track with text, and for one that exceeds a limit. */
export function unreadTrackCause(
  findings: Pick<VerifiedFindings, 'operations'>,
  wanted: number,
): UnreadTrackCause | undefined {
  const track = unreadTracksOf(findings).find(({ trackIndex }) => trackIndex === wanted);
  if (track === undefined) return undefined;
  return track.codec === null
    ? { code: 'captions_in_the_picture', params: {} }
    : (unreadCause([track.codec]) ?? undefined);
}

/** The taken track of a side, as its text shows it. */
interface TakenTrack {
  readonly language: string | null;
  readonly identified: string | null;
  readonly isContradicted: boolean;
}

/** Why the subtitles of a study give no text to a side, though some are there; null if there are none for it. */
export function textCause(
  findings: Pick<VerifiedFindings, 'operations'>,
  { asked, others }: TrackChoice,
  taken: TakenTrack | null,
): TextCause | null {
  if (taken !== null) {
    if (!taken.isContradicted) return null;
    const { identified, language } = taken;
    const isOther = identified !== null && baseLanguage(identified) !== language;
    return { code: 'subtitles_of_other_language', params: { asked, found: isOther ? identified : null } };
  }
  const other = others.find(({ reason }) => reason === 'other_script')?.language;
  if (other != null) return { code: 'subtitles_in_other_script', params: { asked, found: other } };
  const unread = unreadTracksOf(findings).filter(
    ({ tag }) => tag === null || baseLanguage(tag) === null || mayServe(tag, asked),
  );
  const ofTracks = unreadCause(unread.flatMap(({ codec }) => codec ?? []));
  if (ofTracks !== null) return ofTracks;
  return unread.length === 0 ? null : { code: 'captions_in_the_picture', params: {} };
}
