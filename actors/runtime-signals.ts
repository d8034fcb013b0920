/** Follows the runtimes of a host. An absent method is not called. */
interface RuntimeFollower {
  /** Called after each commit that added to the journal of a runtime. */
  readonly committed?: (runtimeId: string) => void;
  /** Called after the commit that deletes a runtime: nothing of it may be remembered. */
  readonly deleted?: (runtimeId: string) => void;
}

/**
 * The changes of runtimes. Parts that remember something of a runtime follow it. A part that commits is made before these,
 * so neither names the other.
 */
export class RuntimeSignals {
  readonly #followers: RuntimeFollower[] = [];

  follow(follower: RuntimeFollower): void {
    this.#followers.push(follower);
  }

  readonly committed = (runtimeId: string): void => {
    for (const follower of this.#followers) follower.committed?.(runtimeId);
  };

  readonly deleted = (runtimeId: string): void => {
    for (const follower of this.#followers) follower.deleted?.(runtimeId);
  };
}
