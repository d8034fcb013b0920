import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { receiptWrites } from '../../actors/supervision/deletion-rows.ts';
import { verifyOptions } from '../../cli/options/verify-options.ts';
import { StartError } from '../../options/failures.ts';
import { type DeletionFacts, deletionReceiptOf } from '../../receipts/deletion.ts';
import type { AdmissionReference } from '../../receipts/stages/admit.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { bundleOf, bundlesOfStudy } from '../actors/exports/bundled-study.ts';
import { newDataRoot, openStore } from '../actors/reopening/stored-studies.ts';
import { linesOf, runtimeId, storedRoot, study, verification, verify } from './verified-root.ts';

test('one changed byte of any file is named, with the file', async (t) => {
  const root = await storedRoot(t);
  const { objects } = dataRootAt(root);
  const { record } = study.run;
  const { admission } = study.steps.admit as { admission: AdmissionReference };
  const files: [string, string][] = [
    ['source', record.sourceSession.source.contentId],
    ['start', study.start.receiptContentId],
    ['intake', admission.intake.receiptContentId],
  ];
  for (const [link, contentId] of files) {
    const hex = contentId.slice('sha256:'.length);
    const path = join(objects, hex.slice(0, 2), hex);
    const bytes = await readFile(path);
    await chmod(path, 0o600);
    await writeFile(path, Buffer.concat([bytes.subarray(0, -1), Buffer.from('x')]));
    const ending = await verify('--json', runtimeId, '--data-root', root);
    t.is(ending.exit, 1);
    const { verdict, fault, journalHead } = verification.parse(JSON.parse(ending.stdout));
    t.is(verdict, 'damaged');
    t.is(journalHead, null);
    t.is(fault?.link, link);
    t.is(fault?.contentId, contentId);
    t.regex(fault?.place ?? '', /(^|: )content$/);
    await writeFile(path, bytes);
  }
});

test('a store that has lost its index is damaged', async (t) => {
  const root = await storedRoot(t);
  await rm(join(dataRootAt(root).ledger, 'CURRENT'));
  const ending = await verify(runtimeId, '--data-root', root);
  t.is(ending.exit, 1);
  t.regex(linesOf(ending).at(-2) ?? '', /at store: store_unreadable: /);
});

test('a stored file with other bytes is named when every object is hashed', async (t) => {
  const root = await storedRoot(t);
  const hex = study.run.record.sourceSession.source.contentId.slice('sha256:'.length);
  const path = join(dataRootAt(root).objects, hex.slice(0, 2), hex);
  await rm(path);
  await writeFile(path, 'other');
  const line = `FAIL  part   the object sha256:${hex} has other bytes than its name says`;
  const plain = await verify('--store', '--data-root', root);
  t.false(plain.stdout.includes(line));
  const ending = await verify('--store', '--objects', '--data-root', root);
  t.is(ending.exit, 1);
  t.true(linesOf(ending).includes(line), ending.stdout);
  t.regex(
    linesOf(ending).at(-2) ?? '',
    /^damaged: the ledger of .*; put back a copy of the whole data root; without one a host/,
  );
});

test('a folder with only a folder named ledger is not a data root: no store is made in it', async (t) => {
  const root = await newDataRoot(t);
  const { ledger } = dataRootAt(root);
  await mkdir(ledger, { recursive: true });
  await writeFile(join(ledger, 'accounts.txt'), 'rent');
  for (const flags of [['--store'], ['--store', '--accept-loss']]) {
    const ending = await verify(...flags, '--data-root', root);
    t.is(ending.exit, 2);
    t.regex(ending.stderr, /^data_root_unrecognized: /);
    t.deepEqual([await readdir(root), await readdir(ledger)], [['ledger'], ['accounts.txt']]);
  }
});

test('a ledger that is gone from beside its objects is a loss, and not an unused folder', async (t) => {
  const root = await storedRoot(t);
  await rm(dataRootAt(root).ledger, { recursive: true });
  const lost = await verify('--store', '--data-root', root);
  t.is(lost.exit, 1);
  t.regex(linesOf(lost)[0] ?? '', /^FAIL {2}store {2}acknowledged commits are missing: /);
  await rm(dataRootAt(root).ledger, { recursive: true, force: true });
  await rm(join(root, 'ledger.mark'));
  const missing = await verify('--store', '--data-root', root);
  t.is(missing.exit, 2);
  t.regex(missing.stderr, /^ledger_missing: .*; put the folder ledger back from a copy of the data root, /);
});

