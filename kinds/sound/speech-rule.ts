import { SAMPLES_PER_MS } from './sound-signals.ts';

/** From one spectrum of a signal to the next, 16 ms: the resolution of what is known of its speech. */
export const STEP_SAMPLES = 256;

/** The bands of a spectrum whose levels the boundary model gets: triangles, evenly placed on O'Shaughnessy's mel scale. */
export const BAND_RULE = { bands: 32, lowestHz: 60, highestHz: 7800 } as const;

/** SHA-256 of the weights of the boundary model, which this project has trained. Other bytes are refused when it is loaded. */
export const BOUNDARY_WEIGHTS_SHA256 = 'f55734b5332a7834aff1e3d6c154cc7b60adcf67c42b9c76f112920873b3690c';

/**
 * The speech model overlooks words in noise, over music and in rooms, so it gets a sound without steady parts. Every 16 ms a
 * Wiener filter removes from each band of the spectrum the power that is there most of the time. Found on spoken words and
 * phrases in nine voices under eight conditions, and reported on others (lab/docs/evaluation-results.md).
 */
export const SUPPRESSION_RULE = {
  frameMs: (2 * STEP_SAMPLES) / SAMPLES_PER_MS,
  /** The noise of a band: the power that it does not exceed in this share of the block and the block before, times a factor. */
  noiseShare: 0.6,
  noiseFactor: 2,
  /** How much of the power of the frame before goes into that of a frame whose noise is measured, and into its filter. */
  smoothing: 0.7,
  inertia: 0.5,
  /** No band is lowered by more than this: what is taken from speech by mistake stays small. */
  suppressMostDb: 10,
} as const;

/**
 * Notes have steady harmonics, and those of a voice glide. The fine structure of a spectrum is its level in each bin above the mean
 * level of the bins beside it. In a note it stays the same for some steps. Found on music and on recorded voices, and reported on
 * others (lab/docs/evaluation-results.md).
 */
export const STEADINESS_RULE = {
  /** The bins on both sides of a bin whose mean level is taken off. */
  besideBins: 4,
  lowestHz: 200,
  highestHz: 2900,
  /** The spectra that are compared are so many steps apart. */
  lagSteps: 4,
} as const;

/**
 * The rule for a window of speech. Chosen on recorded voices under eight conditions and on sounds without speech, and reported
 * on others (lab/docs/evaluation-results.md).
 */
export const SPEECH_RULE = {
  /** A window has a moment as probable as this, and reaches to where the probability falls below the edge. */
  onThreshold: 0.65,
  edgeThreshold: 0.4,
  /** Shorter pauses count as speech, and shorter speech does not count. */
  minSilenceMs: 300,
  minSpeechMs: 200,
  /**
   * The contrast of a window is its mean above that of so much time before it and behind it. Music and noises swell and fade, and
   * words begin and end. The time beside a long window says little about it, so its mean alone decides.
   */
  besideMs: 320,
  longMs: 3000,
  /** A window is possible speech with as much, and if the first model finds as much somewhere in it. */
  leastContrast: 0.55,
  leastLongMean: 0.65,
  leastEstimate: 0.05,
  /** It is certain with as much, if the first model finds more in a window as long as a phrase: it overlooks short words. */
  certainContrast: 0.72,
  certainLongMean: 0.8,
  phraseMs: 1000,
  leastPhraseEstimate: 0.5,
  /** None is certain whose harmonics are steadier than this on the mean: it has notes. Music behind speech is less steady. */
  mostSteadiness: 0.5,
  /** A possible window this long is certain, too. Music is taken for speech once in a while, and people go on speaking. */
  certainMs: 6000,
  /** So are two possible windows this near to each other. */
  pairMs: 1000,
  /** Possible speech counts this near to a window that is certain. */
  nearMs: 3000,
} as const;
