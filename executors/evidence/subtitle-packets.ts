import { DetectionFailure } from '../detector/detection-failure.ts';

/** One packet of a track: its times in half-open milliseconds, and its bytes. */
export interface SubtitlePacket {
  readonly startMs: number;
  readonly endMs: number;
  readonly bytes: Uint8Array;
}

interface PacketTime {
  readonly startMs: number;
  readonly endMs: number;
  readonly size: number;
}

const EMPTY = Buffer.alloc(0);
const TIME_BASE = /^#tb 0: (\d+)\/(\d+)$/;
// stream, decoding time, presentation time, duration, size, checksum; side data may follow.
const PACKET = /^0, +-?\d+, +(-?\d+), +(\d+), +(\d+), 0x[0-9a-f]{8}(?:,|$)/;
const LONGEST_LINE_BYTES = 4096;

/**
 * Puts together what ffmpeg writes of one track on two pipes: a list of its packets (`-f framecrc`: times and sizes), and
 * their bytes one after another (`-f data`). The size alone says where a packet ends, so nothing in its text can begin
 * another one. Each packet is handed over as soon as both are there. Throws `DetectionFailure` on another form.
 */
export class PacketJoiner {
  readonly #deliver: (packet: SubtitlePacket) => void;
  #msPerTick: number | null = null;
  #line: Buffer = EMPTY;
  #payload: Buffer = EMPTY;
  #times: PacketTime[] = [];

  constructor(deliver: (packet: SubtitlePacket) => void) {
    this.#deliver = deliver;
  }

  /** A chunk of the list. */
  list(chunk: Buffer): void {
    const lines = this.#line.length === 0 ? chunk : Buffer.concat([this.#line, chunk]);
    let start = 0;
    for (let end = lines.indexOf(10); end !== -1; end = lines.indexOf(10, start)) {
      this.#take(lines.toString('latin1', start, end));
      start = end + 1;
    }
    this.#line = lines.subarray(start);
    if (this.#line.length > LONGEST_LINE_BYTES) throw new DetectionFailure('ffmpeg listed packets in an unknown form');
    this.#join();
  }

  /** A chunk of the bytes. */
  data(chunk: Buffer): void {
    this.#payload = this.#payload.length === 0 ? chunk : Buffer.concat([this.#payload, chunk]);
    this.#join();
  }

  /** Nothing more comes: every listed packet must have been handed over. */
  end(): void {
    if (this.#line.length + this.#payload.length + this.#times.length > 0) {
      throw new DetectionFailure('ffmpeg listed other packets than it wrote');
    }
  }

  #take(line: string): void {
    if (line.startsWith('#')) {
      const base = TIME_BASE.exec(line);
      if (base !== null) this.#msPerTick = (1000 * Number(base[1])) / Number(base[2]);
      return;
    }
    const packet = PACKET.exec(line);
    if (packet === null || this.#msPerTick === null) {
      throw new DetectionFailure('ffmpeg listed packets in an unknown form');
    }
    const [start, duration, size] = packet.slice(1).map(Number) as [number, number, number];
    this.#times.push({
      startMs: Math.round(start * this.#msPerTick),
      endMs: Math.round((start + duration) * this.#msPerTick),
      size,
    });
  }

  #join(): void {
    let joined = 0;
    let at = 0;
    for (const { startMs, endMs, size } of this.#times) {
      if (at + size > this.#payload.length) break;
      this.#deliver({ startMs, endMs, bytes: this.#payload.subarray(at, at + size) });
      at += size;
      joined += 1;
    }
    this.#times = this.#times.slice(joined);
    this.#payload = this.#payload.subarray(at);
  }
}
