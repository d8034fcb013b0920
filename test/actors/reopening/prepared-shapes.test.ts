import test from 'ava';
import { z } from 'zod';
import { prepareShapes } from '../../../actors/reopening/prepared-shapes.ts';
import { rowShapes } from '../../../actors/reopening/stored-runtime.ts';

/** How often others may work while these shapes are prepared. */
async function pausesOf(shapes: readonly z.ZodType[]): Promise<number> {
  let pauses = 0;
  await prepareShapes(shapes, () => {
    pauses += 1;
  });
  return pauses;
}

test('others may work after each part of a shape, and each part is prepared once', async (t) => {
  const inner = z.object({ name: z.string() });
  const outer = z.strictObject({
    one: inner,
    many: z.array(inner).max(3),
    either: z.union([inner, z.null()]),
    later: inner.optional(),
    piped: z.string().transform(Number).pipe(z.number()),
    kinds: z.record(z.enum(['a', 'b']), inner),
  });
  const pauses = await pausesOf([outer, inner]);
  t.true(pauses >= 12 && pauses < 20, `${pauses}`);
  const value = {
    one: { name: 'x' },
    many: [],
    either: null,
    piped: '7',
    kinds: { a: { name: 'y' }, b: { name: 'z' } },
  };
  t.deepEqual(outer.parse(value), { ...value, piped: 7 });
  t.false(outer.safeParse({ ...value, other: 1 }).success);
});

test('a shape that leads back to itself comes to an end, and what a shape runs on a value does no harm', async (t) => {
  const tree: z.ZodType = z.object({
    get branches() {
      return z.array(tree);
    },
    kept: z.custom((value) => {
      if (value === undefined) return false;
      throw new Error('it has seen a value');
    }),
  });
  t.true((await pausesOf([tree])) < 6);
});

test('the rows with which every reopening begins have a hundred parts, none of which holds up the others', async (t) => {
  t.true((await pausesOf(rowShapes)) > 100);
});
