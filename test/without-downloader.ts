/**
 * The environment of whatever a test starts that fetches no videos: to ask a downloader for its version takes longer than all
 * else that a host does before it listens.
 */
export const withoutDownloader = { MEDIA_STUDY_YTDLP: '/no/yt-dlp' };
