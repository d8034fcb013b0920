/** Codecs of text tracks that a study reads, by ffmpeg's names. */
export const readSubtitleCodecs: readonly string[] = ['mov_text', 'subrip', 'srt', 'ass', 'ssa', 'webvtt', 'text'];

/** Codecs of subtitles that are pictures: they have no words to read. */
export const pictureSubtitleCodecs: readonly string[] = ['dvd_subtitle', 'hdmv_pgs_subtitle', 'dvb_subtitle', 'xsub'];

/** How people call formats of subtitles that a study does not read. */
const names: Readonly<Record<string, string>> = {
  dvd_subtitle: 'VobSub',
  hdmv_pgs_subtitle: 'PGS',
  dvb_subtitle: 'DVB',
  xsub: 'XSUB',
  ttml: 'TTML',
  wvtt: 'WebVTT in MP4',
  dvb_teletext: 'teletext',
  eia_608: 'CEA-608',
  arib_caption: 'ARIB',
  hdmv_text_subtitle: 'text subtitles of Blu-ray',
};

/** A codec of subtitles as people call it; ffmpeg's name if there is no other. */
export const subtitleCodecName = (codec: string): string => names[codec] ?? codec;
