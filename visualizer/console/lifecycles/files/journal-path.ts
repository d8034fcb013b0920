import type { JournalEvent } from '../../../../contract/journal.ts';
import type { ActorTransitions } from '../../../../contract/lifecycles/actors.ts';
import type { Chart } from '../../../../contract/lifecycles/charts.ts';
import { sandbox } from '../sandbox/sandbox.ts';

type Type = JournalEvent['type'];

/** The end of each effect of a study, by the event of the journal that is written with it; the last one of its type counts. */
const endings: readonly (readonly [effect: string, type: Type, which: 'first' | 'second' | 'last'])[] = [
  ['initialize', 'executor.started', 'first'],
  ['detect', 'media.operation_completed', 'first'],
  ['subtitles', 'media.operation_completed', 'second'],
  ['recognize', 'semantic.evidence_completed', 'last'],
  ['readScreen', 'screen.text_completed', 'last'],
  ['read', 'evidence.read_completed', 'last'],
  ['assess', 'analysis.evidence.assessment_completed', 'last'],
  ['decide', 'analysis.evidence.decision_completed', 'last'],
  ['admit', 'publish.review.intake_completed', 'last'],
];

/** Guards of the chart that the journal answers: the effect that they lead to has begun. */
const shownBy: Readonly<Record<string, Type>> = {
  recognizes: 'semantic.evidence_started',
  readsScreen: 'screen.text_started',
  hasClaims: 'analysis.evidence.decision_started',
};

const endOf = (
  events: readonly JournalEvent[],
  type: Type,
  which: 'first' | 'second' | 'last',
): JournalEvent | undefined => {
  const found = events.filter((event) => event.type === type);
  return which === 'last' ? found.at(-1) : found[which === 'first' ? 0 : 1];
};

/** The time of the commit that holds an event: its events have consecutive milliseconds, and the first has the time. */
function commitTime(events: readonly JournalEvent[], event: JournalEvent): string {
  let first = event;
  for (let at = events.indexOf(event) - 1; at >= 0; at -= 1) {
    const before = events[at];
    if (before === undefined || Date.parse(first.recordedAt) - Date.parse(before.recordedAt) !== 1) break;
    first = before;
  }
  return first.recordedAt;
}

/**
 * The way of a study through its chart, as far as its journal tells it: a bundle has the journal, not the transitions. The pure
 * machine says where each end of an effect leads. How long the study waited before it began is in no journal.
 */
export function pathOfJournal(
  chart: Chart,
  events: readonly JournalEvent[],
  lifecycle: string,
): ActorTransitions['transitions'] {
  const begun = events[0]?.recordedAt;
  if (begun === undefined) return [];
  const { store, possible } = sandbox(chart);
  const way: ActorTransitions['transitions'] = [];
  const now = () => store.getSnapshot().context.standings.at(-1);
  const note = (event: string | null, at: string): void => {
    const standing = now();
    if (standing === undefined) return;
    const { value } = standing.snapshot;
    way.push({ seq: way.length + 1, cause: 'event', event, value, states: [...standing.states], at, commit: 0 });
  };
  const go = (event: string, at: string): void => {
    const standing = now();
    const choices = standing === undefined ? [] : possible(standing).filter((each) => each.transition.event === event);
    const choice = choices.find(({ transition: { guard } }) => {
      if (guard === null) return true;
      const type = shownBy[guard];
      return type !== undefined && events.some((each) => each.type === type);
    });
    if (choice === undefined) return;
    store.send({ type: 'chose', choice });
    note(event, at);
  };
  note('xstate.init', begun);
  go('worker.granted', begun);
  for (const [effect, type, which] of endings) {
    const end = endOf(events, type, which);
    if (end !== undefined) go(`xstate.done.actor.${effect}`, commitTime(events, end));
  }
  // What else led to an end, the journal says in words, not as an event of the chart.
  const end = `${chart.root.id}.${lifecycle}`;
  const at = endOf(events, 'executor.finished', 'last')?.recordedAt ?? events.at(-1)?.recordedAt ?? begun;
  if (now()?.states[0] !== end) {
    way.push({ seq: way.length + 1, cause: 'event', event: null, value: lifecycle, states: [end], at, commit: 0 });
  }
  return way;
}
