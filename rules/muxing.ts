import type { CauseWith } from '../contract/causes/causes.ts';
import type { MediaProbeTrack } from '../contract/sources/media-probe.ts';

/** The containers that captions can be put into, by the extension of the file, in the order in which they are offered. */
export const muxContainers = ['.mkv', '.mp4', '.m4v', '.mov', '.webm'] as const;

export type MuxContainer = (typeof muxContainers)[number];

/** The codecs of picture and sound that a container takes, by ffmpeg's names. Null: all. */
interface Room {
  readonly played: ReadonlySet<string> | null;
  /** The codec of ffmpeg for text in it. */
  readonly text: 'subrip' | 'mov_text' | 'webvtt';
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

// From trials: ffmpeg 5.1 copied each codec that it encodes into each container. Its tables of tags have the rest
// (libavformat/movenc.c). It calls FLAC and TrueHD in MP4 experimental, and refuses them.
const inMp4 = words(`
  h264 hevc mpeg4 mpeg2video mpeg1video mjpeg png jpeg2000 vc1 dirac vp9 av1
  aac mp3 mp2 ac3 eac3 dts alac opus vorbis
`);
const inQuickTime = words(`
  h264 hevc mpeg4 mpeg2video mpeg1video mjpeg png jpeg2000 dirac theora prores dnxhd dvvideo ffv1 h263 flv1 huffyuv cinepak
  rawvideo utvideo snow svq1 svq3 wmv1 wmv2 msmpeg4v2 msmpeg4v3
  aac mp3 mp2 ac3 eac3 dts alac vorbis speex adpcm_g722 wmav1 wmav2 amr_nb amr_wb pcm_alaw pcm_mulaw pcm_u8 pcm_s8
  pcm_s16le pcm_s16be pcm_s24le pcm_s24be pcm_s32le pcm_s32be pcm_f32le pcm_f32be pcm_f64le pcm_f64be
`);

const mp4: Room = { played: new Set(inMp4), text: 'mov_text' };

const rooms: Readonly<Record<MuxContainer, Room>> = {
  '.mkv': { played: null, text: 'subrip' },
  '.mp4': mp4,
  '.m4v': mp4,
  '.mov': { played: new Set(inQuickTime), text: 'mov_text' },
  '.webm': { played: new Set(words('vp8 vp9 av1 opus vorbis')), text: 'webvtt' },
};

/** Text that ffmpeg turns from one form into another. */
const convertible = new Set(['subrip', 'srt', 'ass', 'ssa', 'webvtt', 'mov_text', 'text']);

/** Subtitles that Matroska takes as they are; text of MP4 it takes as SubRip. */
const inMatroska = new Set([
  ...['subrip', 'srt', 'ass', 'ssa', 'webvtt', 'text'],
  ...['hdmv_pgs_subtitle', 'hdmv_text_subtitle', 'dvd_subtitle', 'dvb_subtitle'],
]);

/** A track of a film that a copy of it has, by its index in the film. `as`: as it is, or ffmpeg's name of the other form. */
export interface CopiedTrack {
  readonly index: number;
  readonly type: 'video' | 'audio' | 'subtitle';
  readonly codec: string;
  readonly as: 'copy' | Room['text'];
}

/** The tracks of a film and of its copy with captions in a container. */
export interface Muxing {
  readonly container: MuxContainer;
  /** The tracks of the copy in front of the captions: pictures, sound, subtitles. */
  readonly copied: readonly CopiedTrack[];
  /** The form of the captions in the container. */
  readonly captions: Room['text'];
  /** Subtitles that the copy will lack. */
  readonly lacking: readonly CauseWith<'subtitles_not_in_container'>[];
  /** Why there can be no copy: one for each track of picture or sound that the container does not take. */
  readonly obstacles: readonly CauseWith<'codec_not_in_container'>[];
}

/** The container that the extension of a file names; null for none that holds captions. */
export const muxContainerOf = (extension: string): MuxContainer | null =>
  muxContainers.find((each) => each === extension.toLowerCase()) ?? null;

type Track = Pick<MediaProbeTrack, 'index' | 'codec' | 'type'>;

/** Pictures that come with a film, such as its poster, which the probe has among other tracks. */
const isCover = (container: MuxContainer, { type, codec }: Track): boolean =>
  type === 'other' && container !== '.webm' && (codec === 'mjpeg' || codec === 'png');

const isPlayed = ({ type, codec }: Track): boolean => (type === 'video' || type === 'audio') && codec !== 'unknown';

const takes = ({ played }: Room, { codec }: Track): boolean => played === null || played.has(codec);

/** The form of the subtitles of a film in a container; null if it does not hold them. */
function subtitlesAs(container: MuxContainer, { codec }: Track): CopiedTrack['as'] | null {
  if (container === '.mkv' && inMatroska.has(codec)) return 'copy';
  return convertible.has(codec) ? rooms[container].text : null;
}

/**
 * The tracks that a copy of a film has in a container, and those that it lacks. Data, fonts and tracks that ffmpeg does not know do not
 * count. The probe alone decides, so that a person knows it before they sign.
 */
export function muxingOf(tracks: readonly Track[], container: MuxContainer): Muxing {
  const room = rooms[container];
  const played = tracks.filter(isPlayed);
  const shown = tracks.filter((track) => isPlayed(track) || isCover(container, track));
  const subtitles = tracks.filter(({ type }) => type === 'subtitle');
  const among = (isRight: (other: MuxContainer) => boolean) =>
    muxContainers.filter((other) => other !== container && other !== '.m4v' && isRight(other));
  const whole = among((other) => played.every((track) => takes(rooms[other], track)));
  return {
    container,
    captions: room.text,
    copied: [
      ...shown.map(
        ({ index, codec, type }) => ({ index, codec, type: type === 'audio' ? type : 'video', as: 'copy' }) as const,
      ),
      ...subtitles.flatMap((track) => {
        const as = subtitlesAs(container, track);
        return as === null ? [] : [{ index: track.index, codec: track.codec, type: 'subtitle', as } as const];
      }),
    ],
    lacking: subtitles
      .filter((track) => subtitlesAs(container, track) === null)
      .map((track) => ({
        code: 'subtitles_not_in_container',
        params: {
          track: track.index,
          codec: track.codec,
          container,
          others: among((other) => whole.includes(other) && subtitlesAs(other, track) !== null),
        },
      })),
    obstacles: played
      .filter((track) => !takes(room, track))
      .map(({ index, codec }) => ({
        code: 'codec_not_in_container',
        params: { track: index, codec, container, others: whole },
      })),
  };
}
