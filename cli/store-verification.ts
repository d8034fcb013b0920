import { counted } from '../receipts/core/checked-link.ts';
import type { AcceptedLoss } from '../storage/ledger/accept-loss.ts';

/** What a check of a whole store came to, as `--json` prints it. */
export interface StoreVerification {
  readonly schema: 'studio.store-verification.v1';
  readonly dataRoot: string;
  /** `given_up`: it was damaged, and what it lost was given up by this call. */
  readonly verdict: 'intact' | 'damaged' | 'given_up';
  /** What is damaged or lost, in words. */
  readonly faults: readonly string[];
  /** Rows, journals and objects that are damaged or missing beside a ledger that has lost nothing, in words. */
  readonly damagedParts: readonly string[];
  /** The ids that are withheld from now on, because what was lost may have been about them. */
  readonly unproven: readonly string[];
  /** The folder with the ledger as it was found. */
  readonly keptAt: string | null;
}

/** A loss that was given up comes with its own faults. */
export function storeVerificationOf(
  dataRoot: string,
  faults: readonly string[],
  damagedParts: readonly string[],
  loss: AcceptedLoss | null,
): StoreVerification {
  return {
    schema: 'studio.store-verification.v1',
    dataRoot,
    verdict: loss !== null ? 'given_up' : faults.length + damagedParts.length === 0 ? 'intact' : 'damaged',
    faults: loss?.faults ?? faults,
    damagedParts,
    unproven: loss?.unproven ?? [],
    keptAt: loss?.keptAt ?? null,
  };
}

/** The lines for people: each fault, then the verdict. */
export function storeLines(verification: StoreVerification): string[] {
  const { dataRoot, verdict, faults, damagedParts, unproven, keptAt } = verification;
  const found = [
    ...faults.map((fault) => `FAIL  store  ${fault}`),
    ...damagedParts.map((fault) => `FAIL  part   ${fault}`),
  ];
  if (verdict === 'intact') return [`intact: the ledger of ${dataRoot}`];
  if (verdict === 'damaged') {
    const advice =
      faults.length === 0
        ? 'put back a copy of the whole data root; without one a host withholds what these are of, and serves the rest'
        : 'put back a copy of the whole data root; without one --accept-loss gives up what is lost, ' +
          'and then everything that the ledger knows so far is withheld';
    return [...found, '', `damaged: the ledger of ${dataRoot}; ${advice}`];
  }
  return [
    ...found,
    ...unproven.map((id) => `withheld  ${id}`),
    '',
    `given up: ${counted(faults.length, 'fault')}, ${counted(unproven.length, 'id')} withheld; the ledger as it was lies in ${keptAt}`,
  ];
}
