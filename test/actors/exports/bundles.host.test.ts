import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { chmod, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import test from 'ava';
import { Bundles } from '../../../actors/exports/bundles.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { ArchiveBytes, readArchive, ustarHeader } from '../../../formats/tar.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import { moveSigningKey } from '../../../storage/signing-key.ts';
import { schemaValidator } from '../../json-schemas.ts';
import {
  added,
  bundleOf,
  bundlesOfStudy,
  bytesOf,
  checkMutations,
  edited,
  entry,
  flipped,
  forging,
  lacking,
  listing,
  type Mutation,
  made,
  objectOf,
  packed,
  readerOf,
  relisted,
  resigned,
  runtimeId,
  start,
  study,
  text,
  unpacked,
  unsigned,
  verdictOf,
} from './bundled-study.ts';

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'granted',
    (error) => (error instanceof ServiceError ? error.code : String(error)),
  );

test('a bundle has everything that a verification reads, and is verified without the data root', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const bytes = await bundleOf(bundles);
  const { found, signature, checked } = await verdictOf(bytes);
  t.deepEqual([found, signature], ['intact', 'valid']);
  const media = study.run.record.sourceSession.source.contentId;
  const expected = [...study.files.keys()].filter((contentId) => contentId !== media);
  const files = new Set(checked.flatMap(({ contentId }) => contentId ?? []));
  t.deepEqual([...files].sort(), expected.sort());
  const entries = await unpacked(bytes);
  t.is([...entries.keys()].filter((name) => name.startsWith('objects/')).length, expected.length);
});

test('the same runtime gives the same bytes, after another opening of the store too', async (t) => {
  const { root, bundles } = await bundlesOfStudy(t);
  const first = await bundleOf(bundles);
  t.true((await bundleOf(bundles)).equals(first));
  const again = await bundlesOfStudy(t);
  await writeFile(join(again.root, 'private-signing-key.pem'), await readFile(join(root, 'private-signing-key.pem')), {
    mode: 0o600,
  });
  t.true((await bundleOf(again.bundles)).equals(first));
});

test('a bundle has the media if requested, and only then counts it as checked', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const { contentId } = study.run.record.sourceSession.source;
  const without = await verdictOf(await bundleOf(bundles));
  t.false(without.checked.some((link) => link.contentId === contentId));
  const bytes = await bundleOf(bundles, true);
  const { found, checked } = await verdictOf(bytes);
  t.is(found, 'intact');
  t.true(checked.some((link) => link.contentId === contentId));
  const entry = (await unpacked(bytes)).get(`objects/sha256/${contentId.slice('sha256:'.length)}`);
  t.true(entry?.equals(study.files.get(contentId) ?? Buffer.alloc(0)));
});

test('an unfinished, unknown or damaged study gives no bundle', async (t) => {
  const running = await bundlesOfStudy(t, { commits: 3, lifecycle: 'running' });
  t.is(await codeOf(bundleOf(running.bundles)), 'export_unavailable');
  const { bundles, root } = await bundlesOfStudy(t);
  t.is(await codeOf(bundles.open('runtime:x', { media: false })), 'unknown_runtime');
  const hex = study.start.receiptContentId.slice('sha256:'.length);
  await writeFile(join(dataRootAt(root).objects, hex.slice(0, 2), hex), 'x');
  t.is(await codeOf(bundleOf(bundles)), 'stored_content_inconsistent');
});

for (const { gone, seen } of [
  { gone: 'its journal', seen: 'kept the host busy' },
  { gone: 'its files', seen: 'was refused as damaged' },
]) {
  test(`bug: a bundle of a runtime deleted before the read of ${gone} ${seen}`, async (t) => {
    const { options } = await bundlesOfStudy(t);
    const { ledger, objectStore, openKey } = options;
    const deletion = async () => {
      const note = { receiptId: 'none', deletedAt: '2026-01-01T00:00:00.000Z' };
      await ledger.commit([{ put: 'record', key: `deleted/${runtimeId}`, value: note }, { close: runtimeId }]);
      while ((await ledger.eraseEvents(runtimeId, 1000)) > 0);
    };
    const bundles = new Bundles({
      ...options,
      // Asked for once the runtime was verified, and before its journal and its files are read again.
      openKey: async () => {
        if (gone === 'its journal') await deletion();
        else {
          objectStore.openKnown = () => null;
          objectStore.openFile = async () => {
            await deletion();
            return 'missing';
          };
        }
        return openKey();
      },
    });
    t.is(await codeOf(bundleOf(bundles)), 'runtime_deleted');
  });
}

