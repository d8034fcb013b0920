/** A computation in steps: its runner may do other work at each `yield`. A rule in this form has one text for every runner. */
export type Steps<Value> = Generator<undefined, Value>;

/** Runs all steps without a break; for short computations, and if no other work waits. */
export function resultOfSteps<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs the steps with a pause between any two of them, as far as `pause` wants one. */
export async function resultInSlices<Value>(steps: Steps<Value>, pause: () => Promise<void> | void): Promise<Value> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const paused = pause();
    // Most steps end within a slice: to wait for nothing would cost more than the step.
    if (paused !== undefined) await paused;
  }
}
