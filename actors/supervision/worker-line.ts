interface Place {
  readonly id: string;
  readonly ticket: number;
}

/**
 * A waiting line in front of a fixed number of workers, first come first served. Tickets are durable numbers of the
 * caller, so that the order outlives the process. To join, to leave and to be granted take the same time however many wait;
 * only who comes back to an earlier place has to be put between others.
 */
export class WorkerLine {
  readonly #capacity: number;
  readonly #grant: (id: string) => void;
  readonly #working = new Set<string>();
  /** Who waits, by id, with the ticket. */
  readonly #waiting = new Map<string, number>();
  /** Places in the order of their tickets, from `#first` on; one whose holder waits no more is passed over. */
  #places: Place[] = [];
  #first = 0;
  #lastTicket = 0;
  #heldAfter = Number.POSITIVE_INFINITY;
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
    this.#working.delete(id);
    if (this.#waiting.get(id) !== ticket) {
      this.#waiting.set(id, ticket);
      this.#places.splice(this.#open ? this.#placeOf(ticket) : this.#places.length, 0, { id, ticket });
    }
    this.#advance();
  }

  /** Takes a worker without waiting: work that an earlier process had begun. */
  occupy(id: string): void {
    this.#working.add(id);
  }

  /** Leaves the line or the worker. */
  leave(id: string): void {
    this.#waiting.delete(id);
    this.#working.delete(id);
    this.#advance();
  }

  /** Begins to grant; before, the line only fills. */
  open(): void {
    this.#places.sort((one, other) => one.ticket - other.ticket);
    this.#open = true;
    this.#advance();
  }

  /** Grants nobody who joins from now on until `release`; whoever is in line keeps the turn. */
  hold(): void {
    this.#heldAfter = Math.min(this.#heldAfter, this.#lastTicket);
  }

  release(): void {
    this.#heldAfter = Number.POSITIVE_INFINITY;
    this.#advance();
  }

  /** Nobody works, and nobody waits whose turn would come now. A line that is not open makes nobody work. */
  get isQuiet(): boolean {
    return this.#working.size === 0 && (!this.#open || this.#next() === undefined);
  }

  #placeOf(ticket: number): number {
    let [low, high] = [this.#first, this.#places.length];
    // Nearly everybody joins at the end.
    if ((this.#places.at(-1)?.ticket ?? 0) < ticket) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle]?.ticket ?? 0) < ticket) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #next(): Place | undefined {
    for (; this.#first < this.#places.length; this.#first += 1) {
      const place = this.#places[this.#first];
      if (place === undefined || this.#waiting.get(place.id) !== place.ticket) continue;
      return place.ticket <= this.#heldAfter ? place : undefined;
    }
    this.#places = [];
    this.#first = 0;
    return undefined;
  }

  #advance(): void {
    while (this.#open && this.#working.size < this.#capacity) {
      const next = this.#next();
      if (next === undefined) return;
      this.#pass();
      this.#waiting.delete(next.id);
      this.#working.add(next.id);
      this.#grant(next.id);
    }
  }

  /** Steps over the first place; half of the places may lie behind before they are cleared away. */
  #pass(): void {
    this.#first += 1;
    if (this.#first < 64 || this.#first * 2 < this.#places.length) return;
    this.#places = this.#places.slice(this.#first);
    this.#first = 0;
  }
}
