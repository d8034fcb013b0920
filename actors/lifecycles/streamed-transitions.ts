import type { StreamedTransition } from '../../contract/lifecycles/actors.ts';
import type { KnownActor } from './known-actors.ts';
import type { RecordedTransition } from './recorded-transitions.ts';
import { shownState } from './shown-state.ts';

/** Those of the transitions of an actor that are wanted, each with the state before it. `kept` is in order. */
export const streamed = (
  actor: KnownActor,
  kept: readonly RecordedTransition[],
  isWanted: (row: RecordedTransition) => boolean,
): StreamedTransition[] => kept.flatMap((row, at) => (isWanted(row) ? [streamedOf(actor, row, kept[at - 1])] : []));

function streamedOf(
  { actorId, kind, chartId, runtimeId }: KnownActor,
  { seq, cause, event, value, at, commit }: RecordedTransition,
  before: RecordedTransition | undefined,
): StreamedTransition {
  return {
    schema: 'studio.actor-transition.v1',
    ...{ actorId, kind, chartId, runtimeId },
    from: before?.seq === seq - 1 ? shownState(chartId, before.value) : null,
    ...{ seq, cause, event },
    ...shownState(chartId, value),
    at: new Date(at).toISOString(),
    commit,
  };
}
