interface Place {
  readonly id: string;
  readonly position: number;
}

/**
 * A queue in front of a fixed number of workers, first come first served. Positions are durable numbers of the caller, so that
 * the order outlives the process. Joining, leaving and being granted take the same time however many wait. Only an entry that
 * returns to an earlier place has to be put between others.
 */
export class WorkQueue {
  readonly #capacity: number;
  readonly #grant: (id: string) => void;
  readonly #working = new Set<string>();
  /** The waiting ids, with their positions. */
  readonly #waiting = new Map<string, number>();
  /** The ids that wait apart for a turn alone, which this queue never grants. */
  readonly #apart = new Set<string>();
  /** Entries in the order of their positions, from `#first` on; one whose holder waits no more is passed over. */
  #places: Place[] = [];
  #first = 0;
  #lastPosition = 0;
  #heldAfter = Number.POSITIVE_INFINITY;
  #open = false;

  constructor(capacity: number, grant: (id: string) => void) {
    this.#capacity = capacity;
    this.#grant = grant;
  }

  /** The next position; later positions are larger. */
  nextPosition(): number {
    this.#lastPosition += 1;
    return this.#lastPosition;
  }

  /**
   * Joins the queue, whatever the id held before: a place, or a worker that was never taken. Positions of an earlier process may
   * arrive in any order before `open`.
   */
  wait(id: string, position: number): void {
    this.#apart.delete(id);
    this.#lastPosition = Math.max(this.#lastPosition, position);
    this.#working.delete(id);
    if (this.#waiting.get(id) !== position) {
      this.#waiting.set(id, position);
      this.#places.splice(this.#open ? this.#placeOf(position) : this.#places.length, 0, { id, position });
    }
    this.#advance();
  }

  /** Waits for a turn alone, of which the queue knows nothing: it only counts who does, until it occupies a worker or leaves. */
  waitApart(id: string): void {
    this.#apart.add(id);
  }

  /** Takes a worker without waiting: work that an earlier process had begun. */
  occupy(id: string): void {
    this.#apart.delete(id);
    this.#working.add(id);
  }

  /** Leaves the queue or the worker. */
  leave(id: string): void {
    this.#waiting.delete(id);
    this.#apart.delete(id);
    this.#working.delete(id);
    this.#advance();
  }

  /** Begins to grant; before, the queue only fills. */
  open(): void {
    this.#places.sort((one, other) => one.position - other.position);
    this.#open = true;
    this.#advance();
  }

  /** Grants no one who joins from now on until `release`; who waits already keeps the position. */
  hold(): void {
    this.#heldAfter = Math.min(this.#heldAfter, this.#lastPosition);
  }

  release(): void {
    this.#heldAfter = Number.POSITIVE_INFINITY;
    this.#advance();
  }

  /** The place of a waiting id, from 1; null if it does not wait. Takes time in proportion to the number that wait. */
  placeOf(id: string): number | null {
    const own = this.#waiting.get(id);
    if (own === undefined) return null;
    let before = 0;
    for (const position of this.#waiting.values()) if (position < own) before += 1;
    return before + 1;
  }

  /** How many wait for a worker, or apart for a turn alone. */
  get waiting(): number {
    return this.#waiting.size + this.#apart.size;
  }

  /** How many workers are taken. */
  get working(): number {
    return this.#working.size;
  }

  /** No worker is taken, and no one waits whose turn would come now. A queue that is not open grants nothing. */
  get isQuiet(): boolean {
    return this.#working.size === 0 && (!this.#open || this.#next() === undefined);
  }

  #placeOf(position: number): number {
    let [low, high] = [this.#first, this.#places.length];
    // Nearly everybody joins at the end.
    if ((this.#places.at(-1)?.position ?? 0) < position) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle]?.position ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #next(): Place | undefined {
    for (; this.#first < this.#places.length; this.#first += 1) {
      const place = this.#places[this.#first];
      if (place === undefined || this.#waiting.get(place.id) !== place.position) continue;
      return place.position <= this.#heldAfter ? place : undefined;
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