test('bug: a bundle held all files of its study until its reader was done', async (t) => {
  const { options } = await bundlesOfStudy(t);
  const { objectStore } = options;
  const bundles = new Bundles(options);
  await bundleOf(bundles);
  const { readFile: readStored } = objectStore;
  const asked: string[] = [];
  objectStore.readFile = (path, contentId, maximumBytes) => {
    asked.push(contentId);
    return readStored(path, contentId, maximumBytes);
  };
  const { reader } = await bundles.open(runtimeId, { media: false });
  t.deepEqual(asked, []);
  const files = [...(await unpacked(await bytesOf(reader))).keys()].filter((name) => name.startsWith('objects/'));
  t.true(files.length > 3);
  t.deepEqual(
    asked.map((contentId) => contentId.slice('sha256:'.length)),
    files.map((name) => name.slice('objects/sha256/'.length)),
  );
});

test('a bundle whose file goes while it is sent does not become whole', async (t) => {
  const { bundles, root } = await bundlesOfStudy(t);
  const { reader } = await bundles.open(runtimeId, { media: false });
  const hex = study.start.receiptContentId.slice('sha256:'.length);
  await rm(join(dataRootAt(root).objects, hex.slice(0, 2), hex));
  await t.throwsAsync(bytesOf(reader), { instanceOf: ObjectStoreError, message: /object_missing/ });
});

test('media that changed is not handed out', async (t) => {
  const { bundles, root } = await bundlesOfStudy(t);
  const hex = study.run.record.sourceSession.source.contentId.slice('sha256:'.length);
  await bundleOf(bundles, true);
  await writeFile(join(dataRootAt(root).objects, hex.slice(0, 2), hex), 'x');
  t.regex(await codeOf(bundleOf(bundles, true)), /^(stored_content_inconsistent|source_revalidation_failed)$/);
});

test('the key is made once, is private to its owner, and is refused if it is not', async (t) => {
  const { bundles, root, restarted } = await bundlesOfStudy(t);
  const path = join(root, 'private-signing-key.pem');
  const [one, other] = await Promise.all([bundles.keys(), bundles.keys()]);
  t.deepEqual(one, other);
  t.is((await stat(path)).mode & 0o777, 0o600);
  const next = await bundlesOfStudy(t);
  t.notDeepEqual(await next.bundles.keys(), one);
  const pem = await readFile(path);
  const opened = () => restarted().keys();
  const other25519 = generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const unusable: [string, () => Promise<void>][] = [
    ['readable for others', () => chmod(path, 0o644)],
    ['a key of another kind', () => writeFile(path, other25519)],
    ['no key', () => writeFile(path, 'no key')],
    ['far too long', () => writeFile(path, Buffer.alloc(5000, pem))],
  ];
  for (const [title, damage] of unusable) {
    await damage();
    t.is(await codeOf(opened()), 'signing_key_unusable', title);
    await chmod(path, 0o600);
  }
  await writeFile(path, pem);
  t.deepEqual(await opened(), one);
});

test('bug: the private key of a data root had the file name of the public one in bundles', async (t) => {
  const { bundles, root, restarted } = await bundlesOfStudy(t);
  const [path, former] = [join(root, 'private-signing-key.pem'), join(root, 'signing-key.pem')];
  const made = await bundles.keys();
  await rename(path, former);
  // As an earlier version left it: a start gives it its name, and it stays the same key.
  await moveSigningKey(root);
  t.false((await readdir(root)).includes('signing-key.pem'));
  t.is((await stat(path)).mode & 0o777, 0o600);
  t.deepEqual(await restarted().keys(), made);
  // Hosts that were killed left keys that sign nothing. The copy of a person is not theirs.
  for (const name of ['private-signing-key.pem.new', `signing-key.pem.${randomUUID()}`, 'signing-key.pem.old'])
    await writeFile(join(root, name), 'PRIVATE', { mode: 0o600 });
  await moveSigningKey(root);
  t.deepEqual((await readdir(root)).filter((name) => name.includes('.pem')).sort(), [
    'private-signing-key.pem',
    'signing-key.pem.old',
  ]);
  // A person put the former file back into a data root that has no key yet.
  await rename(path, former);
  t.deepEqual(await restarted().keys(), made);
  t.false((await readdir(root)).includes('signing-key.pem'));
  // A version before made another one while it ran again: the first key stays the one that signs.
  await writeFile(former, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
  });
  await moveSigningKey(root);
  t.deepEqual(await restarted().keys(), made);
  // A file that cannot be used is neither moved nor replaced.
  await rm(path);
  await chmod(former, 0o644);
  await moveSigningKey(root);
  t.is(await codeOf(restarted().keys()), 'signing_key_unusable');
  t.true((await readdir(root)).includes('signing-key.pem'));
});