test('a receipt of a deletion that was changed, and one that is gone, are damage of the store', async (t) => {
  const root = await newDataRoot(t);
  const opened = await openStore(root);
  const facts = {
    deleted: { kind: 'source', sourceSessionId: 'session:1', sourceRevisionIds: [], ingestIds: [] },
    deletedAt: '2026-01-02T03:04:05.678Z',
    operator: null,
    erased: { rows: 1, events: 0, eventBytes: 0, objects: 1, objectBytes: 10 },
  } satisfies DeletionFacts;
  const receipt = deletionReceiptOf(facts);
  await opened.ledger.commit(receiptWrites(receipt, ['session:1']));
  await opened.close();
  const whole = await verify('--store', '--data-root', root);
  t.deepEqual([whole.exit, linesOf(whole)[0]], [0, `intact: the ledger of ${root}`]);

  const again = await openStore(root);
  const forged = { ...receipt, erased: { ...facts.erased, objects: 2 } };
  const absent = deletionReceiptOf({ ...facts, operator: 'Nobody' });
  await again.ledger.commit([
    { put: 'record', key: `deletion/${receipt.receiptId}`, value: forged },
    ...receiptWrites(absent, ['session:2']),
    { del: 'record', key: `deletion/${absent.receiptId}` },
  ]);
  await again.close();
  const damaged = await verify('--store', '--data-root', root);
  t.is(damaged.exit, 1);
  const gone = `needs record deletion/${absent.receiptId}, which is missing`;
  t.regex(damaged.stdout, new RegExp(`^FAIL  part   record deleted/session:2 ${gone}$`, 'm'));
  t.regex(
    damaged.stdout,
    new RegExp(`^FAIL  part   the receipt ${receipt.receiptId} does not follow from what it says$`, 'm'),
  );
});

test('a data root that a host holds is left alone', async (t) => {
  const root = await storedRoot(t);
  const opened = await openStore(root);
  t.teardown(() => opened.close());
  const ending = await verify(runtimeId, '--data-root', root);
  t.is(ending.exit, 2);
  t.is(ending.stdout, '');
  t.regex(ending.stderr, /^data_root_locked: .*; stop the other host, or choose another --data-root\n$/);
});

test('a bundle is verified without a data root, and its end names the checks and the signer', async (t) => {
  const { bundles, root } = await bundlesOfStudy(t);
  const folder = dirname(root);
  const [path, key, other] = ['study.tar', 'key.pem', 'other.pem'].map((name) => join(folder, name));
  if (path === undefined || key === undefined || other === undefined) throw new Error('three paths');
  await writeFile(path, await bundleOf(bundles));
  await writeFile(key, (await bundles.keys()).keys[0]?.publicKey ?? '');
  await writeFile(other, generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }));
  const plain = await verify(path, '--all');
  t.deepEqual([plain.exit, plain.stderr], [0, '']);
  const media = study.run.record.sourceSession.source.contentId;
  t.regex(plain.stdout, new RegExp(`\nNot checked: the film itself, which is not in the bundle \\(${media}\\)`));
  t.regex(
    plain.stdout,
    /\nThe signature is valid. To check whose it is, pass --trust KEY.pem \(key sha256:[a-f0-9]{64}\)\nintact: runtime:/,
  );
  t.is((await verify(path, '--trust', key)).exit, 0);
  const foreign = await verify(path, '--trust', other, '--json');
  t.is(foreign.exit, 4);
  t.like(JSON.parse(foreign.stdout), { verdict: 'intact', signature: { state: 'untrusted' }, fault: null });
  await writeFile(path, (await bundleOf(bundles)).subarray(0, -1024));
  const damaged = await verify(path, '--json');
  t.is(damaged.exit, 1);
  t.like(JSON.parse(damaged.stdout), {
    verdict: 'damaged',
    runtimeId: null,
    signature: null,
    fault: { link: 'bundle' },
  });
  t.is((await verify(path, '--trust', path)).exit, 2);
  t.regex((await verify(folder)).stdout, /archive_not_a_file/);
});

test('a file that does not begin like a bundle is reported as such, however short it is', async (t) => {
  const folder = dirname(await newDataRoot(t));
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of [
    ['video.mp4', Buffer.alloc(2048, 'x')],
    ['note.txt', Buffer.from('a note')],
    ['nothing', Buffer.alloc(0)],
  ] as const) {
    const path = join(folder, name);
    await writeFile(path, bytes);
    const { exit, stdout } = await verify(path);
    t.is(exit, 1);
    t.regex(
      stdout,
      /^damaged: .*, at bundle: archive_\w+: at byte \d: it does not begin as a bundle does, so it is another file, or its beginning is damaged; name a file that media-study export RUNTIME bundle wrote\n$/,
    );
  }
});

test('a wrong call is refused before anything is opened', async (t) => {
  const root = await newDataRoot(t);
  const calls: [readonly string[], RegExp][] = [
    [['--data-root', root], /which runtime/],
    [[runtimeId, 'x', '--data-root', root], /unexpected argument 'x'/],
    [[runtimeId, '--data-rot', root], /did you mean --data-root/],
    [[runtimeId, '--trust', 'key.pem', '--data-root', root], /--trust is for a file that is a bundle/],
    [[fileURLToPath(import.meta.url), '--data-root', root], /--data-root is not about a bundle/],
    // A misspelled name is not a runtime whose data root is missing.
    [[join(root, 'study.tar')], /^there is no file .*study\.tar, and the id of a runtime begins with runtime:$/],
    [[runtimeId, '--json=yes', '--data-root', root], /--json takes no value/],
    [[runtimeId, '--data-root', root], /no host has ever kept its data there/],
  ];
  for (const [args, said] of calls) {
    const error = t.throws(() => verifyOptions(args), { instanceOf: StartError, message: said });
    t.deepEqual([error.code, error.exitCode], ['invalid_flags', 2]);
  }
  t.false(existsSync(root));
});
