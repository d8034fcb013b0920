import type { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionReason } from '../../contract/captions/caption-line.ts';
import type { CorrectedLineDecision } from '../../contract/captions/correction.ts';
import type { qualityControlReason } from '../../contract/captions/quality-control.ts';
import type { EvidenceCause, PlainCause } from '../../contract/causes/causes.ts';
import { isReason } from '../../contract/causes/reasons.ts';
import { wireText } from '../../contract/causes/wording.ts';
import type { ClaimState, DecisionReason } from '../../contract/evidence/assessment.ts';
import type { GateReason, ScreenTextReason, UnavailableReason } from '../../contract/evidence/evidence.ts';
import type { intakeReason, rejectionReasons, revocationReasons } from '../../contract/review.ts';
import type { EvidenceRow, FurtherRow } from '../../contract/study/runtime-evidence.ts';
import type { Found } from '../../kinds/found.ts';
import type { AnyFact } from '../../kinds/kind.ts';
import { kindNamed } from '../../kinds/kinds.ts';

type StoredReason =
  | 'language_not_declared'
  | UnavailableReason
  | GateReason
  | ScreenTextReason
  | Exclude<ClaimState, 'supported'>
  | Exclude<DecisionReason, 'all_audited_claims_supported'>
  | z.infer<typeof intakeReason>
  | (typeof rejectionReasons)[number]
  | (typeof revocationReasons)[number]
  | CaptionReason
  | Exclude<z.infer<typeof qualityControlReason>, 'current_run_candidate_structurally_complete'>
  | Exclude<CorrectedLineDecision['reasonCode'], 'line_structurally_complete' | 'line_attested_by_person'>
  | 'corrected_lines_withheld'
  | 'no_lines_left';

/** The type makes sure that every reason of a record has words. */
const isStored = (code: string): code is StoredReason => isReason(code);

/** A reason code as a cause; null for one that this version does not know. */
export const reasonCause = (code: string): PlainCause | null => (isStored(code) ? { code, params: {} } : null);

/** The causes of codes, as far as this version knows them. */
export const reasonCauses = (codes: readonly string[]): PlainCause[] =>
  codes.map((code) => reasonCause(code)).filter((cause) => cause !== null);

/** A reason code in words; the code itself where there are none. */
export function reasonWords(code: string, declaresLanguage = true): string {
  const cause = reasonCause(code === 'language_not_recognised' && !declaresLanguage ? 'language_not_declared' : code);
  return cause === null ? code.replaceAll('_', ' ') : wireText(cause);
}

export const reasonsText = (codes: readonly string[]): string => codes.map((code) => reasonWords(code)).join('; ');

/** Why evidence is missing, in words: the failure of its engine if it is known, else its reason. */
export const absenceWords = (reasonCode: string, declaresLanguage: boolean, cause: EvidenceCause | null): string =>
  cause === null || isReason(cause.code) ? reasonWords(reasonCode, declaresLanguage) : wireText(cause);

/** The text of evidence that is missing. */
export const unavailable = (
  reasonCode: string | null,
  declaresLanguage = true,
  cause: EvidenceCause | null = null,
): Found => ({
  text:
    reasonCode === null
      ? 'unavailable'
      : `unavailable: ${absenceWords(reasonCode, declaresLanguage, cause)} (${reasonCode})`,
  measures: [],
  places: [],
});

/** The text of the facts of a kind. `range` is what they were looked for in. Throws `RangeError` for a kind of another version. */
export function foundIn(name: string, facts: readonly AnyFact[], range: Range): Found {
  const kind = kindNamed(name);
  if (kind === undefined) throw new RangeError(`no kind of evidence is named ${name}`);
  return kind.found(facts, range);
}

/** The text of one kind of evidence. */
export const foundOf = (row: EvidenceRow | FurtherRow, range: Range, declaresLanguage = true): Found =>
  row.state === 'unavailable'
    ? unavailable(row.reasonCode, declaresLanguage, row.cause)
    : foundIn(row.kind, row.facts, range);
