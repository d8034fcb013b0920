import { z } from 'zod';
import type { FoldPorts } from '../../receipts/fold.ts';

/** The schemas directly within one, whatever it is made of. A lazy one is left alone: it may lead back to itself. */
function partsOf(value: unknown): readonly z.core.$ZodType[] {
  if (value instanceof z.core.$ZodType) return [value];
  if (Array.isArray(value)) return value.flatMap(partsOf);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.values(value).flatMap(partsOf);
}

/**
 * Lets zod compile these shapes with a breath after each object in them. It compiles an object with the first value that it
 * parses: the first row of a runtime, with a hundred objects within each other, would keep everybody else waiting.
 */
export async function prepareShapes(shapes: readonly z.core.$ZodType[], pause: FoldPorts['pause']): Promise<void> {
  const open = [...shapes];
  const seen = new Set<z.core.$ZodType>();
  for (let shape = open.pop(); shape !== undefined; shape = open.pop()) {
    if (seen.has(shape)) continue;
    seen.add(shape);
    const { def } = shape._zod;
    // The answer does not matter, but for an object zod compiles before it finds out that this one has nothing.
    if (def.type === 'object') z.safeParse(shape, {});
    open.push(...partsOf({ ...def }));
    await pause();
  }
}
