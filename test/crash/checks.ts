import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { verifyRuntime } from '../../actors/reopening/verify-runtime.ts';
import { openStore } from '../actors/reopening/stored-studies.ts';
import { eventually } from '../patience.ts';
import type { CrashClient, Promised } from './client.ts';
import { processesOf } from './processes.ts';

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const event = z.looseObject({
  runId: z.string(),
  seq: z.number(),
  type: z.string(),
  data: z.looseObject({
    operationId: z.string().optional(),
    intakeId: z.string().optional(),
    request: z.looseObject({ operationId: z.string() }).optional(),
    artifact: z.looseObject({ id: z.string() }).optional(),
  }),
});

/** The journal from its first event: no gap, every link, every head ever reported, and each thing begun and ended once. */
export function checkJournal(t: ExecutionContext, { runtime, events, heads }: Promised): void {
  const runId = runtime?.runtimeId ?? '';
  const chain = [sha256(runId)];
  const once = new Set<string>();
  const open = new Set<string>();
  for (const [index, text] of events.entries()) {
    chain.push(sha256(chain[index] ?? '', text));
    const { seq, type, data, runId: ownId } = event.parse(JSON.parse(text));
    t.deepEqual({ seq, ownId }, { seq: index + 1, ownId: runId });
    const [, of, step] = /^(.+)_(started|completed|failed)$/.exec(type) ?? [];
    const id = data.artifact?.id ?? data.request?.operationId ?? data.operationId ?? data.intakeId ?? '';
    const name = of === undefined ? `${type} ${type === 'task.transitioned' ? seq : id}` : `${of} ${id}`;
    if (step === 'started') open.add(name);
    else if (step !== undefined) t.true(open.delete(name), `${type} ${id} ends what was not begun`);
    const what = `${name} ${step ?? ''}`;
    t.false(once.has(what), `${what} twice`);
    once.add(what);
  }
  t.deepEqual([...open], []);
  t.is(heads.at(-1)?.seq, events.length);
  for (const { seq, digest } of heads) t.is(chain[seq]?.toString('hex'), digest, `the head at ${seq}`);
  t.regex(events.at(-1) ?? '', /"status":"completed".*"type":"task\.transitioned"/);
}

/** All answers that a client may ask for again, however often the host died since. */
export async function checkAnswers(t: ExecutionContext, client: CrashClient, promised: Promised): Promise<void> {
  const { ingestId, runtime, events } = promised;
  const expected = { runtimeId: runtime?.runtimeId, lifecycle: 'terminal', journalHead: events.length, reason: null };
  t.like(await client.get(`/v1/owned-media-ingests/${ingestId}`), { ingestId, status: 'registered', failure: null });
  if (runtime === null) return;
  t.like(await client.get(`/v1/runtimes/${runtime.runtimeId}`), expected);
  t.like(await client.get(`/v1/runtime-starts/${runtime.commandId}`), expected);
}

/** Nothing under way is left in the data root, and every object is what its name says. */
export async function checkDataRoot(t: ExecutionContext, root: string): Promise<void> {
  for (const folder of ['inbox', 'work', 'quarantine']) t.deepEqual(await readdir(join(root, folder)), [], folder);
  const objects = join(root, 'objects', 'sha256');
  for (const entry of await readdir(objects, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    t.is(sha256(await readFile(path)).toString('hex'), entry.name);
    t.is(basename(entry.parentPath), entry.name.slice(0, 2));
  }
}

/** Every runtime in an unused data root is intact, from its journal to the last byte of its files. */
export async function checkRuntimes(t: ExecutionContext, root: string): Promise<void> {
  const store = await openStore(root);
  try {
    for (const { key } of await store.ledger.list('snapshot', 'runtime:')) {
      await t.notThrowsAsync(verifyRuntime(store, key, () => undefined));
    }
  } finally {
    await store.close();
  }
}

/** An unused data root is intact: its folders, its objects and its runtimes. */
export async function checkWhole(t: ExecutionContext, root: string): Promise<void> {
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
}

/** Whatever a dead host had started dies with it; a moment is allowed for the kernel to be done with it. */
export async function checkProcesses(t: ExecutionContext, root: string): Promise<void> {
  const areGone = async () => (await processesOf(root)).length === 0;
  await t.notThrowsAsync(eventually('the end of what the host had started', areGone, 50));
}

/** Finishes what earlier lives of the host owe, and checks everything that was ever promised on this data root. */
export async function settle(t: ExecutionContext, client: CrashClient, promised: readonly Promised[]): Promise<void> {
  for (const each of promised) {
    await client.finish(each);
    if (each.runtime !== null) checkJournal(t, each);
    await checkAnswers(t, client, each);
  }
}
