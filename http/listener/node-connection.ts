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
    this.#deadline.refresh();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The socket was silent, in both directions, for the whole time: closes it where the next move is the client's. */
  silent(idleMs: number): void {
    const exchanges = [...this.#exchanges];
    if (exchanges.length === 0 || exchanges.some((exchange) => exchange.awaitsClient)) this.close();
    else this.#socket.setTimeout(idleMs);
  }

  #due(): void {
    const exchanges = [...this.#exchanges];
    // A handler may take its time, and so may an answer: the silence of the socket shows whether that one is taken.
    if (exchanges.length === 0 || exchanges.some((exchange) => exchange.awaitsUpload)) this.close();
    else this.renew();
  }
}
