/** What the latest request came to. A tunnel's answers are encrypted, so its status stays unknown: null. */
export type ProxyOutcome =
  | { readonly kind: 'answered'; readonly status: number | null }
  | { readonly kind: 'host_unreachable' };

/** What a proxy has seen, to explain why a tool failed. */
export interface ProxyFindings {
  /** How many requests showed the right secret. */
  readonly requests: number;
  /** Whether something was refused because it is not public, or not http. */
  readonly refusedAddress: boolean;
  /** Whether more bytes were asked for than may pass. */
  readonly overLimit: boolean;
  readonly lastOutcome: ProxyOutcome | null;
}

/** Notes what happens, and counts the bytes of both directions against the limit. */
export class ProxyNotes implements ProxyFindings {
  requests = 0;
  refusedAddress = false;
  overLimit = false;
  lastOutcome: ProxyOutcome | null = null;
  #room: number;

  constructor(maximumBytes: number) {
    this.#room = maximumBytes;
  }

  /** Takes note of bytes that want to pass; false when that is more than may. */
  spend(bytes: number): boolean {
    this.#room -= bytes;
    if (this.#room < 0) this.overLimit = true;
    return !this.overLimit;
  }
}
