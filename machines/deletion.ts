import { setup, transition } from 'xstate';
import type { ChartMeta } from '../contract/journal.ts';

/** What can come next for a thing that may be deleted. */
export interface DeletionEvent {
  readonly type: 'need.began' | 'need.ended' | 'deletion.recorded' | 'rest.erased';
}

/**
 * The end of a runtime or of a source. No actor runs it: the ledger says where a thing stands, and a command walks on from there
 * in one commit. What is too much for one commit follows in steps, which the next host goes on with.
 */
export const deletionMachine = setup({
  types: { events: {} as DeletionEvent, meta: {} as ChartMeta },
}).createMachine({
  id: 'deletion',
  version: '1',
  description: 'The deletion of a runtime or a source, of which a receipt stays.',
  meta: { mainWays: [['needed', 'unneeded', 'erasing', 'deleted']] },
  initial: 'needed',
  states: {
    needed: {
      description:
        'A runtime that runs, or whose captions or explanations are being made; a source with runtimes or live ingests.',
      on: { 'need.ended': 'unneeded' },
    },
    unneeded: {
      description: 'Nothing needs it: it can be read, and it can be deleted.',
      on: { 'need.began': 'needed', 'deletion.recorded': 'erasing' },
    },
    erasing: {
      description:
        'One commit has put the receipt in the place of its rows: every read answers 410. Its events and the objects that no record reaches go in bounded steps.',
      on: { 'rest.erased': 'deleted' },
    },
    deleted: {
      type: 'final',
      description: 'Nothing is left of it but its receipt.',
    },
  },
});

export type DeletionState = ReturnType<(typeof deletionMachine)['resolveState']>['value'];

/** Where an event takes a deletion; null where it cannot come. */
export function deletionAfter(state: DeletionState, type: DeletionEvent['type']): DeletionState | null {
  const snapshot = deletionMachine.resolveState({ value: state });
  return snapshot.can({ type }) ? transition(deletionMachine, snapshot, { type })[0].value : null;
}
