import type { z } from 'zod';
import { isWellFormed } from '../../contract/base/grammar.ts';
import { SourceInconsistent } from '../../contract/sources/source-receipt.ts';
import { hasUnseenField, indentedFile, utf8Json } from '../../formats/canonical-json.ts';
import { parsedInParts } from '../stored-records.ts';

/**
 * Reads a record of a sealed source: UTF-8 JSON of the schema, written exactly as
 * `indentedFile` writes it. Throws `SourceInconsistent` `record_malformed`.
 */
export function readSealedRecord<Schema extends z.ZodType<object>>(
  schema: Schema,
  bytes: Uint8Array,
  place: string,
): z.infer<Schema> {
  const value = parse(bytes, place);
  const record = parsedInParts(schema, value);
  if (!record.success) {
    const [issue] = record.error.issues;
    throw new SourceInconsistent('record_malformed', [place, ...(issue?.path ?? [])].join('.'), record.error);
  }
  if (!isWellFormed(value) || !indentedFile(value).equals(bytes) || hasUnseenField(Buffer.from(bytes).toString('utf8')))
    throw new SourceInconsistent('record_malformed', place);
  return record.data;
}

function parse(bytes: Uint8Array, place: string): object {
  const fault = (cause?: unknown) => new SourceInconsistent('record_malformed', place, cause);
  const value = utf8Json(bytes, fault);
  if (typeof value === 'object' && value !== null) return value;
  throw fault();
}
