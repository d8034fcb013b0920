import { z } from 'zod';
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

/** A row names its media, so that a deletion of the source finds it. */
const regionRow = z.strictObject({ sourceContentId: z.string(), kept: keptRegion });

/**
 * What was recognised of each region, kept as soon as it is there: a host that dies in the middle of a long recognition goes
 * on with the next region, and so does a study whose time was up.
 */
export class RegionResults {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** What is kept of a region, else what `recognise` answers, which is kept before this resolves, and `kept` told of it. */
  async of(
    input: RegionInput,
    region: Range,
    recognise: () => Promise<KeptRegion>,
    kept: () => void,
  ): Promise<KeptRegion> {
    const { sourceContentId, tools, parameters } = input;
    const work = { operation: 'semantic.recognize.region', inputContentIds: [sourceContentId], range: region };
    const key = operationKeyOf({ ...work, tools, parameters });
    const [row] = await this.#ledger.getMany('operation', [key]);
    const known = regionRow.safeParse(row);
    if (known.success) return known.data.kept;
    const result = keptRegion.parse(await recognise());
    const value: z.infer<typeof regionRow> = { sourceContentId, kept: result };
    await this.#ledger.commit([{ put: 'operation', key, value }]);
    kept();
    return result;
  }
}
