import type { Headers, RequestHead } from '../listener/listener.ts';

/** A protocol with a version of its own that some paths speak on top of HTTP. */
export interface PathProtocol {
  /** The fields that every answer of these paths carries, refusals and answers to OPTIONS included. */
  readonly fields: Headers;
  /** What an answer to OPTIONS says beside them, of the protocol and to a preflight. */
  discovery(): Headers;
  /** The method that a request means: a POST may name one that its client cannot send. */
  methodOf(head: RequestHead): string;
  /** Throws for a request that does not speak the protocol. */
  check(head: RequestHead): void;
}

/** What a path says to OPTIONS. */
export interface PathOptions {
  /** The whole answer of a path that has a protocol of its own, to pages and to others. */
  readonly discovery?: Headers | undefined;
  /** The fields of a request's head that the path reads. */
  readonly fields?: readonly string[];
}
