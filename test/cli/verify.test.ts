
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { receiptWrites } from '../../actors/supervision/deletion-rows.ts';
import { StartError } from '../../cli/options/start-error.ts';
import { verifyOptions } from '../../cli/options/verify-options.ts';
import { runVerify } from '../../cli/verify-command.ts';
import { type DeletionFacts, deletionReceiptOf } from '../../receipts/deletion/deletion-receipt.ts';
import type { AdmissionReference } from '../../receipts/study/study-admission.ts';
import { eventKey, rowKey } from '../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../storage/ledger/row-codec.ts';
import { dataRootAt } from '../../storage/objects/data-root-layout.ts';
import { bundleOf, bundlesOfStudy } from '../actors/exports/bundled-study.ts';
import { newDataRoot, openStore, store } from '../actors/reopening/stored-studies.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import { runBuilt } from './command.ts';
import { withRawRows } from '../storage/ledger/scratch.ts';

const study = storedStudy({ version: 3, windows: 4 });
const { runtimeId } = study.run.record;

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process. */
async function verify(...args: readonly string[]): Promise<Ending> {
  const ending = { stdout: '', stderr: '' };
  const code = await runVerify(args, {
    stdout: (text) => (ending.stdout += text),
    stderr: (text) => (ending.stderr += text),
  });
  return { code, ...ending };
}

/** Runs the command as npm does. */
async function verifyAsProcess(...args: readonly string[]): Promise<Ending> {
  const { exit: code, ...said } = await runBuilt('build/verify.js', args);
  return { code, ...said };
}

/** A data root that holds the study and nobody uses. */
async function storedRoot(t: ExecutionContext): Promise<string> {
  const root = await newDataRoot(t);
  const opened = await openStore(root);
  await store(opened, study);
  await opened.close();
  return root;
}

const linesOf = ({ stdout }: Ending): string[] => stdout.split('\n');

const verification = z.strictObject({
  schema: z.literal('studio.runtime-verification.v1'),
  runtimeId: z.literal(runtimeId),
  verdict: z.enum(['intact', 'damaged']),
  journalHead: z
    .string()
    .regex(/^\d+;sha256=[a-f0-9]{64}$/)
    .nullable(),
  checked: z.array(
    z.strictObject({ link: z.string(), subject: z.string(), contentId: z.string().nullable(), detail: z.string() }),
  ),
  fault: z.strictObject({ link: z.string(), place: z.string(), contentId: z.string().nullable() }).nullable(),
});

test('an intact runtime is said to be so, with one line for each file and each row', async (t) => {
  const root = await storedRoot(t);
  const ending = await verifyAsProcess(runtimeId, '--data-root', root);
  t.is(ending.code, 0, ending.stderr);
  t.is(ending.stderr, '');
  const lines = linesOf(ending);
  for (const contentId of study.files.keys()) t.is(lines.filter((line) => line.includes(contentId)).length, 1);
  t.true(lines.slice(0, -3).every((line) => /^ok {4}[a-z_]+ +(sha256:[a-f0-9]{64}|-) +\S/.test(line)));
  const events = study.commits.flat().length;
  t.regex(
    lines.at(-2) ?? '',
    new RegExp(`^intact: ${runtimeId}, ${study.files.size} files, journal head ${events};sha256=[a-f0-9]{64}$`),
  );
  const json = await verify('--json', `--data-root=${root}`, runtimeId);
  const { verdict, checked, fault } = verification.parse(JSON.parse(json.stdout));
  t.is(verdict, 'intact');
  t.is(checked.length, lines.length - 3);
  t.is(fault, null);
});

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
    t.is(ending.code, 1);
    const { verdict, fault, journalHead } = verification.parse(JSON.parse(ending.stdout));
    t.is(verdict, 'damaged');
    t.is(journalHead, null);
    t.is(fault?.link, link);
    t.is(fault?.contentId, contentId);
    t.regex(fault?.place ?? '', /(^|: )content$/);
    await writeFile(path, bytes);
  }
});

test('a damaged runtime is said to be so in words, behind what was whole', async (t) => {
  const root = await storedRoot(t);
  await withRawRows(dataRootAt(root).ledger, (rows) => rows.put(eventKey(runtimeId, 7), Buffer.from('x')));
  const journal = await verifyAsProcess(runtimeId, '--data-root', root);
  t.is(journal.code, 1);
  t.regex(linesOf(journal)[0] ?? '', /^FAIL {2}journal +- +malformed_journal: event 7 /);
  t.regex(linesOf(journal).at(-2) ?? '', new RegExp(`^damaged: ${runtimeId}, at journal: malformed_journal: event 7 `));
  const other = await storedRoot(t);
  await withRawRows(dataRootAt(other).ledger, async (rows) => {
    const key = rowKey('snapshot', runtimeId);
    const row = decodeRow(key, (await rows.get(key)) ?? Buffer.alloc(0)) as { snapshot: object };
    const snapshot = { ...row.snapshot, value: { running: 'admit' } };
    await rows.put(key, encodeRow(key, { ...row, status: 'running', snapshot }));
  });
  const row = await verify(runtimeId, '--data-root', other);
  t.is(row.code, 1);
  t.true(linesOf(row).some((line) => line.startsWith('ok    intake ')));
  t.is(linesOf(row).at(-2), `damaged: ${runtimeId}, at row: snapshot.status`);
});

