import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

// A host whose data root was moved away, and another host on a new root in its place: nothing of the first one goes there.

interface Announced {
  readonly listening: string;
  readonly authorizationToken: string;
}

async function startedOn(t: ExecutionContext, root: string) {
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', root] });
  t.teardown(() => host.kill());
  const { listening, authorizationToken } = (await host.announced()) as unknown as Announced;
  const ask = (method: string, path: string, body?: object) =>
    fetch(`${listening}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${authorizationToken}`,
        Origin: 'http://127.0.0.1:4321',
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { host, ask };
}

/** Every entry of a folder, with the bytes of those outside the store. */
async function contentOf(root: string): Promise<Readonly<Record<string, string>>> {
  const content: Record<string, string> = {};
  for (const name of (await readdir(root, { recursive: true })).sort()) {
    const path = join(root, name);
    const isText = (await stat(path)).isFile() && !name.startsWith('ledger');
    content[name] = isText ? (await readFile(path)).toString('latin1') : '';
  }
  return content;
}

type Ask = Awaited<ReturnType<typeof startedOn>>['ask'];

const writes: Readonly<Record<string, (ask: Ask) => Promise<unknown>>> = {
  'a change of settings': (ask) =>
    ask('POST', '/v1/settings-changes', { schema: 'studio.settings-change.v1', set: { 'maximum-live-studies': 3 } }),
  'a snapshot of the ledger': (ask) => ask('POST', '/v1/ledger-snapshots', {}),
  'its signing key': (ask) => ask('GET', '/v1/signing-keys'),
};

for (const [what, write] of Object.entries(writes)) {
  test(`bug: the host of a moved data root wrote into the root of the other host: ${what}`, async (t) => {
    const folder = await scratchFolder(t);
    const root = join(folder, 'root');
    const first = await startedOn(t, root);
    await rename(root, join(folder, 'moved'));
    await startedOn(t, root);
    const before = await contentOf(root);
    const answer = await write(first.ask).then(
      (response) => (response as Response).status,
      () => 'none',
    );
    t.true(answer === 'none' || Number(answer) >= 500, String(answer));
    t.deepEqual(await first.host.ended, { code: 1, signal: null }, first.host.stderr);
    t.regex(first.host.stderr, /commit_failed: .* is not the data root of this host any more/);
    t.deepEqual(await contentOf(root), before);
  });
}

test('bug: the host of a moved data root removed the address of the other host when it was stopped', async (t) => {
  const folder = await scratchFolder(t);
  const root = join(folder, 'root');
  const first = await startedOn(t, root);
  await rename(root, join(folder, 'moved'));
  await startedOn(t, root);
  const before = await contentOf(root);
  t.deepEqual(await first.host.stop(), { code: 1, signal: null });
  t.deepEqual(await contentOf(root), before);
});
