/** Why a host without a caption executor has no captions of a study, and what changes that. */
export const captionsOff =
  'this host does not make captions; restart it with --caption-executor grouped-subtitles --allow-embedded-subtitle-captions for subtitle tracks, or --caption-executor recognized --allow-recognized-captions for recognised speech';
