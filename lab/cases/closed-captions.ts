/** A caption that is shown from one time to another, in capital letters as broadcasts have them. */
export interface ShownCaption {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

type Pair = readonly [first: number, second: number];

/** A byte with odd parity in its highest bit, as CEA-608 sends it. */
function withParity(byte: number): number {
  const ones = [...byte.toString(2)].filter((bit) => bit === '1').length;
  return ones % 2 === 0 ? byte | 0x80 : byte;
}

const [loading, erasing, row, showing, clearing]: readonly Pair[] = [
  [0x14, 0x20],
  [0x14, 0x2e],
  [0x14, 0x70],
  [0x14, 0x2f],
  [0x14, 0x2c],
];

/** The pair of bytes of each picture that has one: a caption is loaded before it is shown, and each command is sent twice. */
function pairsOf(captions: readonly ShownCaption[], framesPerSecond: number): ReadonlyMap<number, Pair> {
  const pairs = new Map<number, Pair>();
  const frameAt = (ms: number): number => Math.floor((ms * framesPerSecond) / 1000);
  const twice = (pair: Pair | undefined): Pair[] => (pair === undefined ? [] : [pair, pair]);
  for (const { startMs, endMs, text } of captions) {
    const even = text.length % 2 === 0 ? text : `${text} `;
    const letters = Array.from(
      { length: even.length / 2 },
      (_, at): Pair => [even.charCodeAt(2 * at), even.charCodeAt(2 * at + 1)],
    );
    const load = [...twice(loading), ...twice(erasing), ...twice(row), ...letters];
    const sent = [...load, ...twice(showing)];
    const first = frameAt(startMs) - load.length - 2;
    for (const [at, pair] of sent.entries()) pairs.set(first + at, pair);
    for (const [at, pair] of twice(clearing).entries()) pairs.set(frameAt(endMs) + at, pair);
  }
  return pairs;
}

/** Bytes without a sequence that looks like a start code (H.264, 7.4.1). */
function escaped(bytes: readonly number[]): number[] {
  const out: number[] = [];
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte <= 3) {
      out.push(3);
      zeros = 0;
    }
    out.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return out;
}

/** A SEI unit with one pair of bytes for the first field, as ATSC A/53 puts it; padding if there is none. */
function captionUnit(pair: Pair | undefined): number[] {
  const [first, second] = pair === undefined ? [0x80, 0x80] : pair.map(withParity);
  const name = [...Buffer.from('GA94', 'latin1')];
  const payload = [0xb5, 0x00, 0x31, ...name, 3, 0xc1, 0xff, 0xfc, first ?? 0x80, second ?? 0x80, 0xff];
  return escaped([6, 4, payload.length, ...payload, 0x80]);
}

const startCode = [0, 0, 0, 1];

/** The units of an H.264 stream in the form of its annex B. */
function unitsOf(stream: Buffer): Buffer[] {
  const starts: { readonly at: number; readonly length: number }[] = [];
  for (let at = stream.indexOf('\u0000\u0000\u0001', 0, 'latin1'); at !== -1; ) {
    const isLong = stream[at - 1] === 0;
    starts.push({ at: isLong ? at - 1 : at, length: isLong ? 4 : 3 });
    at = stream.indexOf('\u0000\u0000\u0001', at + 3, 'latin1');
  }
  return starts.map(({ at, length }, index) => stream.subarray(at + length, starts[index + 1]?.at));
}

/**
 * An H.264 stream whose pictures carry captions of CEA-608, in the first field and the first channel. Without captions every picture has
 * padding, as broadcasts have it. The stream needs one slice for each picture, and pictures in the order in which they are shown.
 */
export function withClosedCaptions(stream: Buffer, captions: readonly ShownCaption[], framesPerSecond: number): Buffer {
  const pairs = pairsOf(captions, framesPerSecond);
  const out: Buffer[] = [];
  let picture = 0;
  for (const unit of unitsOf(stream)) {
    const type = (unit[0] ?? 0) & 31;
    if (type === 1 || type === 5) {
      out.push(Buffer.from([...startCode, ...captionUnit(pairs.get(picture))]));
      picture += 1;
    }
    out.push(Buffer.from(startCode), unit);
  }
  return Buffer.concat(out);
}