test('unsigned, signed by the trusted key and signed by another one are three answers', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const bytes = await bundleOf(bundles);
  const [key] = (await bundles.keys()).keys;
  const trusted = createPublicKey(key?.publicKey ?? '');
  const entries = await unpacked(bytes);
  const signatures = [
    await verdictOf(bytes, trusted),
    await verdictOf(bytes),
    await verdictOf(await packed(unsigned(entries)), trusted),
    await verdictOf(await packed(resigned(entries)), trusted),
  ].map(({ found, signature }) => `${found}, ${signature}`);
  t.deepEqual(signatures, ['intact, trusted', 'intact, valid', 'intact, unsigned', 'intact, untrusted']);
  const forged = relisted(new Map([...entries, ['schemas.json', Buffer.from('{}\n')]]));
  t.is((await verdictOf(await packed(forged), trusted)).found, 'signature: statement.subject[0].digest.sha256');
});

const compiled = new Map<string, ReadonlyMap<string, ValidateFunction>>();

/** The checks by the schemas in a bundle, by their names. All bundles have the same ones, which take a second to compile. */
function checksIn(entries: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, ValidateFunction> {
  const written = String(entries.get('schemas.json'));
  const known = compiled.get(written);
  if (known !== undefined) return known;
  const ajv = schemaValidator();
  const schemas = Object.entries<object>(JSON.parse(written).schemas);
  const checks = new Map(schemas.map(([name, schema]) => [name, ajv.compile(schema)]));
  compiled.set(written, checks);
  return checks;
}

test('the schemas in a bundle describe its events and records', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const entries = await unpacked(await bundleOf(bundles));
  const checks = checksIn(entries);
  const fits = (name: string, record: string) => {
    const check = checks.get(name);
    t.true(check?.(JSON.parse(record)), JSON.stringify(check?.errors));
  };
  for (const line of String(entries.get('journal.jsonl')).trimEnd().split('\n')) fits('event', line);
  fits('manifest', String(entries.get('manifest.json')));
  fits('envelope', String(entries.get('signature.json')));
  fits('run-start', String(entries.get(`objects/sha256/${study.start.receiptContentId.slice('sha256:'.length)}`)));
  t.is(runtimeId, JSON.parse(String(entries.get('manifest.json'))).runtimeId);
});

test('every stored file of JSON in a bundle, and its rows, follow one of its schemas', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const entries = await unpacked(await bundleOf(bundles));
  const checks = [...checksIn(entries).values()];
  const records = [...entries].filter(
    ([name, content]) => (name.startsWith('objects/') && content[0] === 0x7b) || name === 'rows.json',
  );
  t.true(records.length > 10);
  for (const [, content] of records) {
    const record = JSON.parse(String(content));
    t.true(
      checks.some((isOne) => isOne(record)),
      record.schema,
    );
  }
});

type Mutations = Readonly<Record<string, Mutation>>;

const media = study.run.record.sourceSession.source;
const mediaBytes = Buffer.from(study.files.get(media.contentId) ?? []);
const otherRuntime = runtimeId.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Another letter of Base64 for the last one before `==`: only two of its six bits count. */
const sameBits = (letter: string): string => letters[letters.indexOf(letter) ^ 1] ?? '';

const manifest = 'manifest.json';
const behind = (more: string) => (content: Buffer) => Buffer.concat([content, Buffer.from(more)]);
const being = (content: string) => () => Buffer.from(content);

