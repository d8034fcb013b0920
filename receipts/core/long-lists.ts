import type { z } from 'zod';

// Few enough that the faults of all of them are few.
const atOnce = 1024;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * As `schema.safeParse`. Of a record with a long list parts of that are looked at first, up to the first that has a fault: a schema
 * names every fault of a list, and those of millions of items have no room in memory. The place is then that within the part.
 */
export function parsedInParts<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.infer<Schema>> {
  for (const [name, list] of Object.entries(isRecord(value) ? value : {})) {
    if (!Array.isArray(list) || list.length <= atOnce) continue;
    for (let from = 0; from < list.length; from += atOnce) {
      const part = schema.safeParse({ ...shortened(value), [name]: list.slice(from, from + atOnce) });
      // What a part lacks of the whole is no fault.
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
