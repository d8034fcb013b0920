/** A worker delivered something that does not count. `message` says why. */
export class OutcomeRefused extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'OutcomeRefused';
  }
}

/** The operation itself came to nothing on a worker, as it would have here. `message` is that of its tool. */
export class OperationFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OperationFailed';
  }
}
