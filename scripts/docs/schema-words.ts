import { nameOf, type ReadableDocument, type SchemaObject, schemaObject } from './openapi/read-document.ts';

const shownAlternatives = 6;

/** A few words for the values of a schema; a named schema gives its name. */
export function wordsOf(schema: unknown): string {
  const { $ref, type, const: only, enum: words, items, oneOf, anyOf } = schemaObject.parse(schema);
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (words !== undefined) return listed(words.map((word) => `\`${JSON.stringify(word)}\``));
  if ($ref !== undefined) return nameOf($ref);
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined) return listed(alternatives.map(wordsOf));
  if (type === 'array') return items === undefined || items === false ? 'list' : `list of ${wordsOf(items)}`;
  return Array.isArray(type) ? listed(type) : (type ?? 'any');
}

const listed = (words: readonly string[]): string =>
  words.length > shownAlternatives
    ? `${words.slice(0, shownAlternatives).join(', ')}, …`
    : [words.slice(0, -1).join(', '), words.at(-1)].filter((part) => part !== '').join(' or ');

/** A schema with its fields: the one that a reference names. */
export function fieldsOf({ components }: ReadableDocument, schema: unknown): SchemaObject {
  const { $ref, ...own } = schemaObject.parse(schema);
  return $ref === undefined ? own : (components.schemas[nameOf($ref)] ?? own);
}
