import type { z } from 'zod';
import type { Artifact, RecordPart } from '../contract/base/artifact.ts';
import type { StoredObject } from '../contract/base/stored-object.ts';
import type { EventData, EventType } from '../contract/journal.ts';
import { contentIdOfJson, hashOf, storedBytes } from '../formats/canonical-json.ts';
import { resultOfSteps, type Steps } from '../formats/steps.ts';
import { checkObject, demandDerived, EvidenceChainError } from './evidence-chain.ts';
import { artifactIdOf, type OutputOrigin, outputArtifact } from './identities.ts';
import { artifactRecorded, draftEvent } from './journal.ts';
import {
  readStoredReceipt,
  type StoredContent,
  type StoredReceipt,
  type StoredShape,
  sealedBy,
  storedJson,
} from './stored-records.ts';
import { causeOf, type StepResult, type StudyRun } from './study-run.ts';

/** How one kind of record is stored, and which artifact of its run stands for it. */
interface RecordDeclaration<Value extends object> extends StoredShape<z.ZodType<Value>> {
  /** Kind of the artifact, such as `evidence-decision-receipt`. */
  readonly kind: string;
  /** The origin of the artifact. */
  readonly origin: (record: Value) => OutputOrigin;
  /** Ids of the artifacts that the record rests on. */
  readonly sources: (record: Value, runId: string) => readonly string[];
  /** The author: the task of the run, or the host beside the run. */
  readonly producer: 'task' | 'host';
  /** The field that is a digest of the others, so that it differs with each of them; `receiptId` unless it is named. */
  readonly ownId?: string;
}

/** A record as the bytes to store and the artifact that stands for them. */
export interface Output {
  readonly object: StoredObject;
  readonly artifact: Artifact;
}

/** One kind of record that a run leaves behind: written, named and read back by its declaration. */
export class RunRecord<Value extends object> {
  readonly #declared: RecordDeclaration<Value>;

  constructor(declared: RecordDeclaration<Value>) {
    this.#declared = declared;
  }

  /** How it is stored, for who reads it without deriving it again. */
  get shape(): StoredShape<z.ZodType<Value>> {
    return this.#declared;
  }

  /** The id of the artifact of a record that is stored under `contentId`. */
  artifactIdOf(runId: string, record: Value, contentId: string): string {
    const { kind, origin } = this.#declared;
    return artifactIdOf({ runId, contentId, kind, origin: origin(record) });
  }

  outputOf(run: StudyRun, record: Value): Output {
    const { kind, origin, sources, producer } = this.#declared;
    const { runtimeId: runId } = run.record;
    const object = storedJson(record);
    const artifact = outputArtifact({
      runId,
      kind,
      origin: origin(record),
      contentId: object.contentId,
      bytes: object.bytes.length,
      sourceArtifactIds: sources(record, runId),
      producer: producer === 'task' ? run.ids : null,
    });
    return { object, artifact };
  }

