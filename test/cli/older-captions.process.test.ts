import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { unpackStores } from '../../fixtures/golden-store/archive.ts';
import { openStore } from '../actors/reopening/stored-studies.ts';
import { runCommand } from './command.ts';

test('bug: captions of an earlier version were printed and exported without a word', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'older-captions-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  unpackStores('fixtures/golden-store/releases/1.0.0/stores.tar.br', folder, (name) => name === 'life.recognized');
  const root = join(folder, 'life.recognized');
  const { ledger, close } = await openStore(root);
  const [{ key: runtimeId } = { key: '' }] = await ledger.list('snapshot', 'runtime:');
  await close();
  const again =
    /^An earlier version made these captions .* To make them again: .* caption source-session:\w+ .* --again --data-root /m;
  const printed = await runCommand(['captions', runtimeId, '--data-root', root]);
  t.is(printed.exit, 0, printed.stderr);
  t.regex(printed.stdout, /^WEBVTT\n/);
  t.regex(printed.stderr, again);
  const exported = await runCommand(['export', runtimeId, 'captions.srt', '--data-root', root]);
  t.is(exported.exit, 0, exported.stderr);
  t.regex(exported.stderr, again);
});
