import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { StudyHost } from '../../../client/study-host.ts';
import { unpackState } from '../../../executors/detector/packed-state.ts';
import { passState } from '../../../executors/evidence/pass-meters.ts';
import { erasingPrefix } from '../../../storage/backup/named-objects.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { copyAsLeft, openInProcess } from '../../host/host-in-process.ts';
import { eventually } from '../../patience.ts';
import { openStore } from '../reopening/stored-studies.ts';

async function folder(t: ExecutionContext, name: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), `long-range-${name}-`));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** A host for which the sample is long. */
async function hostOn(t: ExecutionContext, root: string) {
  const host = await openInProcess(t, root, { windowing: { aboveMs: 20_000, lengthMs: 8_000 } });
  const { listening, authorizationToken: token } = host.announced ?? { listening: '', authorizationToken: '' };
  return { host, client: StudyHost.connect({ baseUrl: listening, token }) };
}

async function startOn(client: StudyHost, range: { startMs: number; endMs: number }): Promise<string> {
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the sample is there');
  return (await client.study(source, { targetLanguage: 'en', range }).started).runtimeId;
}

/** Resolves with the progress once so much of the media was measured. */
async function measured(client: StudyHost, runtimeId: string, leastMs: number): Promise<number> {
  for (; ; await delay(10)) {
    const { stage, completed } = await client.progress(runtimeId);
    if (stage === 'subtitles' || stage === 'ended') throw new Error(`the pass was over at ${stage}`);
    if (stage === 'detect' && (completed ?? 0) >= leastMs) return completed ?? 0;
  }
}

async function ended(client: StudyHost, runtimeId: string): Promise<void> {
  for await (const _ of client.follow(runtimeId));
}

const factsOf = async (client: StudyHost, runtimeId: string) =>
  (await client.evidence(runtimeId, 'all')).evidence.map(({ kind, facts }) => ({ kind, facts }));

/** The lines about windows that a host has reported. */
const windowLines = (lines: readonly string[]) => lines.filter((line) => /goes on at|window/.test(line));

const windowRow = z.object({ window: z.object({ state: z.object({ contentId: z.string(), bytes: z.number() }) }) });

async function damageNewestWindow(root: string): Promise<void> {
  const { ledger, objectStore } = await openStore(root);
  const rows = await ledger.list('operation');
  const states = rows.flatMap(({ value }) => windowRow.safeParse(value).data?.window.state ?? []);
  const measured = states.map(async (state) => {
    const kept = unpackState(await objectStore.read(state.contentId, state.bytes));
    return { ...state, ...passState.parse(kept).waveform };
  });
  const [newest] = (await Promise.all(measured)).sort((one, other) => other.samples - one.samples);
  if (newest === undefined) throw new Error('a window is kept');
  await writeFile(objectStore.locate(newest.contentId), Buffer.alloc(newest.bytes));
  await ledger.close();
}

const objectsIn = async (root: string): Promise<number> =>
  (await readdir(join(root, 'objects'), { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
    .length;

test('a long study goes on in the next host behind its last window, and leaves nothing of them', async (t) => {
  const root = await folder(t, 'first');
  const [copy, damaged] = [join(await folder(t, 'copy'), 'root'), join(await folder(t, 'damaged'), 'root')];
  const { host, client } = await hostOn(t, root);
  const runtimeId = await startOn(client, { startMs: 0, endMs: 45_000 });
  // What a host leaves that is killed in its fourth window.
  await measured(client, runtimeId, 25_000);
  copyAsLeft(root, copy);
  copyAsLeft(root, damaged);
  await damageNewestWindow(damaged);
  await ended(client, runtimeId);
  const facts = await factsOf(client, runtimeId);
  t.true(facts.some(({ kind, facts: found }) => kind === 'speech_activity' && (found?.length ?? 0) > 5));
  await host.stop();
  await checkRuntimes(t, root);

  const next = await hostOn(t, copy);
  t.true((await measured(next.client, runtimeId, 1)) >= 24_000);
  await ended(next.client, runtimeId);
  t.regex(windowLines(next.host.told()).join('\n'), /^a pass over sha256:[0-9a-f]{64} goes on at 24000 ms$/);
  t.deepEqual(await factsOf(next.client, runtimeId), facts);
  await next.host.stop();
  await checkRuntimes(t, copy);
  t.is(await objectsIn(copy), await objectsIn(root), 'no window is left');

  const third = await hostOn(t, damaged);
  await ended(third.client, runtimeId);
  const [found = '', goesOn = ''] = windowLines(third.host.told());
  t.regex(found, /^sha256:[0-9a-f]{64}, kept of a window of a pass, is damaged; the window is measured again$/);
  t.regex(goesOn, /goes on at 16000 ms$/);
  t.deepEqual(await factsOf(third.client, runtimeId), facts);
  await third.host.stop();
  await checkRuntimes(t, damaged);
});

/** How many windows a host has kept by now. */
async function windowsKept(t: ExecutionContext, root: string): Promise<number> {
  const copy = join(await folder(t, 'kept'), 'root');
  copyAsLeft(root, copy);
  const { ledger } = await openStore(copy);
  const rows = await ledger.list('operation');
  await ledger.close();
  return rows.filter(({ value }) => windowRow.safeParse(value).success).length;
}

const erasureNote = z.object({ objects: z.array(z.string()) });

/** The objects that a host has noted to go because a study came to nothing. */
async function abandonedObjects(t: ExecutionContext, root: string, runtimeId: string): Promise<readonly string[]> {
  const copy = join(await folder(t, 'abandoned'), 'root');
  copyAsLeft(root, copy);
  const { ledger } = await openStore(copy);
  const note = ledger.get('record', `${erasingPrefix}${runtimeId}`);
  await ledger.close();
  return erasureNote.safeParse(note).data?.objects ?? [];
}

test('bug: a long study that was cancelled kept its windows and keyframes for ever', async (t) => {
  t.timeout(240_000, 'a pass on a busy machine');
  const root = await folder(t, 'cancelled');
  const { host, client } = await hostOn(t, root);
  const runtimeId = await startOn(client, { startMs: 0, endMs: 45_000 });
  await measured(client, runtimeId, 17_000);
  t.true((await windowsKept(t, root)) > 0);
  await client.cancel(runtimeId);
  await eventually('the end of all windows', async () => (await windowsKept(t, root)) === 0, 50);
  t.is((await client.status(runtimeId)).lifecycle, 'interrupted');
  const isAbandoned = async () => (await abandonedObjects(t, root, runtimeId)).length > 0;
  await eventually('a note that the keyframes go as well', isAbandoned, 50);
  await host.stop();
  await checkRuntimes(t, root);
});
