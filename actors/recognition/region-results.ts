import type { Range } from '../../contract/base/grammar.ts';
import type { ToolIdentity } from '../../contract/base/tool.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { type KeptRegion, keptRegion } from '../../contract/recognition/raw-region.ts';
import { operationKeyOf } from '../../receipts/core/operation-key.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';

/** All that the answer of a recogniser depends on beside the region. */
export interface RegionInput {
  readonly sourceContentId: string;
  readonly tools: readonly ToolIdentity[];
  readonly parameters: EvidenceArtifact['parameters'];
}

/**
 * What was recognised of each region, kept as soon as it is there: a host that dies in the middle of a long recognition goes
 * on with the next region, and so does a study whose time was up.
 */
export class RegionResults {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** What is kept of a region, else what `recognise` answers, which is kept before this resolves. */
  async of(input: RegionInput, region: Range, recognise: () => Promise<KeptRegion>): Promise<KeptRegion> {
    const { sourceContentId, tools, parameters } = input;
    const work = { operation: 'semantic.recognize.region', inputContentIds: [sourceContentId], range: region };
    const key = operationKeyOf({ ...work, tools, parameters });
    const [row] = await this.#ledger.getMany('operation', [key]);
    const known = keptRegion.safeParse(row);
    if (known.success) return known.data;
    const value = keptRegion.parse(await recognise());
    await this.#ledger.commit([{ put: 'operation', key, value }]);
    return value;
  }
}
