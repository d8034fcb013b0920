import { createStore } from '@xstate/store';
import { useEffect, useId, useState } from 'preact/hooks';
import { moment } from '../../../console/words/numbers.ts';
import type { ActorTransition, ActorTransitions } from '../../../contract/lifecycles/actors.ts';
import type { Step } from './path.ts';
import { briefly, eventWords, stateNames } from './words.ts';

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
export const shownPlace = (scrubbed: Scrubbed): number =>
  Math.min(scrubbed.at ?? Number.POSITIVE_INFINITY, lastPlace(scrubbed));

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
      received: (context, { page }: { page: ActorTransitions }) => {
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

interface ScrubBarProps {
  readonly model: Scrubber;
  readonly steps: readonly Step[];
  readonly place: number;
  readonly isLive: boolean;
}

/** So long a step is shown while the path is played, in ms. */
const playedMs = 900;
/** A live actor is drawn again so often, so that its axis reaches to now. */
const tickMs = 1000;

/** The present in epoch ms, each second a new one while it is wanted. */
export function useNow(isWanted: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [isWanted]);
  return now;
}

/** The transitions of an actor as a bar: the slider goes through them, and marks show each restart of work. */
export function ScrubBar({ model, steps, place, isLive }: ScrubBarProps) {
  const id = useId();
  const [isPlaying, setPlaying] = useState(false);
  const now = useNow(isLive);
  const isNewest = place === steps.length - 1;
  useEffect(() => {
    if (!isPlaying) return;
    if (isNewest) return setPlaying(false);
    const timer = setTimeout(() => model.send({ type: 'stepped', by: 1 }), playedMs);
    return () => clearTimeout(timer);
  }, [isPlaying, isNewest, place, model]);
  const [first, last] = [steps[0], steps.at(-1)];
  const step = steps[place];
  if (first === undefined || last === undefined || step === undefined) return null;
  const end = isLive ? Math.max(now, last.at) : last.at;
  const span = Math.max(1, end - first.at);
  const play = () => {
    if (!isPlaying && isNewest) model.send({ type: 'movedTo', place: 0 });
    setPlaying(!isPlaying);
  };
  const go = (to: number) => model.send({ type: 'movedTo', place: to });
  return (
    <section class="scrub" aria-label="Path of the actor">
      <div class="scrub-line">
        <div class="actions" role="group" aria-label="Go through the path">
          <StepButton label="To the beginning" isOff={place === 0} onClick={() => go(0)}>
            |◀
          </StepButton>
          <StepButton label="One step back" isOff={place === 0} onClick={() => go(place - 1)}>
            ◀
          </StepButton>
          <StepButton label="One step on" isOff={isNewest} onClick={() => go(place + 1)}>
            ▶
          </StepButton>
          <button type="button" aria-pressed={isPlaying} disabled={steps.length < 2} onClick={play}>
            {isPlaying ? 'Pause' : 'Play'}
          </button>
          <StepButton isOff={isNewest} onClick={() => model.send({ type: 'followed' })}>
            {isLive ? 'Follow' : 'To the end'}
          </StepButton>
        </div>
        <label for={id} class="scrub-words">
          Step {place + 1} of {steps.length} <span class="quiet">· {stateNames(step.states)}</span>
        </label>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={steps.length - 1}
        step={1}
        value={place}
        aria-valuetext={`step ${place + 1}, ${eventWords(step.event)}, ${stateNames(step.states)}`}
        onInput={({ currentTarget }) => go(Number(currentTarget.value))}
      />
      <div class="scrub-times" aria-hidden="true">
        {steps.map(({ seq, at, cause }, each) => (
          <span
            key={seq}
            class="scrub-tick"
            data-cause={cause}
            data-passed={each <= place}
            data-now={each === place}
            style={{ left: `${((at - first.at) / span) * 100}%` }}
          />
        ))}
      </div>
      <p class="scrub-ends quiet">
        <span>{moment(new Date(first.at).toISOString())}</span>
        <span>{isLive ? `${briefly(end - first.at)} until now` : briefly(span)}</span>
      </p>
    </section>
  );
}

interface StepButtonProps {
  readonly label?: string;
  readonly isOff: boolean;
  readonly onClick: () => void;
  readonly children: string;
}

/** A button that keeps the focus at the end of the path: a disabled one would lose it, and the keys with it. */
const StepButton = ({ label, isOff, onClick, children }: StepButtonProps) => (
  <button type="button" aria-label={label} aria-disabled={isOff} onClick={() => !isOff && onClick()}>
    {children}
  </button>
);
