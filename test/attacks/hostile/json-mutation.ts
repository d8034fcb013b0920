import fc from 'fast-check';

/** Keys that mean something to JavaScript itself. */
const loadedKeys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', ''];

const anyKey = fc.oneof(fc.constantFrom(...loadedKeys), fc.string({ maxLength: 12 }));

/** Values at the edges of what JSON can say. */
const oddValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', ' ', 0, -0, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER + 2, [], {}),
  fc.constantFrom('\u0000', '\ud800', '\u202e', '../../etc/passwd', 'a'.repeat(70_000)),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Where in a value something is changed, and how. */
interface Change {
  readonly steps: readonly number[];
  readonly key: string;
  readonly value: unknown;
  readonly action: 'replace' | 'remove' | 'add' | 'wrap';
}

const change: fc.Arbitrary<Change> = fc.record({
  steps: fc.array(fc.nat(9), { maxLength: 5 }),
  key: anyKey,
  value: oddValue,
  action: fc.constantFrom('replace', 'remove', 'add', 'wrap'),
});

const entriesOf = (value: object): [string, unknown][] => Object.entries(value);

/** An object that holds exactly these keys, `__proto__` among them. */
function objectOf(entries: readonly [string, unknown][]): object {
  const made = {};
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

function changed(value: unknown, { steps: [step, ...steps], key, value: odd, action }: Change): unknown {
  if (typeof value !== 'object' || value === null || step === undefined) return action === 'wrap' ? [value] : odd;
  const entries = entriesOf(value);
  if (action === 'add' && steps.length === 0) return objectOf([...entries, [key, odd]]);
  const at = step % Math.max(1, entries.length);
  const others = entries.flatMap((entry, index): [string, unknown][] => {
    if (index !== at) return [entry];
    if (action === 'remove' && steps.length === 0) return [];
    return [[entry[0], changed(entry[1], { steps, key, value: odd, action })]];
  });
  return Array.isArray(value) ? others.map(([, each]) => each) : objectOf(others);
}

/** A valid value with up to three changes; without any, it stays valid. */
export const mutated = (example: unknown): fc.Arbitrary<unknown> =>
  fc.array(change, { maxLength: 3 }).map((changes) => changes.reduce(changed, example));

/** Bytes in place of JSON text: whole, cut, invalid as text, nested without end, or not JSON at all. */
export const bytesOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 6, arbitrary: value.map((each) => Buffer.from(JSON.stringify(each) ?? '')) },
    fc.tuple(value, fc.nat()).map(([each, at]) => {
      const text = Buffer.from(JSON.stringify(each) ?? '');
      return text.subarray(0, at % (text.length + 1));
    }),
    fc.tuple(value, fc.nat(), fc.uint8Array({ maxLength: 6 })).map(([each, at, bytes]) => {
      const text = Buffer.from(JSON.stringify(each) ?? '');
      const place = at % (text.length + 1);
      return Buffer.concat([text.subarray(0, place), bytes, text.subarray(place)]);
    }),
    fc.constantFrom(
      Buffer.from('['.repeat(60_000)),
      Buffer.from(`${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`),
      Buffer.from('{"range":{"startMs":1e999}}'),
      Buffer.from('\ufeff{}'),
      Buffer.from('{"a":1,"a":2}'),
      Buffer.alloc(0),
      Buffer.alloc(300_000, 32),
    ),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  );
