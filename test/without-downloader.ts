/**
 * The environment of programs that fetch no videos. Asking a downloader for its version takes longer than everything
 * else that a host does before it listens.
 */
export const withoutDownloader = { MEDIA_STUDY_YTDLP: '/no/yt-dlp' };
