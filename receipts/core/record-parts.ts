import type { RecordPart } from '../../contract/base/record-part.ts';
import { contentIdOf, storedBytes } from './canonical-json.ts';
import { EvidenceChainError } from './evidence-chain-error.ts';
import type { Output, RunRecord } from './record.ts';
import type { StoredContent } from './stored-content.ts';
import { readReceipt } from './stored-receipt.ts';
import type { StudyRun } from './study-run.ts';

/** Cuts a list into lists of at most so many items and so many bytes of JSON each; an item by itself may have more. */
export function inParts<Item>(
  items: readonly Item[],
  most: { readonly items: number; readonly bytes: number },
): Item[][] {
  const parts: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = storedBytes(item).length;
    const last = parts.at(-1);
    bytes += size;
    if (last !== undefined && last.length < most.items && bytes <= most.bytes) last.push(item);
    else {
      parts.push([item]);
      bytes = size;
    }
  }
  return parts;
}

/** A list that a run leaves behind in records of bounded size; another record names them in order. */
export class RunParts<Part extends object> {
  readonly #record: RunRecord<Part>;
  readonly #countOf: (part: Part) => number;

  /** `countOf` says how many items a part has. */
  constructor(record: RunRecord<Part>, countOf: (part: Part) => number) {
    this.#record = record;
    this.#countOf = countOf;
  }

  /** How one part is stored. */
  get shape(): RunRecord<Part>['shape'] {
    return this.#record.shape;
  }

  /** How the record of the whole names its parts. */
  namesOf(runId: string, parts: readonly Part[]): RecordPart[] {
    return parts.map((part) => {
      const contentId = contentIdOf(part);
      return {
        artifactId: this.#record.artifactIdOf(runId, part, contentId),
        contentId,
        bytes: storedBytes(part).length,
        count: this.#countOf(part),
      };
    });
  }

  outputsOf(run: StudyRun, parts: readonly Part[]): Output[] {
    return parts.map((part) => this.#record.outputOf(run, part));
  }

  /** Reads all parts back in order. Whether they are those that the whole must have is the caller's to check. Throws `EvidenceChainError`. */
  async read(content: StoredContent, names: readonly RecordPart[]): Promise<Part[]> {
    const parts: Part[] = [];
    for (const { contentId, bytes } of names) {
      const part = await readReceipt(this.#record.shape, content, contentId);
      if (part.bytes !== bytes) throw new EvidenceChainError(this.#record.shape.link, 'size', undefined, contentId);
      parts.push(part.body);
    }
    return parts;
  }
}
