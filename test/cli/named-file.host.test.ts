import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { FileTooLarge, namedFile } from '../../cli/named-file.ts';
import { verify } from './verified-root.ts';

test('a file that a person names is read up to its bound', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'named-file-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'lines.srt');
  await writeFile(path, 'x'.repeat(1000));
  t.is((await namedFile(path, 1000)).length, 1000);
  await t.throwsAsync(namedFile(path, 999), { instanceOf: FileTooLarge, message: /more than 999 bytes/ });
  await t.throwsAsync(namedFile(folder, 1000), { code: 'EISDIR' });
  await t.throwsAsync(namedFile(join(folder, 'none'), 1000), { code: 'ENOENT' });
});

test('bug: verify --trust read a device without an end until its memory was full', async (t) => {
  await t.throwsAsync(namedFile('/dev/zero', 1000), { instanceOf: FileTooLarge });
  const refused = await verify('/dev/null', '--trust', '/dev/zero');
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /--trust \/dev\/zero: it has more than 65536 bytes, and is not read/);
});
