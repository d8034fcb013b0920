import { isDeepStrictEqual } from 'node:util';
import {
  type AnyActor,
  type AnyEventObject,
  type AnyMachineSnapshot,
  createActor,
  fromCallback,
  fromPromise,
  SimulatedClock,
  type Snapshot,
} from 'xstate';
import { takenIds } from '../../machines/machine-chart.ts';
import type { Scenario } from './scenarios.ts';

interface Effect {
  readonly input: unknown;
  /** Due time of a timer's event, in ms of the simulated clock. */
  readonly dueAt?: number;
  resolve?(output: unknown): void;
  reject?(error: unknown): void;
}

/** A machine on the real interpreter whose effects end only when the test says so. */
export interface Run {
  /** Makes the event happen for real: an effect ends, time passes, or something is sent from outside. */
  happen(event: AnyEventObject): Promise<void>;
  send(event: AnyEventObject): void;
  snapshot(): { status: string; value: unknown; context: unknown; output: unknown };
  persisted(): Snapshot<unknown>;
  now(): number;
  /** Events emitted so far. */
  readonly emissions: readonly unknown[];
  /** Inputs of the effects that run, by invoke id. */
  running(): Record<string, unknown>;
  /** The transitions that were taken, by their ids in the chart. */
  readonly taken: readonly string[];
  /** All states that were active, also those that were left at once, by their ids. */
  readonly passed: ReadonlySet<string>;
  readonly errors: readonly unknown[];
  stop(): void;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const endedEffect = /^xstate\.(done|error)\.actor\.(.+)$/;

export interface Start {
  readonly now?: number;
  readonly from?: Snapshot<unknown>;
}

/** State that the effects of one run share. */
interface World {
  readonly clock: SimulatedClock;
  readonly effects: Map<string, Effect>;
}

/** Starts the scenario's machine, from the beginning or from a snapshot, at `now` ms of a simulated clock. */
export const runsOf = (scenario: Scenario): ((start?: Start) => Run) => {
  const worlds = new WeakMap<object, World>();
  const worldOf = (system: object): World => {
    const world = worlds.get(system);
    if (world === undefined) throw new Error('an effect runs outside every run');
    return world;
  };
  const ending = fromPromise<unknown, unknown>(({ input, self: { id }, signal, system }) => {
    const { effects } = worldOf(system);
    signal.addEventListener('abort', () => effects.delete(id));
    return new Promise((resolve, reject) => effects.set(id, { input, resolve, reject }));
  });
  const timer = fromCallback<AnyEventObject, unknown>(({ input, self: { id }, sendBack, system }) => {
    const { clock, effects } = worldOf(system);
    const plan = scenario.timers[id];
    if (plan === undefined) throw new Error(`the scenario knows no timer '${id}'`);
    const dueAt = plan.dueAt(clock.now());
    const timeout = clock.setTimeout(() => sendBack(plan.event), Math.max(0, dueAt - clock.now()));
    effects.set(id, { input, dueAt });
    return () => {
      clock.clearTimeout(timeout);
      effects.delete(id);
    };
  });
  const machine = scenario.machine.provide({
    actors: Object.fromEntries([
      ...Object.keys(scenario.effects).map((name) => [name, ending]),
      ...Object.keys(scenario.timers).map((name) => [name, timer]),
    ]),
  });
  return ({ now = 0, from } = {}) => {
    const clock = new SimulatedClock();
    clock.set(now);
    const taken: string[] = [];
    const passed = new Set<string>();
    const pass = (snapshot: unknown): void => {
      for (const { id } of (snapshot as AnyMachineSnapshot)._nodes) passed.add(id);
    };
    const actor = createActor(machine, {
      clock,
      inspect: (inspected) => {
        if (inspected.type !== '@xstate.microstep') return;
        taken.push(...takenIds(machine, inspected._transitions));
        pass(inspected.snapshot);
      },
      ...(from === undefined ? { input: scenario.input } : { snapshot: from }),
    });
    const world = { clock, effects: new Map<string, Effect>() };
    worlds.set(actor.system, world);
    pass(actor.getSnapshot());
    return runOf(scenario, actor, world, { taken, passed });
  };
};

const runOf = (
  scenario: Scenario,
  actor: AnyActor,
  { clock, effects }: World,
  way: Pick<Run, 'taken' | 'passed'>,
): Run => {
  const emissions: unknown[] = [];
  const errors: unknown[] = [];
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.on('*', (emission) => emissions.push(emission));
  actor.start();

  const effect = (id: string): Effect => {
    const found = effects.get(id);
    if (found === undefined) throw new Error(`no effect '${id}' runs`);
    return found;
  };

  const cause = (event: AnyEventObject): void => {
    const [, how, id] = endedEffect.exec(event.type) ?? [];
    const timerId = Object.keys(scenario.timers).find((name) => isDeepStrictEqual(scenario.timers[name]?.event, event));
    if (id !== undefined) {
      const { resolve, reject } = effect(id);
      effects.delete(id);
      if (how === 'done') resolve?.(event.output);
      else reject?.(event.error);
    } else if (timerId !== undefined) clock.set(effect(timerId).dueAt ?? clock.now());
    else actor.send(event);
  };

  return {
    happen: async (event) => {
      cause(event);
      await settled();
    },
    send: (event) => actor.send(event),
    snapshot: () => {
      const { status, value, context, output } = actor.getSnapshot();
      return { status, value, context, output };
    },
    persisted: () => actor.getPersistedSnapshot(),
    now: () => clock.now(),
    emissions,
    running: () => Object.fromEntries([...effects].map(([id, { input }]) => [id, input])),
    ...way,
    errors,
    stop: () => actor.stop(),
  };
};
