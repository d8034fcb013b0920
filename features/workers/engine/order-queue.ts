import type { WorkOrder } from '../../../contract/workers.ts';

/** The state of an order in the queue; `gone` once a worker is done with it. */
export type OrderState = 'waiting' | 'taken' | 'gone';

/** The signals of the queue about an order. They may be missing, late, or double: Redis only signals. What ends work is never forged. */
export type OrderNews =
  | { readonly kind: 'changed' }
  /** How much of the media was read, and how much will be, in ms of its time. */
  | { readonly kind: 'measured'; readonly completedMs: number; readonly totalMs: number }
  /** A worker gave it back. */
  | { readonly kind: 'refused'; readonly worker: string; readonly reason: string }
  /** Too many workers were lost over it. */
  | { readonly kind: 'lost'; readonly reason: string };

/** The host's end of the queue. Its calls reject with `QueueUnavailable` within seconds while the queue does not answer. */
export interface OrderQueue {
  /** Adds an order unless it exists, and returns its state. */
  notify(id: string, order: WorkOrder): Promise<OrderState>;
  /** Takes an order back that no worker has taken. */
  withdraw(id: string): Promise<void>;
  /** How many workers are connected. */
  workers(): Promise<number>;
  close(): Promise<void>;
}

/** The reason why the queue failed; a sentence for people. */
export class QueueUnavailable extends Error {
  constructor(detail: string, cause?: unknown) {
    super(detail, { cause });
    this.name = 'QueueUnavailable';
  }
}

/** A worker cannot carry an order out: the order is for another worker, or for later. `message` says why. */
export class OrderRefused extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'OrderRefused';
  }
}

/** The further input of a worker beside the order. */
export interface OrderRun {
  readonly id: string;
  /** Aborted when the worker has to stop. */
  readonly signal: AbortSignal;
  /** Tells the host how much of the media was read, and how much will be, in ms of its time. */
  readonly measured: (completedMs: number, totalMs: number) => void;
}

/** The worker's end of the queue. */
export interface OrderTaker {
  /** Takes no further order, gives back the one under way, and lets go of the queue. */
  close(): Promise<void>;
}
