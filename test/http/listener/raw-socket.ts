import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { patienceMs, within } from '../../patience.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** A client without any cleverness: it sends bytes as they are, and every wait has its own bound. */
export class RawSocket {
  readonly #socket: Socket;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #changed: () => void = () => undefined;

  constructor(port: number, host = '127.0.0.1') {
    this.#socket = connect({ port, host });
    this.#socket.setNoDelay();
    this.#socket.on('data', (bytes) => {
      this.#pieces.push(bytes);
      this.#bytes += bytes.length;
      this.#changed();
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.#ended = true;
      this.#changed();
    });
  }

  send(bytes: string | Buffer): this {
    this.#socket.write(bytes);
    return this;
  }

  /** Writes a chunk again and again, as fast as the other side reads; false when it closed before all was written. */
  async sendMany(chunk: Buffer, times: number): Promise<boolean> {
    for (let sent = 0; sent < times; sent += 1) {
      if (this.#ended) return false;
      if (this.#socket.write(chunk)) continue;
      let wake = (): void => undefined;
      const drained = new Promise<void>((resolve) => {
        wake = resolve;
      });
      this.#socket.once('drain', wake).once('close', wake);
      await within('room to write', drained);
      this.#socket.off('drain', wake).off('close', wake);
    }
    return !this.#ended;
  }

  /** The next answer; for HEAD its body is not awaited. */
  async answer(method = 'GET'): Promise<RawAnswer> {
    await this.#until(patienceMs, 'an answer', () => this.#parsed(method) !== undefined || this.#ended);
    const parsed = this.#parsed(method);
    if (parsed === undefined) throw new Error('closed before a whole answer came');
    this.#drop(parsed.bytes);
    return parsed.answer;
  }

  /** The answer to bytes that need none, once the socket closed or stayed quiet for `quietMs`. */
  async outcome(quietMs = 400): Promise<'closed' | 'unanswered' | 'answered'> {
    await this.#until(quietMs, 'an outcome', () => this.#ended).catch(() => undefined);
    const status = Number(Buffer.concat(this.#pieces).toString('latin1', 9, 12));
    if (status > 0 && status < 400) return 'answered';
    return this.#ended ? 'closed' : 'unanswered';
  }

  async closed(withinMs = patienceMs): Promise<void> {
    await this.#until(withinMs, 'the close', () => this.#ended);
  }

  /** Sends its end, and waits until the other side has closed in turn. */
  async left(): Promise<void> {
    this.#socket.end();
    await this.closed();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #drop(bytes: number): void {
    this.#pieces = [Buffer.concat(this.#pieces).subarray(bytes)];
    this.#bytes -= bytes;
  }

  /** The first answer among the received bytes, once it is whole. */
  #parsed(method: string): { answer: RawAnswer; bytes: number } | undefined {
    let start = this.#pieces[0] ?? Buffer.alloc(0);
    if (!start.includes('\r\n\r\n')) start = Buffer.concat(this.#pieces);
    const headEnd = start.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const [first = '', ...lines] = start.toString('latin1', 0, headEnd).split('\r\n');
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const status = Number(/^HTTP\/1\.1 (\d{3})( |$)/.exec(first)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no status line: ${first}`);
    const length = method === 'HEAD' ? 0 : Number(headers.get('content-length') ?? 0);
    const bytes = headEnd + 4 + length;
    if (this.#bytes < bytes) return undefined;
    const body = Buffer.concat(this.#pieces).subarray(headEnd + 4, bytes);
    return { answer: { status, headers, body }, bytes };
  }

  async #until(ms: number, what: string, holds: () => boolean): Promise<void> {
    if (holds()) return;
    const change = new Promise<void>((resolve, reject) => {
      this.#changed = () => {
        try {
          if (holds()) resolve();
        } catch (error) {
          reject(error);
        }
      };
    });
    await within(what, change, ms);
  }
}

/** True if a port has no listener. */
export async function isRefused(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  const refused = await once(socket, 'connect').then(
    () => false,
    () => true,
  );
  socket.destroy();
  return refused;
}