/** Whole archives whose files do not fit each other. */
const manifests: Mutations = {
  'no manifest': ['bundle: manifest.json: missing', made(lacking(manifest))],
  'a manifest that is no JSON': ['bundle: manifest.json: encoding', made(entry(manifest, text('{', '')))],
  'a manifest in another form': ['bundle: manifest.json: canonical_form', made(entry(manifest, text(',', ', ')))],
  'a manifest of another version': [
    'bundle: manifest.json: schema',
    made(entry(manifest, edited({ schema: 'studio.runtime-bundle.v2' }))),
  ],
  'a file that is missing': ['bundle: journal.jsonl: missing', made(lacking('journal.jsonl'))],
  'a file with one bit changed': [`bundle: ${start}: content`, made(entry(start, flipped))],
  'a file that grew': ['bundle: rows.json: size', made(entry('rows.json', behind('x')))],
  'a file that nobody listed': ['bundle: notes.txt: not in the manifest', made(added('notes.txt', 'x'))],
  'a list in another order': [
    'bundle: manifest.json: files are not in the order of their paths',
    made(listing((all) => ({ ...all, files: [...all.files].reverse() }))),
  ],
  'a file that is listed twice': [
    'bundle: manifest.json: files are not in the order of their paths',
    made(listing((all) => ({ ...all, files: all.files.flatMap((file) => [file, file]) }))),
  ],
  'files in another order': ['bundle: schemas.json: out of order', made((entries) => new Map([...entries].reverse()))],
  'a manifest behind the files': [
    'bundle: signature.json: out of order',
    (_, entries) => made(lacking(manifest), added(manifest, entries.get(manifest) ?? ''))(_, entries),
  ],
  'a listed file that is nothing of a bundle': [
    'bundle: notes/read-me.txt: no record names it',
    forging(added('notes/read-me.txt', 'x')),
  ],
  'a listed object without the name of one': [
    'bundle: objects/sha256/abc: no record names it',
    made(added('objects/sha256/abc', 'x'), listing(), unsigned),
  ],
  'no schemas': ['bundle: schemas.json: missing', forging(lacking('schemas.json'))],
  'schemas that are none': ['bundle: schemas.json: encoding', forging(entry('schemas.json', being('<script>')))],
  'media that is said not to be there': [
    'bundle: manifest.json: media',
    forging(added(objectOf(media.contentId), mediaBytes)),
  ],
  'an object under the name of another': [`bundle: ${start}: content`, made(entry(start, being('{}\n')), listing())],
};

const envelope = 'signature.json';
const key = 'signing-key.pem';

