import type { Socket } from 'node:net';

/** What a connection has to know of an exchange on it. */
export interface ConnectedExchange {
  /** Whether the next move is the client's: to send its body, or to take its answer. */
  readonly awaitsClient: boolean;
  /** Whether the client still sends its body. */
  readonly awaitsUpload: boolean;
  /** The connection is gone. */
  lost(): void;
}

/** One connection of `node:http`: the exchanges under way on it, and the time in which its client has to act. */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #exchanges = new Set<ConnectedExchange>();
  readonly #deadline: NodeJS.Timeout;
  readonly #onAccepted: (connection: NodeConnection) => void;
  #isDue = false;

  /**
   * The client has `idleMs` for each whole request head, counted from the connect or from the last answer, and for each
   * piece of a body that shows that it moves. `onAccepted` is called when it has shown that it may be here.
   */
  constructor(socket: Socket, idleMs: number, onAccepted: (connection: NodeConnection) => void) {
    this.#socket = socket;
    this.#onAccepted = onAccepted;
    this.#deadline = setTimeout(() => this.#due(), idleMs);
    socket.on('close', () => {
      clearTimeout(this.#deadline);
      for (const exchange of this.#exchanges) exchange.lost();
    });
  }

  begin(exchange: ConnectedExchange): void {
    this.#exchanges.add(exchange);
    this.renew();
  }

  finish(exchange: ConnectedExchange): void {
    this.#exchanges.delete(exchange);
    this.renew();
  }

  accept(): void {
    this.#onAccepted(this);
  }

  /** The client did what it had to: it has its whole time again. */
  renew(): void {
    this.#isDue = false;
    this.#deadline.refresh();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The socket was silent, in both directions, for the whole time: closes it where the next move is the client's. */
  silent(idleMs: number): void {
    const { bytesRead } = this.#socket;
    afterArrivals(() => {
      if (this.#socket.bytesRead === bytesRead && this.#awaits((exchange) => exchange.awaitsClient)) this.close();
      else this.#socket.setTimeout(idleMs);
    });
  }

  #due(): void {
    // A handler may take its time, and so may an answer: the silence of the socket shows whether that one is taken.
    if (!this.#awaits((exchange) => exchange.awaitsUpload)) {
      this.renew();
      return;
    }
    this.#isDue = true;
    afterArrivals(() => {
      if (this.#isDue) this.close();
    });
  }

  /** Whether the next move is the client's: to send a request, or what `isAwaited` finds missing of one. */
  #awaits(isAwaited: (exchange: ConnectedExchange) => boolean): boolean {
    const exchanges = [...this.#exchanges];
    return exchanges.length === 0 || exchanges.some(isAwaited);
  }
}

/**
 * Runs once the bytes that have arrived are read. Node runs its timers first: where the whole process stood still, the time of
 * every client is over before the host has looked at what it sent in that time.
 */
const afterArrivals = (run: () => void): void => void setImmediate(run);
