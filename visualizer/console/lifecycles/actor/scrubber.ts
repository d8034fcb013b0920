import { createStore } from '@xstate/store';
import type { ActorTransition, ActorTransitions } from '../../../../contract/lifecycles/actors.ts';

interface Scrubbed {
  readonly transitions: readonly ActorTransition[];
  readonly kind: ActorTransitions['kind'] | null;
  readonly isComplete: boolean;
  readonly recordedFrom: string | null;
  /** The place of the transition that is shown; null for the newest, whatever comes. */
  readonly at: number | null;
}

export type Scrubber = ReturnType<typeof scrubber>;

const lastPlace = ({ transitions }: Scrubbed): number => Math.max(0, transitions.length - 1);

/** The place that is shown of the transitions that are known. */
export const shownPlace = (scrubbed: Scrubbed): number => scrubbed.at ?? lastPlace(scrubbed);

const movedTo = (scrubbed: Scrubbed, place: number): Scrubbed => ({
  ...scrubbed,
  // The end of the slider follows what comes.
  at: place >= lastPlace(scrubbed) ? null : Math.max(0, place),
});

/** The transitions of an actor as they become known, and which of them is shown. */
export const scrubber = () =>
  createStore({
    context: { transitions: [], kind: null, isComplete: true, recordedFrom: null, at: null } as Scrubbed,
    on: {
      heard: (context, { page }: { page: ActorTransitions }) => {
        const last = context.transitions.at(-1)?.seq ?? 0;
        return {
          ...context,
          kind: page.kind,
          isComplete: page.isComplete,
          recordedFrom: page.recordedFrom,
          transitions: [...context.transitions, ...page.transitions.filter(({ seq }) => seq > last)],
        };
      },
      movedTo: (context, { place }: { place: number }) => movedTo(context, place),
      stepped: (context, { by }: { by: number }) => movedTo(context, shownPlace(context) + by),
      followed: (context) => ({ ...context, at: null }),
    },
  });
