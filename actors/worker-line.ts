/**
 * A waiting line in front of a fixed number of workers, first come first served. Tickets are durable numbers of the
 * caller, so that the order outlives the process.
 */
export class WorkerLine {
  readonly #capacity: number;
  readonly #grant: (id: string) => void;
  readonly #working = new Set<string>();
  readonly #waiting: { id: string; ticket: number }[] = [];
  #lastTicket = 0;
  #open = false;

  constructor(capacity: number, grant: (id: string) => void) {
    this.#capacity = capacity;
    this.#grant = grant;
  }

  /** The next ticket; later tickets are larger. */
  nextTicket(): number {
    this.#lastTicket += 1;
    return this.#lastTicket;
  }

  /**
   * Joins the line, whatever the id held before: a place, or a worker that nobody took. Tickets of an earlier process may
   * arrive in any order before `open`.
   */
  wait(id: string, ticket: number): void {
    this.#lastTicket = Math.max(this.#lastTicket, ticket);
    this.#remove(id);
    const last = this.#waiting.at(-1);
    const place = last === undefined || last.ticket < ticket ? -1 : this.#waiting.findIndex((e) => e.ticket > ticket);
    this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, { id, ticket });
    this.#advance();
  }

  /** Takes a worker without waiting: work that an earlier process had begun. */
  occupy(id: string): void {
    this.#working.add(id);
  }

  /** Leaves the line or the worker. */
  leave(id: string): void {
    this.#remove(id);
    this.#advance();
  }

  /** Begins to grant; before, the line only fills. */
  open(): void {
    this.#open = true;
    this.#advance();
  }

  #remove(id: string): void {
    const place = this.#waiting.findIndex((entry) => entry.id === id);
    if (place !== -1) this.#waiting.splice(place, 1);
    this.#working.delete(id);
  }

  #advance(): void {
    while (this.#open && this.#working.size < this.#capacity) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#working.add(next.id);
      this.#grant(next.id);
    }
  }
}
