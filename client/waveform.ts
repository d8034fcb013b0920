/** A sound for drawing: the lowest and the highest sample (16 bits) of each window; window `n` begins `n` × `windowMs` after `startMs`. */
export interface Waveform {
  readonly startMs: number;
  readonly windowMs: number;
  readonly lowest: Int16Array;
  readonly highest: Int16Array;
}

const HEADER_BYTES = 20;

/**
 * Reads the object of a waveform, which has the format of audiowaveform (version 1, 16 bits). Throws `TypeError` for bytes of
 * another form.
 */
export function waveformOf(startMs: number, bytes: ArrayBuffer): Waveform {
  const view = new DataView(bytes);
  if (view.byteLength < HEADER_BYTES) throw otherForm();
  const [version, flags, rate, samples, windows] = [0, 4, 8, 12, 16].map((at) => view.getUint32(at, true));
  if (version !== 1 || flags !== 0 || !rate || !samples || windows === undefined) throw otherForm();
  if (view.byteLength !== HEADER_BYTES + windows * 4) throw otherForm();
  const value = (place: number) => view.getInt16(HEADER_BYTES + place * 2, true);
  return {
    startMs,
    windowMs: (samples * 1000) / rate,
    lowest: Int16Array.from({ length: windows }, (_none, window) => value(window * 2)),
    highest: Int16Array.from({ length: windows }, (_none, window) => value(window * 2 + 1)),
  };
}

const otherForm = () => new TypeError('the object is no waveform of the form that this client reads');
