import { errorRemedies } from '../../contract/base/error-codes.ts';

/** What is said of a host without a caption executor. */
export const captionsAreOff = 'this host does not make captions';

/** The same, with what changes it: an error says that by itself. */
export const captionsOff = `${captionsAreOff}; ${errorRemedies.caption_current_run_causality_required} for subtitle tracks, or --caption-executor recognized --allow-recognized-captions for recognised speech`;