  /** Throws `EvidenceChainError` at the first place where a record is not what was derived again. */
  audit(found: Value, derived: Value): void {
    demandDerived(this.#declared.link, found, derived, this.#declared.ownId);
  }

  /**
   * Reads a record back and derives it again; `derive` is given what was found, for what cannot be derived. Throws
   * `EvidenceChainError` at the first place that does not follow.
   */
  async reopen(
    content: StoredContent,
    contentId: string,
    derive: (found: Value) => Value,
  ): Promise<StoredReceipt<Value>> {
    const stored = await readStoredReceipt(this.#declared, content, contentId);
    const body = checkObject(contentId, () => {
      const derived = derive(stored.body);
      this.audit(stored.body, derived);
      return derived;
    });
    // It is the same value, and shares with others what it was derived from.
    return { ...stored, body };
  }
}

/** How later records and answers name a receipt, beside the name of what it is about. */
export interface ReceiptNames {
  readonly artifactId: string;
  readonly receiptId: string;
  readonly receiptContentId: string;
}

type Receipt<Name extends string> = { readonly schema: string; readonly receiptId: string } & Readonly<
  Record<Name, string>
>;

interface ReceiptDeclaration<Value extends Receipt<Name>, Name extends string, Facts> extends RecordDeclaration<Value> {
  /** The value of its field `schema`. */
  readonly name: Value['schema'];
  /** The prefix of its `receiptId`; the digest of all other fields follows. */
  readonly idPrefix: string;
  /** The field with its subject, such as `reviewId`. */
  readonly about: Name;
  /** All of it but `schema` and `receiptId`, as it follows from these facts in this run. */
  readonly derive: (run: StudyRun, facts: Facts) => Omit<Value, 'schema' | 'receiptId'>;
}

/** One kind of receipt: a record that follows from facts and has an id of its own. */
export class RunReceipt<Value extends Receipt<Name>, Name extends string, Facts> extends RunRecord<Value> {
  readonly #declared: ReceiptDeclaration<Value, Name, Facts>;

  constructor(declared: ReceiptDeclaration<Value, Name, Facts>) {
    super(declared);
    this.#declared = declared;
  }

  /** The receipt that follows from these facts in a run. */
  of(run: StudyRun, facts: Facts): Value {
    const { name, idPrefix, derive } = this.#declared;
    const body = derive(run, facts);
    return { schema: name, receiptId: `${idPrefix}:${hashOf(body)}`, ...body } as unknown as Value;
  }

  /** The reference to a receipt in later records and answers; `contentId` if it is known already. */
  referenceOf(
    runId: string,
    receipt: Value,
    contentId: string = contentIdOfJson(receipt),
  ): Pick<Value, Name> & ReceiptNames {
    const { about } = this.#declared;
    const names = {
      [about]: receipt[about],
      artifactId: this.artifactIdOf(runId, receipt, contentId),
      receiptId: receipt.receiptId,
      receiptContentId: contentId,
    };
    return names as unknown as Pick<Value, Name> & ReceiptNames;
  }

  /** The outputs of a receipt: its bytes, its artifact, and the event of this type that carries it. */
  write<Type extends EventType>(
    type: Type,
    run: StudyRun,
    receipt: Value,
  ): StepResult<Pick<Value, Name> & ReceiptNames> {
    const { about } = this.#declared;
    const { object, artifact } = this.outputOf(run, receipt);
    const { contentId } = object;
    const data = { [about]: receipt[about], outputArtifactId: artifact.id, receiptContentId: contentId, receipt };
    // The schema of the event, by which it is parsed, has the last word on its data.
    const event = draftEvent(type, data as unknown as EventData<Type>, causeOf(run));
    return {
      objects: [sealedBy(this.shape.schema, object, event)],
      events: [artifactRecorded(artifact, causeOf(run)), event],
      refs: this.referenceOf(run.record.runtimeId, receipt, contentId),
    };
  }
}

interface PartLimit {
  readonly items: number;
  readonly bytes: number;
}

/** Cuts a list into lists of at most so many items and so many bytes of JSON each; an item by itself may have more. */
export const inParts = <Item>(items: readonly Item[], most: PartLimit): Item[][] =>
  resultOfSteps(inPartsBySteps(items, most));

/** The same in steps, one for each item. */
export function* inPartsBySteps<Item>(items: readonly Item[], most: PartLimit): Steps<Item[][]> {
  const parts: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    yield;
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

  /** `countOf` counts the items of a part. */
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
    return resultOfSteps(this.namesBySteps(runId, parts));
  }

  /** The same in steps, one for each part. */
  *namesBySteps(runId: string, parts: readonly Part[]): Steps<RecordPart[]> {
    const names: RecordPart[] = [];
    for (const part of parts) {
      const contentId = contentIdOfJson(part);
      const artifactId = this.#record.artifactIdOf(runId, part, contentId);
      names.push({ artifactId, contentId, bytes: storedBytes(part).length, count: this.#countOf(part) });
      yield;
    }
    return names;
  }

  outputsOf(run: StudyRun, parts: readonly Part[]): Output[] {
    return resultOfSteps(this.outputsBySteps(run, parts));
  }

  /** The same in steps, one for each part. */
  *outputsBySteps(run: StudyRun, parts: readonly Part[]): Steps<Output[]> {
    const outputs: Output[] = [];
    for (const part of parts) {
      outputs.push(this.#record.outputOf(run, part));
      yield;
    }
    return outputs;
  }

  /** Reads all parts back in order. Whether they are those that the whole must have is the caller's to check. Throws `EvidenceChainError`. */
  async read(content: StoredContent, names: readonly RecordPart[]): Promise<Part[]> {
    const parts: Part[] = [];
    for (const { contentId, bytes } of names) {
      const part = await readStoredReceipt(this.#record.shape, content, contentId);
      if (part.bytes !== bytes) throw new EvidenceChainError(this.#record.shape.link, 'size', undefined, contentId);
      parts.push(part.body);
    }
    return parts;
  }
}
