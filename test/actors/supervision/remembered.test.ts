import test from 'ava';
import { KnownMachine } from '../../../actors/host-types.ts';
import { RememberedTools } from '../../../actors/opening/open-engines.ts';
import { RememberedPages } from '../../../actors/study/studies.ts';
import { RememberedAnswers, SingleFlight } from '../../../actors/supervision/remembered-answers.ts';
import type { KnownTool } from '../../../executors/process/tools.ts';

test('callers during a look share the next one, which sees later changes', async (t) => {
  const flights = new SingleFlight<number>();
  let value = 0;
  let count = 0;
  let finish = (): void => undefined;
  const look = async () => {
    count += 1;
    const seen = value;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return seen;
  };
  const first = flights.take('file', look);
  await Promise.resolve();
  t.is(count, 1);
  value = 1;
  const others = [flights.take('file', look), flights.take('file', look), flights.take('file', look)];
  finish();
  t.is(await first, 0);
  await new Promise(setImmediate);
  t.is(count, 2);
  finish();
  t.deepEqual(await Promise.all(others), [1, 1, 1]);
  t.is(count, 2);
});

test('a failed look fails for all who shared it, and the next one starts over', async (t) => {
  const flights = new SingleFlight<string>();
  const fails = () => Promise.reject(new Error('disk'));
  const asked = [flights.take('file', fails), flights.take('file', fails)];
  for (const answer of asked) await t.throwsAsync(answer, { message: 'disk' });
  t.is(await flights.take('file', async () => 'seen'), 'seen');
});

test('looks at different things do not wait for each other', async (t) => {
  const flights = new SingleFlight<string>();
  let finish = (): void => undefined;
  const slow = flights.take('one', async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return 'one';
  });
  t.is(await flights.take('two', async () => 'two'), 'two');
  finish();
  t.is(await slow, 'one');
});

/** Answers of the form `a1`: the id, and how often something was made. */
function answers(limit = 8) {
  let made = 0;
  const remembered = new RememberedAnswers<string>(limit, async (id) => {
    made += 1;
    return `${id}${made}`;
  });
  return { remembered, made: () => made };
}

test('changes of other resources leave an answer known', async (t) => {
  const { remembered } = answers();
  t.is(await remembered.get('a'), 'a1');
  const other = remembered.get('b');
  remembered.forget('c');
  remembered.forget('a');
  t.is(await other, 'b2');
  // Not a promise: it is given in the same turn.
  t.is(remembered.get('b'), 'b2');
  t.is(await remembered.get('a'), 'a3');
});

test('readers that come together share one making', async (t) => {
  const { remembered, made } = answers();
  t.deepEqual(await Promise.all([remembered.get('a'), remembered.get('a'), remembered.get('a')]), ['a1', 'a1', 'a1']);
  t.is(made(), 1);
});

test('a result from a time of changes to its resource is not kept', async (t) => {
  const { remembered } = answers();
  const before = remembered.get('a');
  remembered.forget('a');
  const after = remembered.get('a');
  t.is(await before, 'a1');
  t.is(await after, 'a2');
  t.is(remembered.get('a'), 'a2');
});

test('a making that failed is tried again', async (t) => {
  let fails = true;
  const remembered = new RememberedAnswers<string>(8, async (id) => {
    if (fails) throw new Error('not now');
    return id;
  });
  await t.throwsAsync(async () => remembered.get('a'), { message: 'not now' });
  fails = false;
  t.is(await remembered.get('a'), 'a');
});

test('one answer too many costs the one used longest ago, and not all', async (t) => {
  const { remembered } = answers(2);
  await remembered.get('a');
  await remembered.get('b');
  await remembered.get('c');
  t.is(remembered.get('b'), 'b2');
  t.is(remembered.get('c'), 'c3');
  t.is(await remembered.get('a'), 'a4');
});

interface Page {
  readonly bytes: Uint8Array;
}

const pageOf = (bytes: number): Page => ({ bytes: new Uint8Array(bytes) });

const always = (): boolean => true;

test('a page that was read is given again, the same object', async (t) => {
  const pages = new RememberedPages<Page>();
  const page = await pages.read('a', '0 100', async () => pageOf(1), always);
  t.is(pages.get('a', '0 100'), page);
  t.is(pages.get('a', '100 100'), undefined);
  t.is(pages.get('b', '0 100'), undefined);
});

