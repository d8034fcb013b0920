/** A computation in steps: whoever runs it may do something else at each `yield`. */
export type Steps<Value> = Generator<undefined, Value>;

/** Runs all steps without a break; for what is short enough, and where nothing else waits. */
export function resultOfSteps<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
