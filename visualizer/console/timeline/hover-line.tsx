import { createStore } from '@xstate/store';
import { useStore } from '../host/use-store.ts';
import { rangeCode } from '../words/time-code.ts';
import type { Mark } from './lanes.ts';

export type Hover = ReturnType<typeof hover>;

/** The mark that was pointed at last. Beside the timeline: a long one is too much to draw anew with each move of the pointer. */
export const hover = () =>
  createStore({
    context: { mark: null as Mark | null },
    on: { pointed: (_, { mark }: { mark: Mark | null }) => ({ mark }) },
  });

/** The mark that is pointed at, in words. */
export function HoverLine({ of: store }: { readonly of: Hover }) {
  const mark = useStore(store, (context) => context.mark);
  return (
    <p class="hover-line" data-empty={mark === null}>
      {mark === null ? (
        'Point at a mark to name it; arrow keys go from mark to mark, + and − zoom, Ctrl and the wheel too.'
      ) : (
        <>
          <bdi>{mark.words}</bdi>, {rangeCode(mark.startMs, mark.endMs)}
        </>
      )}
    </p>
  );
}