test('a commit of its runtime ends a page, and no other', async (t) => {
  const pages = new RememberedPages<Page>();
  await pages.read('a', '0 100', async () => pageOf(1), always);
  const other = await pages.read('b', '0 100', async () => pageOf(1), always);
  pages.forget('a');
  t.is(pages.get('a', '0 100'), undefined);
  t.is(pages.get('b', '0 100'), other);
});

test('a page that was read while its runtime committed is never given again', async (t) => {
  const pages = new RememberedPages<Page>();
  const read = async (): Promise<Page> => {
    pages.forget('a');
    return pageOf(1);
  };
  await pages.read('a', '0 100', read, always);
  t.is(pages.get('a', '0 100'), undefined);
});

test('a page that does not last is not kept', async (t) => {
  const pages = new RememberedPages<Page>();
  await pages.read(
    'a',
    '0 100',
    async () => pageOf(1),
    () => false,
  );
  t.is(pages.get('a', '0 100'), undefined);
});

test('many pages make those go that were used longest ago', async (t) => {
  const pages = new RememberedPages<Page>();
  const large = 4 * 1024 * 1024;
  for (const name of ['0', '1', '2', '3', '4', '5', '6'])
    await pages.read('a', name, async () => pageOf(large), always);
  t.truthy(pages.get('a', '0'));
  await pages.read('a', '7', async () => pageOf(large), always);
  t.is(pages.get('a', '1'), undefined);
  t.truthy(pages.get('a', '0'));
});

const found = (version: string): KnownTool => ({
  path: '/usr/bin/tool',
  files: [{ path: '/usr/bin/tool', state: '1:2:3:4:5' }],
  identity: { name: 'tool', version, digest: `sha256:${'0'.repeat(64)}` },
});

/** A ledger with this row, or one that cannot be read. */
const holding = (row: unknown) => ({
  get: () => {
    if (row instanceof Error) throw row;
    return row;
  },
});

test('a tool that was noted is stored, and known to the next start', (t) => {
  const first = new RememberedTools(holding(undefined));
  t.is(first.known('/usr/bin/tool'), undefined);
  first.note(found('1'));
  const value = { tools: [found('1')] };
  t.deepEqual(first.writes(), [{ put: 'record', key: 'host/tools', value }]);
  t.deepEqual(new RememberedTools(holding(value)).known('/usr/bin/tool'), found('1'));
});

test('a start that finds what was known writes nothing, and another version is replaced', (t) => {
  const second = new RememberedTools(holding({ tools: [found('1')] }));
  const known = second.known('/usr/bin/tool');
  if (known !== undefined) second.note(known);
  t.deepEqual(second.writes(), []);
  const third = new RememberedTools(holding({ tools: [found('1')] }));
  third.note(found('2'));
  t.deepEqual(third.writes(), [{ put: 'record', key: 'host/tools', value: { tools: [found('2')] } }]);
});

test('the findings of a host go to the next one of its process, and into its data root', (t) => {
  const process = new KnownMachine();
  new RememberedTools(holding(undefined), process).note(found('1'));
  const next = new RememberedTools(holding(undefined), process);
  const known = next.known('/usr/bin/tool');
  t.deepEqual(known, found('1'));
  if (known !== undefined) next.note(known);
  t.deepEqual(next.writes(), [{ put: 'record', key: 'host/tools', value: { tools: [found('1')] } }]);
});

test('newer findings replace an older state in the next data root, and are stored once', (t) => {
  const process = new KnownMachine();
  process.note(found('2'));
  const next = new RememberedTools(holding({ tools: [found('1')] }), process);
  const known = next.known('/usr/bin/tool');
  t.deepEqual(known, found('2'));
  if (known !== undefined) next.note(known);
  const value = { tools: [found('2')] };
  t.deepEqual(next.writes(), [{ put: 'record', key: 'host/tools', value }]);
  const again = new RememberedTools(holding(value), process);
  again.note(again.known('/usr/bin/tool') ?? found('1'));
  t.deepEqual(again.writes(), []);
});

test('a row that is damaged or has another shape is ignored without a fault', (t) => {
  for (const row of [new Error('damaged'), { tools: [{ path: 1 }] }, 'tools', null]) {
    t.is(new RememberedTools(holding(row)).known('/usr/bin/tool'), undefined);
  }
});
