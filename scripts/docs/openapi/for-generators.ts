import { isRecord, type Json } from './json.ts';

/**
 * A schema in the forms that generators of clients take, with the same meaning. These programs stop at a list whose further items are
 * `false`, and at a schema whose only type is null. They read whole numbers of the type `number` as fractions.
 */
export function forGenerators(schema: unknown): unknown {
  return rewritten(schema, false);
}

/** Values in these are data, and no schemas. */
const data = new Set(['example', 'examples', 'const', 'enum', 'default', 'required']);

function rewritten(node: unknown, isOption: boolean): unknown {
  if (Array.isArray(node)) return node.map((each) => rewritten(each, isOption));
  if (!isRecord(node)) return node;
  const inner = Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (data.has(key)) return [key, value];
      // The properties of an object may have any name, also that of a keyword.
      if (key === 'properties' && isRecord(value)) {
        return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, rewritten(each, false)]))];
      }
      return [key, rewritten(value, key === 'anyOf' || key === 'oneOf')];
    }),
  );
  return withItems(withIntegers(isOption ? inner : withoutLoneNull(inner)));
}

/** `maxItems` already ends the list, so the schema of further items may be that of the items before. */
function withItems(schema: Json): Json {
  if (schema.items !== false) return schema;
  const items = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const distinct = [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
  return { ...schema, items: distinct.length === 0 ? {} : distinct.length === 1 ? distinct[0] : { anyOf: distinct } };
}

/** Null as the only value of a type that may be null. */
function withoutLoneNull(schema: Json): Json {
  return schema.type === 'null' ? { ...schema, type: ['string', 'null'], enum: [null] } : schema;
}

function withIntegers(schema: Json): Json {
  if (schema.type !== 'number') return schema;
  const values = 'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : [0.5];
  return values.every(Number.isInteger) ? { ...schema, type: 'integer' } : schema;
}
