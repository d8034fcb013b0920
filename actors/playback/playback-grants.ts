import { hash, timingSafeEqual } from 'node:crypto';
import { createStore } from '@xstate/store';
import type { Clock } from '../../contract/base/clock.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { type PlaybackMimeType, playbackGrantLongestMs, playbackGrantMs } from '../../contract/playback.ts';

/** Grants that can be used at the same time. */
export const maximumActiveGrants = 64;

/** Ended grants that the host remembers, so that their holders learn that they ended. The oldest is forgotten. */
export const rememberedEndedGrants = 256;

/** The permission of a grant, and its holder. */
export interface GrantedMedia {
  readonly runtimeId: string;
  /** The one origin whose pages may use it. */
  readonly origin: string;
  readonly revisionId: string;
  readonly contentId: string;
  readonly mimeType: PlaybackMimeType;
}

interface IssuedGrant {
  readonly grantId: string;
  /** 32 random bytes in base64url, said once: only their hash is kept. */
  readonly secret: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

interface RenewedGrant {
  readonly expiresAtMs: number;
  readonly renewableUntilMs: number;
}

interface PlaybackGrantsOptions {
  readonly clock: Clock;
  /** Milliseconds that have passed, on a monotonic clock. */
  readonly elapsed: () => number;
  /** A version 4 UUID. */
  readonly newId: () => string;
  /** 32 random bytes. */
  readonly newSecret: () => Buffer;
}

interface Grant {
  readonly media: GrantedMedia;
  readonly secretHash: Buffer;
  readonly issuedAtMs: number;
  /** The same moment on the monotonic clock. */
  readonly issuedAtElapsedMs: number;
  readonly expiresAtMs: number;
  readonly timer: unknown;
  readonly hasEnded: boolean;
}
type Grants = ReadonlyMap<string, Grant>;

const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** The grants without those that ended longest ago, as far as too many have ended. */
function pruned(grants: Grants): Grants {
  const ended = [...grants].filter(([, { hasEnded }]) => hasEnded);
  const forgotten = ended.slice(0, Math.max(0, ended.length - rememberedEndedGrants));
  return forgotten.length === 0
    ? grants
    : new Map([...grants].filter(([id]) => !forgotten.some(([old]) => old === id)));
}

/** The playback grants of this process. They live in memory only: a restart ends them all. */
export class PlaybackGrants {
  readonly #options: PlaybackGrantsOptions;
  readonly #store = createStore({
    context: { grants: new Map() as Grants },
    on: {
      // Also with a later end.
      issued: ({ grants }, { grantId, grant }: { grantId: string; grant: Grant }) => ({
        grants: new Map(grants).set(grantId, grant),
      }),
      ended: ({ grants }, { grantId, grant }: { grantId: string; grant: Grant }) => {
        const rest = new Map(grants);
        rest.delete(grantId);
        // Behind the others: the order is that of their ends.
        return { grants: pruned(rest.set(grantId, { ...grant, hasEnded: true })) };
      },
    },
  });

  constructor(options: PlaybackGrantsOptions) {
    this.#options = options;
  }

  /** Issues a grant that ends by itself. Throws `private_playback_grant_capacity`. */
  issue(media: GrantedMedia): IssuedGrant {
    const { clock, elapsed, newId, newSecret } = this.#options;
    for (const active of this.#active()) this.#endIfDue(active);
    if (this.#active().length >= maximumActiveGrants) {
      throw new ServiceError('private_playback_grant_capacity', `${maximumActiveGrants} grants are active`);
    }
    const grantId = `private-playback-grant:${newId()}`;
    const secret = newSecret().toString('base64url');
    const issuedAtMs = clock.now();
    const expiresAtMs = issuedAtMs + playbackGrantMs;
    const timer = clock.setTimeout(() => this.#end(grantId), playbackGrantMs);
    const issued = { issuedAtMs, issuedAtElapsedMs: elapsed(), expiresAtMs };
    const grant = { media, secretHash: hashOf(secret), ...issued, timer, hasEnded: false };
    this.#store.trigger.issued({ grantId, grant });
    return { grantId, secret, issuedAtMs, expiresAtMs };
  }

  /**
   * The permission of a grant for a page of this origin that knows its secret. Throws `private_playback_grant_unavailable`,
   * `origin_not_allowed` and `private_playback_grant_expired`, in this order.
   */
  demand(grantId: string, secret: string, origin: string): GrantedMedia {
    const grant = this.#grant(grantId);
    if (grant === undefined || !timingSafeEqual(hashOf(secret), grant.secretHash)) throw unavailable();
    demandOrigin(grant, origin);
    this.demandActive(grantId);
    return grant.media;
  }

  /** Throws `private_playback_grant_expired` once a grant has ended. */
  demandActive(grantId: string): void {
    if (this.#isActive(grantId)) return;
    throw new ServiceError('private_playback_grant_expired', 'the grant has expired or was revoked');
  }

  /** Ends a grant of a runtime; returns the time. Throws `private_playback_grant_unavailable`, also for one that has ended. */
  revoke(grantId: string, runtimeId: string): number {
    if (!this.#isActive(grantId) || this.#grant(grantId)?.media.runtimeId !== runtimeId) throw unavailable();
    this.#end(grantId);
    return this.#options.clock.now();
  }

  /**
   * Lets a grant of a runtime last ten minutes from now, never beyond the end that no renewal moves; says both (epoch ms). Throws
   * `private_playback_grant_unavailable`, `origin_not_allowed` and `private_playback_grant_expired`, in this order.
   */
  renew(grantId: string, runtimeId: string, origin: string): RenewedGrant {
    const { clock, elapsed } = this.#options;
    this.#endIfDue(grantId);
    const grant = this.#grant(grantId);
    if (grant === undefined || grant.media.runtimeId !== runtimeId) throw unavailable();
    demandOrigin(grant, origin);
    this.demandActive(grantId);
    const renewableUntilMs = grant.issuedAtMs + playbackGrantLongestMs;
    const now = clock.now();
    // A clock that was set back would move the last end; the monotonic one does not count while a machine sleeps.
    const leftMs = playbackGrantLongestMs - (elapsed() - grant.issuedAtElapsedMs);
    const lastsMs = Math.max(0, Math.min(playbackGrantMs, renewableUntilMs - now, Math.ceil(leftMs)));
    const expiresAtMs = now + lastsMs;
    clock.clearTimeout(grant.timer);
    const timer = clock.setTimeout(() => this.#end(grantId), lastsMs);
    this.#store.trigger.issued({ grantId, grant: { ...grant, expiresAtMs, timer } });
    return { expiresAtMs, renewableUntilMs };
  }

  /** Calls back when the grant ends, by time or by revocation, at once if it has, until the returned function is called. */
  onEnd(grantId: string, listener: () => void): () => void {
    if (!this.#isActive(grantId)) {
      listener();
      return () => undefined;
    }
    const subscription = this.#store.subscribe(({ context }) => {
      if (context.grants.get(grantId)?.hasEnded === false) return;
      subscription.unsubscribe();
      listener();
    });
    return () => subscription.unsubscribe();
  }

  /** Ends every grant of a runtime. */
  endOf(runtimeId: string): void {
    for (const grantId of this.#active()) if (this.#grant(grantId)?.media.runtimeId === runtimeId) this.#end(grantId);
  }

  /** Ends every grant. */
  close(): void {
    for (const grantId of this.#active()) this.#end(grantId);
  }

  #grant(grantId: string): Grant | undefined {
    return this.#store.getSnapshot().context.grants.get(grantId);
  }

  #isActive(grantId: string): boolean {
    this.#endIfDue(grantId);
    return this.#grant(grantId)?.hasEnded === false;
  }

  #active(): string[] {
    return [...this.#store.getSnapshot().context.grants].flatMap(([grantId, { hasEnded }]) =>
      hasEnded ? [] : [grantId],
    );
  }

  /** A timer may be late, for example after the machine slept. */
  #endIfDue(grantId: string): void {
    const grant = this.#grant(grantId);
    if (grant !== undefined && grant.expiresAtMs <= this.#options.clock.now()) this.#end(grantId);
  }

  #end(grantId: string): void {
    const grant = this.#grant(grantId);
    if (grant === undefined || grant.hasEnded) return;
    this.#options.clock.clearTimeout(grant.timer);
    this.#store.trigger.ended({ grantId, grant });
  }
}

function demandOrigin({ media }: Grant, origin: string): void {
  if (media.origin !== origin) throw new ServiceError('origin_not_allowed', 'the grant belongs to another origin');
}

const unavailable = () => new ServiceError('private_playback_grant_unavailable', 'no such grant, or it has ended');
