import { z } from 'zod';

/** Agents whose schemas make every argument required send one of these for what they leave out. */
const isUnset = (value: unknown): boolean => value === null || value === '';

const decimal = /^[+-]?\d+(?:\.\d+)?$/;

/** The value of a text that is JSON of that kind; the text itself if it is not. */
function parsedIf(text: string, begins: '{' | '['): unknown {
  if (!text.trimStart().startsWith(begins)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function objectOf({ shape }: z.ZodObject, value: unknown): unknown {
  const given = typeof value === 'string' ? parsedIf(value, '{') : value;
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, each]) => {
      const field = Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
      if (field === undefined) return [[name, each]];
      const mayBeAbsent = field instanceof z.ZodOptional || field instanceof z.ZodDefault;
      return mayBeAbsent && isUnset(each) ? [] : [[name, spelled(field, each)]];
    }),
  );
}

function listOf({ element }: z.ZodArray, value: unknown): unknown {
  const given = typeof value === 'string' ? parsedIf(value, '[') : value;
  const items = Array.isArray(given) ? given : [given];
  return items.filter((item) => !isUnset(item)).map((item) => spelled(element as z.ZodType, item));
}

/** A value in the form of its schema if it only has another spelling; else as it is, for the schema to refuse. */
function spelled(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return spelled(schema.unwrap() as z.ZodType, value);
  }
  if (schema instanceof z.ZodNullable) return isUnset(value) ? null : spelled(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodUnion) {
    const options = schema.options as readonly z.ZodType[];
    return options.map((option) => spelled(option, value)).find((_, at) => fits(options[at], value)) ?? value;
  }
  if (schema instanceof z.ZodObject) return objectOf(schema, value);
  if (schema instanceof z.ZodArray) return listOf(schema, value);
  if (schema instanceof z.ZodNumber) {
    return typeof value === 'string' && decimal.test(value.trim()) ? Number(value) : value;
  }
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodString) {
    return typeof value === 'number' ? String(value) : value;
  }
  return value;
}

const fits = (schema: z.ZodType | undefined, value: unknown): boolean =>
  schema?.safeParse(spelled(schema, value)).success === true;

/**
 * The arguments of a tool as agents spell them, in the form of its schema. `null` and `""` leave an argument out that may be absent.
 * Numbers may be text, lists and objects may be JSON text, and `_meta` belongs to the protocol. Everything else is as it was given.
 */
export function spelledArguments(schema: z.ZodObject, given: unknown): unknown {
  const args = objectOf(schema, given ?? {});
  if (args === null || typeof args !== 'object' || '_meta' in schema.shape) return args;
  const { _meta, ...others } = args as { readonly _meta?: unknown };
  return others;
}
