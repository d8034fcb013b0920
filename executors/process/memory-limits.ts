const GIBIBYTE = 1024 ** 3;

/**
 * The memory that one process of each kind may have to write to, in bytes: heap, stacks and private mappings, as Linux
 * counts them for RLIMIT_DATA (getrlimit(2)). Address space would be no measure: Node and the JavaScript runtimes that
 * yt-dlp starts reserve far more of it than they use. Behind each limit stands what was measured at most.
 */
export const MEMORY_BYTES = {
  /** Saying a version takes 50 MiB; a tool that comes as a single file unpacks itself first. */
  version: GIBIBYTE,
  /** ffprobe and ffmpeg that only read packets, here or at a host: 40 MiB, and up to 256 MiB for one allocation. */
  packets: 2 * GIBIBYTE,
  /** Subtitles are text; the packets of the other tracks are read past. */
  subtitles: 2 * GIBIBYTE,
  /** A decoder of 16 threads holds a score of frames and more, 192 MiB each at the largest sizes and depths; 0.8 GiB for 8K. */
  decode: 6 * GIBIBYTE,
  /** yt-dlp reading pages takes 60 MiB; a page that unpacks to hundreds of megabytes ends it. */
  resolve: GIBIBYTE,
  /** yt-dlp and the ffmpeg that it starts; encoding 4K anew takes 1.2 GiB on two cores, and more on many. */
  download: 4 * GIBIBYTE,
  /** pocketsphinx takes 160 MiB; the largest models of Whisper 4.7 GiB, most of which they map and do not write to. */
  recognize: 6 * GIBIBYTE,
  /** The process that reads text on the screen takes 290 MiB with two languages. */
  readScreen: 2 * GIBIBYTE,
  /** The detector process takes 140 MiB with both models. */
  detector: GIBIBYTE,
} as const;
