import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { ToolIdentity } from '../../contract/base/tool.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { type ReadPicture, readPictures } from '../../contract/screentext/read-pictures.ts';
import { operationKeyOf } from '../../receipts/core/operation-key.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';

/** All that the texts of a window depend on beside the window. */
export interface WindowInput {
  readonly sourceContentId: string;
  readonly tools: readonly ToolIdentity[];
  readonly parameters: EvidenceArtifact['parameters'];
}

/** A row names its media, so that a deletion of the source finds it. */
const windowRow = z.strictObject({ sourceContentId: z.string(), pictures: readPictures });

/** What was read in each window of a range, kept as soon as it is there: a host that dies goes on with the next window. */
export class WindowReadings {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** What is kept of a window, else what `read` answers, which is kept before this resolves, and `kept` told of it. */
  async of(
    { sourceContentId, tools, parameters }: WindowInput,
    window: Range,
    read: () => Promise<ReadPicture[]>,
    kept: () => void,
  ): Promise<ReadPicture[]> {
    const work = { operation: 'screen.read.window', inputContentIds: [sourceContentId], range: window };
    const key = operationKeyOf({ ...work, tools, parameters });
    const [row] = await this.#ledger.getMany('operation', [key]);
    const known = windowRow.safeParse(row);
    if (known.success) return known.data.pictures;
    const pictures = readPictures.parse(await read());
    const value: z.infer<typeof windowRow> = { sourceContentId, pictures };
    await this.#ledger.commit([{ put: 'operation', key, value }]);
    kept();
    return pictures;
  }
}
