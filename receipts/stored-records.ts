import type { z } from 'zod';
import type { StoredObject } from '../contract/base/stored-object.ts';
import type { SourceFile } from '../contract/sources/source-session.ts';
import { contentIdOfBytes, hasUnseenField, isCanonicalForm, storedBytes, utf8Json } from '../formats/canonical-json.ts';
import { checkObject, EvidenceChainError, type EvidenceLink } from './evidence-chain.ts';

/** Why the bytes of a stored file cannot be had: gone, other bytes than its name says, too many, or not readable. */
export type ContentFault = 'missing' | 'content' | 'size';

/** How a verified object begins, and how long it is. */
export interface VerifiedHead {
  readonly bytes: number;
  readonly head: Uint8Array;
}

/** The stored files that a runtime rests on. It hands over what lies there; the reopening hashes it. */
export interface StoredContent {
  /** All bytes of an object of the object store. */
  object(contentId: string, maximumBytes: number): Promise<Uint8Array | ContentFault>;
  /** All bytes of a file of a source. */
  sourceFile(file: SourceFile, maximumBytes: number): Promise<Uint8Array | ContentFault>;
  /** The length of a file of a source whose bytes have its content id; the file may be larger than memory. */
  verifiedLength(file: SourceFile): Promise<number | ContentFault>;
  /** The length of an object whose bytes have its content id, and at most so many of its first bytes. */
  verifiedHead(contentId: string, headBytes: number): Promise<VerifiedHead | ContentFault>;
  /**
   * A value that was remembered of files that have not changed since; undefined if there is none, or if it is of another `kind`. It is
   * shared and must not be changed. Absent for a reader that reads every file.
   */
  known?(kind: object, name: string): object | undefined;
  /** Remembers a value that follows from the bytes of these files alone; `bytes` is their length as far as they were parsed. */
  remember?(kind: object, name: string, value: object, files: readonly SourceFile[], bytes: number): void;
}

/** All bytes of an object. Throws `EvidenceChainError` at the fault. */
export async function readObject(
  link: EvidenceLink,
  content: StoredContent,
  contentId: string,
  maximumBytes: number,
): Promise<Uint8Array> {
  const bytes = await content.object(contentId, maximumBytes);
  if (typeof bytes === 'string') throw new EvidenceChainError(link, bytes, undefined, contentId);
  return bytes;
}

/** A receipt or JSON artifact as it lies in the object store. */
export function storedJson(value: unknown): StoredObject {
  const bytes = storedBytes(value);
  return { contentId: contentIdOfBytes(bytes), bytes };
}

export interface StoredShape<Schema extends z.ZodType> {
  readonly link: EvidenceLink;
  readonly schema: Schema;
  readonly maximumBytes: number;
}

/**
 * Reads a stored record back: its size, its hash, its canonical form and its shape must hold. What its fields derive from
 * is the audits' to check. Throws `EvidenceChainError` at `size`, `content`, `encoding`, `canonical_form` or a field.
 */
export const reopenJson = <Schema extends z.ZodType>(shape: StoredShape<Schema>, stored: StoredObject) =>
  checkObject(stored.contentId, () => reopened(shape, stored));

function reopened<Schema extends z.ZodType>(
  { link, schema, maximumBytes }: StoredShape<Schema>,
  { contentId, bytes }: StoredObject,
): z.infer<Schema> {
  if (bytes.length > maximumBytes) throw new EvidenceChainError(link, 'size');
  if (contentIdOfBytes(bytes) !== contentId) throw new EvidenceChainError(link, 'content');
  const value = utf8Json(bytes, (cause) => new EvidenceChainError(link, 'encoding', cause));
  const text = Buffer.from(bytes).toString('utf8');
  if (!text.endsWith('\n') || !isCanonicalForm(value, text.slice(0, -1)) || hasUnseenField(text)) {
    throw new EvidenceChainError(link, 'canonical_form');
  }
  const shaped = parsedInParts(schema, value);
  if (shaped.success) return shaped.data;
  throw new EvidenceChainError(link, shapeFault(shaped.error), shaped.error);
}

