import { Packr } from 'msgpackr';

// Without shared structures each state can be read on its own.
const packr = new Packr({ useRecords: false });

/** The state of a measurement as bytes. Equal states of one version of the program give equal bytes. */
export const packState = (state: unknown): Buffer => packr.pack(state);

/** A state from its bytes; its form is for the caller to check, or to vouch for. */
export const unpackState = (bytes: Uint8Array): unknown => packr.unpack(bytes);