/** Signatures that prove nothing. */
const signatures: Mutations = {
  'a signature with one bit changed': [
    'signature: envelope.signatures.0.sig',
    (_, entries) => {
      const changed = entries.get(envelope)?.includes('"sig":"A') ? '"sig":"B' : '"sig":"A';
      return made(entry(envelope, text(/"sig":"(.)/, changed)))(_, entries);
    },
  ],
  'a key without a signature': ['signature: signature.json: missing', made(lacking(envelope))],
  'a signature without a key': ['signature: signing-key.pem: missing', made(lacking(key))],
  'a key that is none': ['signature: signing-key.pem', made(entry(key, being('key')))],
  'the key of somebody else': [
    'signature: envelope.signatures.0.keyid',
    (_, entries) => made(entry(key, () => resigned(entries).get(key) ?? Buffer.of()))(_, entries),
  ],
  'an envelope that is no JSON': ['signature: envelope', made(entry(envelope, being('x')))],
  'an envelope with spaces before it': [
    'signature: envelope: canonical_form',
    made(entry(envelope, (content) => Buffer.concat([Buffer.from('  '), content]))),
  ],
  'an envelope that says its payload twice': [
    'signature: envelope: canonical_form',
    made(entry(envelope, text('{"payload":', '{"payload":"aGVsbG8=","payload":'))),
  ],
  'a signature in other letters of the same bits': [
    'signature: envelope.signatures.0.sig',
    made(
      entry(envelope, (content) =>
        Buffer.from(String(content).replace(/(.)==("}]})/, (_whole, last, end) => `${sameBits(last)}==${end}`)),
      ),
    ),
  ],
  'a statement in another form': [
    'signature: statement: canonical_form',
    made((entries) => resigned(entries, behind(' '))),
  ],
  'a key with something behind it': ['signature: signing-key.pem', made(entry(key, behind('more\n')))],
  'an envelope of another type': [
    'signature: envelope.payloadType',
    made(entry(envelope, text('vnd.in-toto', 'vnd.other'))),
  ],
  'an envelope without a signature': [
    'signature: envelope.signatures',
    made(entry(envelope, edited({ signatures: [] }))),
  ],
  'a manifest of another runtime under an old signature': [
    'signature: statement.predicate.runtimeId',
    made(listing((all) => ({ ...all, runtimeId: otherRuntime }))),
  ],
};

/** The journal in which one of the events gave way to others. */
const event = (at: number, change: (line: string) => string[]) =>
  entry('journal.jsonl', (content) => {
    const lines = String(content).trimEnd().split('\n');
    return Buffer.from(`${lines.flatMap((line, index) => (index === at - 1 ? change(line) : [line])).join('\n')}\n`);
  });

const rows = (change: Parameters<typeof edited>[0]) => entry('rows.json', edited(change));

/** Forgeries with a new list and a new signature. */
const records: Mutations = {
  'a journal with an event less': ['journal: event 4: eventId', forging(event(4, () => []))],
  'a journal with an event twice': ['journal: event 5: eventId', forging(event(4, (line) => [line, line]))],
  'a journal without its end': ['journal: head.seq', forging(event(study.commits.flat().length, () => []))],
  'an event that says something else': [
    'journal: head.digest',
    forging(event(4, (line) => [line.replace('"label":"Media study"', '"label":"Other study"')])),
  ],
  'an event with spaces': ['journal: event 4: canonical_form', forging(event(4, (line) => [line.replace(',', ', ')]))],
  'a journal that is cut': [
    /^bundle: journal.jsonl: event \d+ is cut$/,
    forging(entry('journal.jsonl', (content) => content.subarray(0, -1))),
  ],
  'rows of another end': [/^(journal|row): /, forging(rows({ lifecycle: 'failed' }))],
  'rows with a label of the source': [
    'row: source.label',
    forging(rows(({ source }) => ({ source: { ...source, label: 'Other' } }))),
  ],
  'rows with a folder of this machine': [
    /^row: source/,
    forging(rows(({ source }) => ({ source: { ...source, folder: '/etc' } }))),
  ],
  'rows with an actor that the journal lacks': [
    'row: actors',
    forging(rows({ actors: [{ name: 'caption', id: 'x', status: 'checked' }] })),
  ],
  'rows of another shape': ['bundle: rows.json: start', forging(rows({ start: undefined }))],
  'rows of another start': [
    'row: start.ids.taskId',
    forging(rows(({ start: begun }) => ({ start: { ...begun, ids: { ...begun?.ids, taskId: 'task:9' } } }))),
  ],
  'a runtime of another id': [
    /^journal: event 1: /,
    made(
      listing((all) => ({ ...all, runtimeId: otherRuntime })),
      (all) => resigned(all),
    ),
  ],
  'media of another length': [
    /^source: |^bundle: manifest.json: media/,
    made(
      listing((all) => ({ ...all, media: { ...all.media, bytes: media.bytes + 1 } })),
      (all) => resigned(all),
    ),
  ],
  'media that is said to be there': [
    'source: raw-media: missing',
    made(
      listing((all) => ({ ...all, media: { ...all.media, included: true } })),
      (all) => resigned(all),
    ),
  ],
  'a record that is missing from the list, too': ['start: missing', forging(lacking(start))],
  'an object that no record names': [
    /^bundle: objects\/sha256\/[a-f0-9]{64}: no record names it$/,
    forging(added(objectOf('sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'), 'hello')),
  ],
  'an unsigned forgery': [
    'journal: head.digest',
    made(
      event(4, (line) => [line.replace('Media study', 'Other study')]),
      listing(),
      unsigned,
    ),
  ],
};

/** The archive with its first header changed, and a checksum that fits if `sums`. */
const header =
  (change: (header: Buffer) => void, sums = true): Mutation[1] =>
  (bytes) => {
    const copy = Buffer.from(bytes);
    const first = copy.subarray(0, 512);
    change(first);
    if (sums) {
      first.write('        ', 148, 'latin1');
      const sum = first.reduce((total, byte) => total + byte, 0);
      first.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    }
    return copy;
  };

const put = (value: string, at: number) => header((first) => void first.write(value, at, 'latin1'));

const notCanonical = 'archive_header_not_canonical: manifest.json, at byte 0';
const noFile = 'archive_entry_not_a_file: at byte 0';
const unsafe = 'archive_path_unsafe: at byte 0';

/** Archives that no host wrote. */
const archives: Mutations = {
  'nothing at all': ['archive_truncated: at byte 0', () => Buffer.alloc(0)],
  'another kind of file': ['archive_not_ustar: at byte 0', () => Buffer.alloc(2048, 'x')],
  'a compressed archive': [
    'archive_not_ustar: at byte 0',
    (bytes) => Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), bytes]),
  ],
  'a changed byte in a header': [
    'archive_header_damaged: at byte 0',
    header((first) => void first.write('x', 3, 'latin1'), false),
  ],
  'a time of change': [notCanonical, put('00000000001', 136)],
  'an owner': [notCanonical, put('root', 265)],
  'a mode that lets run': [notCanonical, put('0000755', 100)],
  'a device number': [notCanonical, put('0000001', 329)],
  'a prefix before the name': [notCanonical, put('../..', 345)],
  'a size in base 256': [notCanonical, header((first) => void first.writeUInt8(0x80, 124))],
  'a symbolic link': [noFile, put('2', 156)],
  'a hard link': [noFile, put('1', 156)],
  'a device': [noFile, put('3', 156)],
  'a folder': [noFile, put('5', 156)],
  'a long name of GNU tar': [noFile, put('L', 156)],
  'an extended header of pax': [noFile, put('x', 156)],
  'a sparse file': [noFile, put('S', 156)],
  'a path that climbs out': [unsafe, put('../manifest\0\0', 0)],
  'a path that climbs inside': [unsafe, put('a/../b.json\0\0', 0)],
  'an absolute path': [unsafe, put('/manifest.json', 0)],
  'a path of another system': [unsafe, put('c:\\x.json\0\0\0\0', 0)],
  'an empty name': [unsafe, header((first) => void first.fill(0, 0, 100))],
  'more content than there is': [/^archive_truncated: manifest.json claims 8589934591 bytes$/, put('77777777777', 124)],
  'a cut in the middle': [/^archive_truncated: /, (bytes) => bytes.subarray(0, bytes.length >> 1)],
  'no end': [/^archive_truncated: at byte \d+$/, (bytes) => bytes.subarray(0, bytes.length - 1024)],
  'half of the end': [/^archive_truncated: at byte \d+$/, (bytes) => bytes.subarray(0, bytes.length - 512)],
  'bytes behind the end': [/^archive_trailing_bytes: /, (bytes) => Buffer.concat([bytes, Buffer.alloc(512)])],
  'an archive behind the end': [/^archive_trailing_bytes: /, (bytes) => Buffer.concat([bytes, bytes])],
  'something after the content of a file': [
    'archive_padding_not_zero: after manifest.json',
    (bytes, entries) => {
      const copy = Buffer.from(bytes);
      copy[512 + (entries.get(manifest)?.length ?? 0)] = 1;
      return copy;
    },
  ],
  'a file twice': [
    'archive_entry_repeated: rows.json',
    (_, entries) => {
      const twice = [...entries, ...[...entries].filter(([name]) => name === 'rows.json')];
      return bytesOf(new ArchiveBytes(twice.map(([name, content]) => ({ name, content }))), 65_536);
    },
  ],
  'ten thousand files too many': [
    'archive_too_many_entries: more than 10000',
    () => Buffer.concat(Array.from({ length: 10_001 }, (_, at) => ustarHeader({ name: `f${at}`, bytes: 0 }))),
  ],
};

for (const [title, mutations] of [
  ['files that do not fit their manifest are named', manifests],
  ['a signature that proves nothing is named by what is wrong with it', signatures],
  ['what a forger listed and signed anew is found by what the records say of each other', records],
  ['an archive that no host wrote is refused, and named by what is wrong with it', archives],
] as const) {
  test(title, (t) => checkMutations(t, mutations));
}

test('bug: a bundle of a study that is still running was intact, wherever its journal was cut', async (t) => {
  const reason = { code: 'executor_interrupted', message: 'the host was stopped' } as const;
  const { bundles } = await bundlesOfStudy(t, { commits: 3, lifecycle: 'interrupted', reason });
  const bytes = await bundleOf(bundles);
  t.is((await verdictOf(bytes)).found, 'intact');
  for (const lifecycle of ['running', 'initializing', 'accepted']) {
    const live = entry('rows.json', edited({ lifecycle, reason: null }))(await unpacked(bytes));
    t.is((await verdictOf(await packed(resigned(relisted(live))))).found, 'bundle: rows.json: lifecycle', lifecycle);
  }
});

test('one changed bit anywhere in the archive is found', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const bytes = await bundleOf(bundles);
  const step = Math.floor(bytes.length / 40);
  for (let at = 7; at < bytes.length; at += step) {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 1;
    t.not((await verdictOf(copy)).found, 'intact', `byte ${at}`);
  }
});

test('an archive that is larger than any bundle is refused before it is read', async (t) => {
  const file = { ...readerOf(Buffer.alloc(0)), bytes: 10 * 1024 ** 3 };
  await t.throwsAsync(readArchive(file), { message: /^archive_too_large: / });
});
