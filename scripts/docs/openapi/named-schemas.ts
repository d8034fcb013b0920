import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const contract = fileURLToPath(new URL('../../../contract', import.meta.url));

/** A schema that the contract exports: its name in the description, and what the comment above it says. */
export interface NamedSchema {
  readonly name: string;
  readonly comment: string | null;
}

/**
 * Every schema that the contract exports, by the schema itself. A list of events is taken apart: each event is named after
 * its type. Throws for a name that two schemas would have.
 */
export async function namedSchemas(): Promise<ReadonlyMap<z.ZodType, NamedSchema>> {
  const named = new Map<z.ZodType, NamedSchema>();
  const taken = new Set<string>();
  const add = (schema: z.ZodType, name: string, comment: string | null): void => {
    if (named.has(schema)) return;
    if (taken.has(name)) throw new Error(`two schemas of the contract would be named ${name}`);
    taken.add(name);
    named.set(schema, { name, comment });
  };
  for (const file of (await readdir(contract, { recursive: true })).filter((path) => path.endsWith('.ts')).sort()) {
    const comments = commentsIn(await readFile(join(contract, file), 'utf8'));
    const name = file.slice(0, -'.ts'.length);
    // In this form a bundler can follow it.
    const exported: Readonly<Record<string, unknown>> = await import(`../../../contract/${name}.ts`);
    for (const [key, value] of Object.entries(exported)) {
      if (value instanceof z.ZodType) add(value, pascalCase(key), comments.get(key) ?? null);
      for (const event of eventsIn(value)) add(event, `${pascalCase(typeOf(event))}Event`, null);
    }
  }
  return named;
}

/** `media.operation_started` and `captionRow` as `MediaOperationStarted` and `CaptionRow`. */
export const pascalCase = (name: string): string =>
  name.replace(/(?:^|[._-]|\s)(\w)/g, (_, first: string) => first.toUpperCase());

const eventsIn = (value: unknown): z.ZodObject[] =>
  Array.isArray(value) ? value.filter((each) => each instanceof z.ZodObject && 'type' in each.shape) : [];

const typeOf = ({ shape }: z.ZodObject): string => z.string().parse(z.toJSONSchema(shape.type as z.ZodType).const);

/** The comment above each exported constant, as one line of text. */
function commentsIn(source: string): ReadonlyMap<string, string> {
  const found = source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+)/g);
  return new Map([...found].map(([, comment = '', name = '']) => [name, textOf(comment)]));
}

const textOf = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trim())
    .join(' ')
    .trim();