// Few enough that the faults of all of them are few.
const atOnce = 1024;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * As `schema.safeParse`. Of a record with a long list, parts of the list are checked first, up to the first that has a fault. A
 * schema names every fault of a list, and those of millions of items have no room in memory. The place is then that within the
 * part.
 */
export function parsedInParts<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.infer<Schema>> {
  for (const [name, list] of Object.entries(isRecord(value) ? value : {})) {
    if (!Array.isArray(list) || list.length <= atOnce) continue;
    for (let from = 0; from < list.length; from += atOnce) {
      const part = schema.safeParse({ ...shortened(value), [name]: list.slice(from, from + atOnce) });
      // A part need not have all of the whole.
      if (part.error?.issues.some(({ path: [field, at] }) => field === name && at !== undefined)) return part;
    }
  }
  return schema.safeParse(value);
}

/** A record with the beginnings of its lists. */
const shortened = (value: unknown): object =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).map(([name, each]) => [
      name,
      Array.isArray(each) ? each.slice(0, atOnce) : each,
    ]),
  );

/** A name that a line of output can hold as it is. */
const plainName = /^[\w.:-]{1,64}$/;

const isMissingBranch = (issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidUnion =>
  issue.code === 'invalid_union' && issue.errors.length > 0;

/** The place that a fault of a shape names; of a field that no record of this shape has, the field itself. */
function pathOf(issue: z.core.$ZodIssue | undefined): PropertyKey[] {
  if (issue === undefined) return [];
  if (issue.code === 'unrecognized_keys') {
    const name = issue.keys[0] ?? '';
    return [...issue.path, plainName.test(name) ? name : 'a field that no such record has'];
  }
  if (!isMissingBranch(issue)) return issue.path;
  // Of the forms that a value could have, it comes nearest to the one with the fewest faults.
  const [nearest] = issue.errors.toSorted((one, other) => one.length - other.length);
  return [...issue.path, ...pathOf(nearest?.[0])];
}

/** The first place where a value differs from its shape, as a path with dots; `(whole)` if the value as a whole does. */
export function shapeFault({ issues }: z.ZodError): string {
  const path = pathOf(issues[0]).join('.');
  return path === '' ? '(whole)' : path;
}

/** A record that was reopened from the object of this content id. */
export interface StoredReceipt<Body> {
  readonly contentId: string;
  /** Length of the stored bytes. */
  readonly bytes: number;
  readonly body: Body;
}

/** A record to be stored, with its value as the schema of its event parsed it. */
export interface SealedRecord extends StoredObject {
  readonly sealed: { readonly schema: z.ZodType; readonly body: object };
}

/** A record that an event carries as its `receipt`: the schema of the event has that of the record in it. */
export const sealedBy = (
  schema: z.ZodType,
  object: StoredObject,
  { data }: { readonly data: unknown },
): SealedRecord => ({
  ...object,
  sealed: { schema, body: (data as { readonly receipt: object }).receipt },
});

/** Remembers the sealed records among objects that were just stored: the next stage need not parse them again. */
export function rememberSealed(content: StoredContent, objects: readonly (StoredObject | SealedRecord)[]): void {
  for (const object of objects) {
    if (!('sealed' in object)) continue;
    const { contentId, sealed } = object;
    const bytes = object.bytes.length;
    const receipt = { contentId, bytes, body: sealed.body };
    content.remember?.(sealed.schema, contentId, receipt, [{ contentId, bytes, path: null }], bytes);
  }
}

/** Reads one record back from its stored bytes, or finds it among the known ones. Throws `EvidenceChainError`. */
export async function readStoredReceipt<Schema extends z.ZodType>(
  shape: StoredShape<Schema>,
  content: StoredContent,
  contentId: string,
): Promise<StoredReceipt<z.infer<Schema>>> {
  const known = content.known?.(shape.schema, contentId);
  if (known !== undefined) return known as StoredReceipt<z.infer<Schema>>;
  const bytes = await readObject(shape.link, content, contentId, shape.maximumBytes);
  const receipt = { contentId, bytes: bytes.length, body: reopenJson(shape, { contentId, bytes }) };
  content.remember?.(shape.schema, contentId, receipt, [{ contentId, bytes: bytes.length, path: null }], bytes.length);
  return receipt;
}
