import type { z } from 'zod';
import { canonicalJson, hashOf } from '../../../formats/canonical-json.ts';

export interface Mutation {
  /** The path of the changed value, such as `claims[0].range.endMs`. */
  readonly at: string;
  readonly value: unknown;
  /** False if the value is unchanged, as after a swap of equal neighbors. */
  readonly isOther: boolean;
}

const changedLeaf = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`;
  return 0;
};

function* ofArray(value: readonly unknown[], at: string): Generator<Mutation> {
  yield { at: `${at}[+]`, value: [...value, ...value.slice(0, 1)], isOther: value.length > 0 };
  for (const [index, element] of value.entries()) {
    yield { at: `${at}[-${index}]`, value: value.toSpliced(index, 1), isOther: true };
    if (index > 0) {
      const before = value[index - 1];
      const isOther = canonicalJson(element) !== canonicalJson(before);
      yield { at: `${at}[~${index}]`, value: value.toSpliced(index - 1, 2, element, before), isOther };
    }
    for (const inner of mutationsOf(element, `${at}[${index}]`)) {
      yield { ...inner, value: value.with(index, inner.value) };
    }
  }
}

function* ofObject(value: object, at: string): Generator<Mutation> {
  yield { at: `${at}.extra`, value: { ...value, extra: 0 }, isOther: true };
  for (const [key, element] of Object.entries(value)) {
    const { [key]: removed, ...rest } = value as Readonly<Record<string, unknown>>;
    yield { at: `${at}.${key}-`, value: rest, isOther: true };
    for (const inner of mutationsOf(element, `${at}.${key}`))
      yield { ...inner, value: { ...value, [key]: inner.value } };
  }
}

/** Every way to change one leaf, one key or one element of a JSON value. */
export function* mutationsOf(value: unknown, at = ''): Generator<Mutation> {
  if (Array.isArray(value)) yield* ofArray(value, at);
  else if (typeof value === 'object' && value !== null) yield* ofObject(value, at);
  else {
    const changed = changedLeaf(value);
    yield { at, value: changed, isOther: changed !== value };
  }
}

/** Those of them that really change the value. */
export const changesOf = (value: unknown): Mutation[] => [...mutationsOf(value)].filter(({ isOther }) => isOther);

/** The record with the id that follows from the rest of it, as a forger would sign it. */
export function resigned<Signed extends object>(record: Signed, idKey: keyof Signed & string): Signed {
  const { schema, [idKey]: id, ...body } = record as Readonly<Record<string, unknown>>;
  return { ...record, [idKey]: `${String(id).split(':', 1)}:${hashOf(body)}` };
}

/** Places at which a changed record passes both its shape and its audit, as it is or with a new id. */
export function unseenChangesOf<Signed extends object>(
  record: Signed,
  idKey: keyof Signed & string,
  shape: z.ZodType<Signed>,
  placeOf: (changed: Signed) => string | null,
): string[] {
  return [...mutationsOf(record)].flatMap(({ at, value }) => {
    const shaped = shape.safeParse(value);
    if (!shaped.success) return [];
    const isSeen = placeOf(shaped.data) !== null;
    const isSeenSigned = at === `.${idKey}` || placeOf(resigned(shaped.data, idKey)) !== null;
    return isSeen && isSeenSigned ? [] : [at];
  });
}
