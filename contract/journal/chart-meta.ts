import type { EventType } from './journal-event.ts';

/** What a machine says of itself for people who review its drawing; it changes nothing that the machine does. */
export interface ChartMeta {
  /**
   * On a state: what its entry adds to the journal; on a transition: what the transition adds. Types of events in their
   * order; one that comes several times in a row stands once.
   */
  readonly journal?: readonly EventType[];
  /**
   * On the machine itself: the ways that it is made for, each as the paths of the states that it passes, such as
   * `['queued.awaitingMedia', 'queued.awaitingWorker', 'probing']`. The first begins at the initial state; the others lie
   * inside regions of parallel states.
   */
  readonly mainWays?: readonly (readonly string[])[];
}
