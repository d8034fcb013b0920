import { type SourceFaultCode, SourceInconsistent } from '../../contract/sources/source-receipt.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';

/** Throws `SourceInconsistent` with this code and place where a value is not the one that was derived. */
export const demandSealed = (code: SourceFaultCode, place: string, found: unknown, derived: unknown): void => {
  if (canonicalJson(found) !== canonicalJson(derived)) throw new SourceInconsistent(code, place);
};

/** Throws `duration_mismatch` where a stated duration is further from the measured one than `toleranceMs`; seconds. */
export function demandDuration(stated: readonly number[], measured: number, toleranceMs: number): void {
  const isMeasured = stated.every((seconds) => Math.round(Math.abs(seconds - measured) * 1000) <= toleranceMs);
  if (!isMeasured) throw new SourceInconsistent('duration_mismatch', 'source-receipt.selection');
}
