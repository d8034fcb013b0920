import type { FoundSilences } from './silences.ts';
import type { SampleSpan } from './sound-signals.ts';

/** Windows of speech of a sound, and those in which the models find too little of it; both in order and apart. */
export interface FoundSpeech {
  readonly speech: readonly SampleSpan[];
  readonly unconfirmed: readonly SampleSpan[];
}

/** The findings of the detector process in a sound. */
export interface SoundResult extends FoundSpeech {
  /** How many samples each signal had, and the content id of the s16le bytes of the mix. */
  readonly samples: number;
  readonly contentId: string;
  /** The names of the channels that were measured beside the mix, and for how many milliseconds. */
  readonly apart: { readonly channels: readonly string[]; readonly ms: number };
  readonly silences: FoundSilences;
}
