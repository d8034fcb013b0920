import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../contract/base/clock.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import {
  type IssuedPairingCode,
  ownPages,
  type PageToken,
  type Pairing,
  pairedPages,
  pairingCodeMs,
  pairingGuesses,
} from '../../contract/operation.ts';

interface PairingsOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Milliseconds that have passed, on a monotonic clock. */
  readonly elapsed: () => number;
  /** So many random bytes. */
  readonly randomBytes: (count: number) => Buffer;
}

interface OpenCode {
  readonly codeHash: Buffer;
  readonly expiresAtMs: number;
  readonly issuedAtElapsedMs: number;
  guessesLeft: number;
}

/** Crockford's base 32: each byte of chance gives one character, evenly. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeLength = 10;
const tokenBytes = 32;

const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/**
 * Pages that got a token of their own: for a code that the owner of the host gave them, or for the host's token. All of it lives in memory: the end of
 * the host ends every code and every such token. Of both only hashes are kept.
 */
export class Pairings {
  readonly #options: PairingsOptions;
  #open: OpenCode | null = null;
  #tokens: readonly Buffer[] = [];
  #ownTokens: readonly Buffer[] = [];

  constructor(options: PairingsOptions) {
    this.#options = options;
  }

  /** A new code, for five minutes and one page; the code before it ends. */
  issue(): IssuedPairingCode {
    const { clock, elapsed, randomBytes } = this.#options;
    const code = [...randomBytes(codeLength)].map((byte) => alphabet.charAt(byte % alphabet.length)).join('');
    const expiresAtMs = clock.now() + pairingCodeMs;
    const issuedAtElapsedMs = elapsed();
    this.#open = { codeHash: hashOf(code), expiresAtMs, issuedAtElapsedMs, guessesLeft: pairingGuesses };
    return { schema: 'studio.pairing-code.v1', code, expiresAt: new Date(expiresAtMs).toISOString() };
  }

  /** A token for a code, once. Throws `pairing_refused`, which says the same of every code that does not fit. */
  exchange(code: string): Pairing {
    const { randomBytes } = this.#options;
    const open = this.#open;
    if (open === null || this.#isOver(open)) throw refused();
    if (!timingSafeEqual(hashOf(code), open.codeHash)) {
      open.guessesLeft -= 1;
      if (open.guessesLeft === 0) this.#open = null;
      throw refused();
    }
    this.#open = null;
    const authorizationToken = randomBytes(tokenBytes).toString('hex');
    this.#tokens = [...this.#tokens, hashOf(authorizationToken)].slice(-pairedPages);
    return { schema: 'studio.pairing.v1', authorizationToken };
  }

  /** A token for a page of the owner, who has given the host's own: it can be kept where that one must not be. */
  grant(): PageToken {
    const authorizationToken = this.#options.randomBytes(tokenBytes).toString('hex');
    this.#ownTokens = [...this.#ownTokens, hashOf(authorizationToken)].slice(-ownPages);
    return { schema: 'studio.page-token.v1', authorizationToken };
  }

  /** A clock that is set back gives a code no more time, and a machine that sleeps does not stop the time of one. */
  #isOver({ expiresAtMs, issuedAtElapsedMs }: OpenCode): boolean {
    const { clock, elapsed } = this.#options;
    return expiresAtMs <= clock.now() || elapsed() - issuedAtElapsedMs >= pairingCodeMs;
  }

  /** True if a page got this token from the host. Takes the same time for every token. */
  holds(token: string): boolean {
    const given = hashOf(token);
    return [...this.#tokens, ...this.#ownTokens].filter((known) => timingSafeEqual(known, given)).length > 0;
  }
}

const refused = () => new ServiceError('pairing_refused', 'no open pairing code is this one');
