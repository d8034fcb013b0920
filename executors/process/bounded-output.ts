import { type Readable, Transform } from 'node:stream';

/** Keeps everything it is given, up to the limit that the stream before it enforces. */
export class CollectedOutput {
  readonly #chunks: Buffer[] = [];

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** The first `maximum` bytes as text. */
  head(maximum: number): string {
    return this.bytes().subarray(0, maximum).toString('utf8');
  }

  /** The last `maximum` bytes as text. */
  tail(maximum: number): string {
    return this.bytes().subarray(-maximum).toString('utf8');
  }
}

/** Reads a stream to its end or to its destruction; what came until then stays in `output`. Never rejects. */
export async function collect(stream: Readable, output: CollectedOutput): Promise<void> {
  try {
    for await (const chunk of stream) output.add(chunk);
  } catch {
    // The code that destroyed the stream reports why.
  }
}

/** Passes at most `limitBytes` on, with backpressure; the first byte beyond calls `onLimit` once and is dropped. */
export function boundedStream(limitBytes: number, onLimit: () => void): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const room = limitBytes - seen;
      if (room < 0) return done();
      seen += chunk.length;
      if (chunk.length <= room) return done(null, chunk);
      done(null, chunk.subarray(0, room));
      onLimit();
    },
  });
}
