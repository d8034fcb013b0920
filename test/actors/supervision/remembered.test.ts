import test from 'ava';
import { KnownMachine } from '../../../actors/host-types.ts';
import { RememberedTools } from '../../../actors/opening/open-engines.ts';
import type { KnownTool } from '../../../executors/process/tools.ts';

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
