import { z } from 'zod';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { operationKeyOf } from '../../receipts/identities.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';

/** All that a part depends on beside its range. */
export interface PartInput {
  readonly sourceContentId: string;
  readonly tools: readonly ToolIdentity[];
  readonly parameters: EvidenceArtifact['parameters'];
}

/** One kind of parts as the ledger keeps it: the operation of their keys, and the field of a row that holds one. */
export interface PartKind<Part> {
  readonly operation: string;
  readonly field: string;
  readonly part: z.ZodType<Part>;
}

/**
 * What a long step made of each part of a range, such as a region of speech or a window of the screen, kept as soon as it is
 * there: a host that dies in the middle goes on with the next part, and so does a study whose time was up.
 */
export class KeptParts<Part> {
  readonly #ledger: Ledger;
  readonly #kind: PartKind<Part>;

  constructor(ledger: Ledger, kind: PartKind<Part>) {
    this.#ledger = ledger;
    this.#kind = kind;
  }

  /** What is kept of a range, else what `make` answers, which is kept before this resolves, and `kept` told of it. */
  async of(
    { sourceContentId, tools, parameters }: PartInput,
    range: Range,
    make: () => Promise<Part>,
    kept: () => void,
  ): Promise<Part> {
    const { operation, field, part } = this.#kind;
    const key = operationKeyOf({ operation, inputContentIds: [sourceContentId], range, tools, parameters });
    const [row] = await this.#ledger.getMany('operation', [key]);
    // A row names its media, so that a deletion of the source finds it.
    const known = z.strictObject({ sourceContentId: z.string(), [field]: part }).safeParse(row);
    if (known.success) return part.parse(known.data[field]);
    const made = part.parse(await make());
    await this.#ledger.commit([{ put: 'operation', key, value: { sourceContentId, [field]: made } }]);
    kept();
    return made;
  }
}
