import type { Range } from '../../contract/base/grammar.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { Meters } from '../../kinds/meters.ts';

/** The meters of every kind over one window of a range, and the objects that they keep. */
export function metersOver(
  range: Range,
  window: Range = range,
): { readonly meters: Meters; readonly objects: StoredObject[] } {
  const objects: StoredObject[] = [];
  const meters = new Meters({
    range,
    window,
    isWhole: window === range,
    seekMs: 0,
    loudnessFromMs: range.startMs,
    keep: async (object) => void objects.push(object),
  });
  return { meters, objects };
}
