import type { BreakCost } from './break-costs.ts';
import { type CueShape, fitsRow } from './cue-shape.ts';
import { type TimedUnit, textOfUnits } from './timed-units.ts';

/** What a character of difference between two rows costs, beside the break between them. */
const IMBALANCE_COST = 0.1;

/** The text of a cue: one row where it fits it, else two that fit, divided where it reads best and about evenly. */
export function rowsOf(units: readonly TimedUnit[], shape: CueShape, costOf: BreakCost): string {
  const whole = textOfUnits(units);
  if (fitsRow(shape.sizeOf(whole))) return whole;
  let best: { readonly text: string; readonly cost: number } | null = null;
  for (const [at, after] of units.entries()) {
    const before = units[at - 1];
    if (before === undefined) continue;
    const [upper, lower] = [textOfUnits(units.slice(0, at)), textOfUnits(units.slice(at))];
    if (!fitsRow(shape.sizeOf(upper)) || !fitsRow(shape.sizeOf(lower))) continue;
    const cost = costOf(before, after) + IMBALANCE_COST * Math.abs([...upper].length - [...lower].length);
    if (best === null || cost < best.cost) best = { text: `${upper}\n${lower}`, cost };
  }
  // A word that is longer than a row stays whole: a report finds it.
  return best?.text ?? whole;
}
