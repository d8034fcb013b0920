import { BoundedMap } from '../bounded-map.ts';

const rememberedRuns = 4096;

/** Which events of which journals this process has verified: one stretch `(after, last]` of seqs a journal. */
export class VerifiedRanges {
  readonly #ranges = new BoundedMap<string, { after: number; last: number }>(rememberedRuns);

  covers(runId: string, after: number, last: number): boolean {
    const range = this.#ranges.get(runId);
    return range !== undefined && range.after <= after && last <= range.last;
  }

  /** Adds a stretch that was read and found whole; one that does not touch the known stretch takes its place. */
  add(runId: string, after: number, last: number): void {
    const range = this.#ranges.get(runId);
    const touches = range !== undefined && range.after <= last && after <= range.last;
    this.#ranges.set(
      runId,
      touches ? { after: Math.min(range.after, after), last: Math.max(range.last, last) } : { after, last },
    );
  }

  /** Adds events that this process wrote itself, where they go on from what is known. */
  extend(runId: string, after: number, last: number): void {
    const range = this.#ranges.get(runId);
    if (range === undefined || range.last === after) this.#ranges.set(runId, { after: range?.after ?? after, last });
  }
}