test('a store that has lost its index is damaged', async (t) => {
  const root = await storedRoot(t);
  await rm(join(dataRootAt(root).ledger, 'CURRENT'));
  const ending = await verify(runtimeId, '--data-root', root);
  t.is(ending.code, 1);
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
  t.is(ending.code, 1);
  t.true(linesOf(ending).includes(line), ending.stdout);
  t.regex(
    linesOf(ending).at(-2) ?? '',
    /^damaged: the ledger of .*; put back a copy of the whole data root; without one a host/,
  );
});

test('a folder that only has a folder named ledger is no data root: no store is made in it', async (t) => {
  const root = await newDataRoot(t);
  const { ledger } = dataRootAt(root);
  await mkdir(ledger, { recursive: true });
  await writeFile(join(ledger, 'accounts.txt'), 'rent');
  for (const flags of [['--store'], ['--store', '--accept-loss']]) {
    const ending = await verify(...flags, '--data-root', root);
    t.is(ending.code, 2);
    t.regex(ending.stderr, /^data_root_unrecognized: /);
    t.deepEqual([await readdir(root), await readdir(ledger)], [['ledger'], ['accounts.txt']]);
  }
});

test('a ledger that is gone from beside its objects is a loss, and not a folder that no host has used', async (t) => {
  const root = await storedRoot(t);
  await rm(dataRootAt(root).ledger, { recursive: true });
  const lost = await verify('--store', '--data-root', root);
  t.is(lost.code, 1);
  t.regex(linesOf(lost)[0] ?? '', /^FAIL {2}store {2}acknowledged commits are missing: /);
  await rm(dataRootAt(root).ledger, { recursive: true, force: true });
  await rm(join(root, 'ledger.mark'));
  const missing = await verify('--store', '--data-root', root);
  t.is(missing.code, 2);
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
  t.deepEqual([whole.code, linesOf(whole)[0]], [0, `intact: the ledger of ${root}`]);

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
  t.is(damaged.code, 1);
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
  t.is(ending.code, 2);
  t.is(ending.stdout, '');
  t.regex(ending.stderr, /^data_root_locked: .*; stop the other host, or choose another --data-root\n$/);
});

test('a runtime that the data root does not hold is no damage', async (t) => {
  const ending = await verifyAsProcess(
    'runtime:00000000-0000-4000-8000-000000000000',
    '--data-root',
    await storedRoot(t),
  );
  t.is(ending.code, 2);
  t.is(ending.stdout, '');
  t.is(ending.stderr, 'unknown_runtime: no such runtime\n');
});

test('a bundle is verified without a data root, and its end says what was checked and who signed', async (t) => {
  const { bundles, root } = await bundlesOfStudy(t);
  const folder = dirname(root);
  const [path, key, other] = ['study.tar', 'key.pem', 'other.pem'].map((name) => join(folder, name));
  if (path === undefined || key === undefined || other === undefined) throw new Error('three paths');
  await writeFile(path, await bundleOf(bundles));
  await writeFile(key, (await bundles.keys()).keys[0]?.publicKey ?? '');
  await writeFile(other, generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }));
  const plain = await verify(path);
  t.deepEqual([plain.code, plain.stderr], [0, '']);
  const media = study.run.record.sourceSession.source.contentId;
  t.regex(plain.stdout, new RegExp(`\nunchecked {2}media ${media}: the bundle is without`));
  t.regex(plain.stdout, /\nsigned; give --trust .* \(key sha256:[a-f0-9]{64}\)\nintact: runtime:/);
  t.is((await verify(path, '--trust', key)).code, 0);
  const foreign = await verify(path, '--trust', other, '--json');
  t.is(foreign.code, 4);
  t.like(JSON.parse(foreign.stdout), { verdict: 'intact', signature: { state: 'untrusted' }, fault: null });
  await writeFile(path, (await bundleOf(bundles)).subarray(0, -1024));
  const damaged = await verify(path, '--json');
  t.is(damaged.code, 1);
  t.like(JSON.parse(damaged.stdout), {
    verdict: 'damaged',
    runtimeId: null,
    signature: null,
    fault: { link: 'bundle' },
  });
  t.is((await verify(path, '--trust', path)).code, 2);
  t.regex((await verify(folder)).stdout, /archive_not_a_file/);
});

test('a file that does not begin as a bundle does is said to be none, however short it is', async (t) => {
  const folder = dirname(await newDataRoot(t));
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of [
    ['video.mp4', Buffer.alloc(2048, 'x')],
    ['note.txt', Buffer.from('a note')],
    ['nothing', Buffer.alloc(0)],
  ] as const) {
    const path = join(folder, name);
    await writeFile(path, bytes);
    const { code, stdout } = await verify(path);
    t.is(code, 1);
    t.regex(
      stdout,
      /\ndamaged: .*, at bundle: archive_\w+: at byte \d: it does not begin as a bundle does, so it is none, or its beginning is damaged; name a file that media-study export RUNTIME bundle wrote\n$/,
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
    // What is misspelt is no runtime whose data root is missing.
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
