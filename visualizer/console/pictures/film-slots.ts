import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';
import type { Stretch } from '../parts/ticks.ts';

/** A keyframe in its place: pixels from the left of what is shown. */
export interface Slot {
  readonly fact: KeyframeFact;
  readonly left: number;
}

/**
 * The keyframes of a view that have room beside each other, each at the start of what it stands for, or at the left edge where that is
 * out of sight. Facts are in the order of time.
 */
export function slotsOf(
  facts: readonly KeyframeFact[],
  { startMs, endMs }: Stretch,
  width: number,
  height: number,
): readonly Slot[] {
  const scale = width / (endMs - startMs);
  const slots: Slot[] = [];
  let free = 0;
  for (const fact of facts) {
    if (fact.startMs >= endMs) break;
    if (fact.endMs <= startMs) continue;
    const left = Math.max(0, (fact.startMs - startMs) * scale);
    if (left < free) continue;
    slots.push({ fact, left });
    free = left + (height * fact.width) / fact.height;
  }
  return slots;
}
