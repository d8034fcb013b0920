/** A lifecycle in words that do not follow from its code. */
export const lifecycles: Readonly<Record<string, string>> = {
  accepted: 'waiting for its turn',
  initializing: 'opening the source',
  running: 'studying',
  terminal: 'studied',
  failed: 'failed',
  interrupted: 'interrupted',
};

/**
 * The look of a state. `good` went well, `busy` is under way, and `queued` waits for its turn. `waiting` waits for a person,
 * and `warning` needs a look. `kept` is withheld, `bad` went wrong, and `quiet` needs nothing.
 */
export type Tone = 'good' | 'busy' | 'queued' | 'waiting' | 'warning' | 'kept' | 'bad' | 'quiet';

const tones: Readonly<Record<string, Tone>> = {
  terminal: 'good',
  registered: 'good',
  supported: 'good',
  done: 'good',
  available: 'good',
  accepted: 'queued',
  queued: 'queued',
  waiting: 'waiting',
  initializing: 'busy',
  running: 'busy',
  under_way: 'busy',
  uploading: 'busy',
  probing: 'busy',
  sealing: 'busy',
  resolving: 'busy',
  downloading: 'busy',
  withheld: 'kept',
  truncated: 'kept',
  withdrawn: 'kept',
  interrupted: 'kept',
  unknown: 'kept',
  failed: 'bad',
};

export const toneOf = (state: string): Tone => tones[state] ?? 'quiet';
