import test from 'ava';
import { ArchiveBytes } from '../../../storage/archive/archive-bytes.ts';
import { readArchive } from '../../../storage/archive/read-archive.ts';
import { ustarHeader } from '../../../storage/archive/ustar-header.ts';
import {
  bundleOf,
  bundlesOfStudy,
  bytesOf,
  packed,
  readerOf,
  relisted,
  resigned,
  runtimeId,
  study,
  unpacked,
  unsigned,
  verdictOf,
} from './bundled-study.ts';
import {
  checkMutations,
  type Entries,
  edited,
  flipped,
  type Mutation,
  objectOf,
  start,
  text,
  withEntry,
  without,
} from './mutations.ts';

const media = study.run.record.sourceSession.source;

const mediaBytes = Buffer.from(study.files.get(media.contentId) ?? []);

const only = (entries: Entries, name: string) => [...entries].filter(([each]) => each === name);

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Another letter of Base64 for the last one before `==`: only two of its six bits count. */
const sameBits = (letter: string): string => letters[letters.indexOf(letter) ^ 1] ?? '';

/** Whole archives whose files do not fit each other. */
const manifests: Readonly<Record<string, Mutation>> = {
  'no manifest': ['bundle: manifest.json: missing', (_, entries) => packed(without(entries, 'manifest.json'))],
  'a manifest that is no JSON': [
    'bundle: manifest.json: encoding',
    (_, entries) => packed(withEntry(entries, 'manifest.json', text('{', ''))),
  ],
  'a manifest in another form': [
    'bundle: manifest.json: canonical_form',
    (_, entries) => packed(withEntry(entries, 'manifest.json', text(',', ', '))),
  ],
  'a manifest of another version': [
    'bundle: manifest.json: schema',
    (_, entries) =>
      packed(
        withEntry(
          entries,
          'manifest.json',
          edited((record) => ({ ...record, schema: 'studio.runtime-bundle.v2' })),
        ),
      ),
  ],
  'a file that is missing': [
    'bundle: journal.jsonl: missing',
    (_, entries) => packed(without(entries, 'journal.jsonl')),
  ],
  'a file with one bit changed': [
    `bundle: ${start}: content`,
    (_, entries) => packed(withEntry(entries, start, flipped)),
  ],
  'a file that grew': [
    'bundle: rows.json: size',
    (_, entries) => packed(withEntry(entries, 'rows.json', (content) => Buffer.concat([content, Buffer.from('x')]))),
  ],
  'a file that nobody listed': [
    'bundle: notes.txt: not in the manifest',
    (_, entries) => packed(new Map([...entries, ['notes.txt', Buffer.from('x')]])),
  ],
  'a list in another order': [
    'bundle: manifest.json: files are not in the order of their paths',
    (_, entries) => packed(relisted(entries, (manifest) => ({ ...manifest, files: [...manifest.files].reverse() }))),
  ],
  'a file that is listed twice': [
    'bundle: manifest.json: files are not in the order of their paths',
    (_, entries) =>
      packed(relisted(entries, (manifest) => ({ ...manifest, files: manifest.files.flatMap((file) => [file, file]) }))),
  ],
  'files in another order': [
    'bundle: schemas.json: out of order',
    (_, entries) => packed(new Map([...entries].reverse())),
  ],
  'a manifest behind the files': [
    'bundle: signature.json: out of order',
    (_, entries) => packed(new Map([...without(entries, 'manifest.json'), ...only(entries, 'manifest.json')])),
  ],
  'a listed file that is nothing of a bundle': [
    'bundle: notes/read-me.txt: no record names it',
    (_, entries) => packed(resigned(relisted(new Map([...entries, ['notes/read-me.txt', Buffer.from('x')]])))),
  ],
  'a listed object without the name of one': [
    'bundle: objects/sha256/abc: no record names it',
    (_, entries) => packed(unsigned(relisted(new Map([...entries, ['objects/sha256/abc', Buffer.from('x')]])))),
  ],
  'no schemas': [
    'bundle: schemas.json: missing',
    (_, entries) => packed(resigned(relisted(without(entries, 'schemas.json')))),
  ],
  'schemas that are none': [
    'bundle: schemas.json: encoding',
    (_, entries) => packed(resigned(relisted(withEntry(entries, 'schemas.json', () => Buffer.from('<script>'))))),
  ],
  'media that is said not to be there': [
    'bundle: manifest.json: media',
    (_, entries) => packed(resigned(relisted(new Map([...entries, [objectOf(media.contentId), mediaBytes]])))),
  ],
  'an object under the name of another': [
    `bundle: ${start}: content`,
    (_, entries) => packed(relisted(withEntry(entries, start, () => Buffer.from('{}\n')))),
  ],
};

/** Signatures that prove nothing. */
const signatures: Readonly<Record<string, Mutation>> = {
  'a signature with one bit changed': [
    'signature: envelope.signatures.0.sig',
    (_, entries) =>
      packed(
        withEntry(
          entries,
          'signature.json',
          text(/"sig":"(.)/, entries.get('signature.json')?.includes('"sig":"A') ? '"sig":"B' : '"sig":"A'),
        ),
      ),
  ],
  'a key without a signature': [
    'signature: signature.json: missing',
    (_, entries) => packed(without(entries, 'signature.json')),
  ],
  'a signature without a key': [
    'signature: signing-key.pem: missing',
    (_, entries) => packed(without(entries, 'signing-key.pem')),
  ],
  'a key that is none': [
    'signature: signing-key.pem',
    (_, entries) => packed(withEntry(entries, 'signing-key.pem', () => Buffer.from('key'))),
  ],
  'the key of somebody else': [
    'signature: envelope.signatures.0.keyid',
    (_, entries) =>
      packed(new Map([...entries, ...[...resigned(entries)].filter(([name]) => name === 'signing-key.pem')])),
  ],
  'an envelope that is no JSON': [
    'signature: envelope',
    (_, entries) => packed(withEntry(entries, 'signature.json', () => Buffer.from('x'))),
  ],
  'an envelope with spaces before it': [
    'signature: envelope: canonical_form',
    (_, entries) =>
      packed(withEntry(entries, 'signature.json', (content) => Buffer.concat([Buffer.from('  '), content]))),
  ],
  'an envelope that says its payload twice': [
    'signature: envelope: canonical_form',
    (_, entries) =>
      packed(withEntry(entries, 'signature.json', text('{"payload":', '{"payload":"aGVsbG8=","payload":'))),
  ],
  'a signature in other letters of the same bits': [
    'signature: envelope.signatures.0.sig',
    (_, entries) =>
      packed(
        withEntry(entries, 'signature.json', (content) =>
          Buffer.from(String(content).replace(/(.)==("}]})/, (_whole, last, end) => `${sameBits(last)}==${end}`)),
        ),
      ),
  ],
  'a statement in another form': [
    'signature: statement: canonical_form',
    (_, entries) => packed(resigned(entries, (payload) => Buffer.concat([payload, Buffer.from(' ')]))),
  ],
  'a key with something behind it': [
    'signature: signing-key.pem',
    (_, entries) =>
      packed(withEntry(entries, 'signing-key.pem', (content) => Buffer.concat([content, Buffer.from('more\n')]))),
  ],
  'an envelope of another type': [
    'signature: envelope.payloadType',
    (_, entries) => packed(withEntry(entries, 'signature.json', text('vnd.in-toto', 'vnd.other'))),
  ],
  'an envelope without a signature': [
    'signature: envelope.signatures',
    (_, entries) =>
      packed(
        withEntry(
          entries,
          'signature.json',
          edited((record) => ({ ...record, signatures: [] })),
        ),
      ),
  ],
  'a manifest of another runtime under an old signature': [
    'signature: statement.predicate.runtimeId',
    (_, entries) =>
      packed(
        relisted(entries, (manifest) => ({
          ...manifest,
          runtimeId: runtimeId.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
        })),
      ),
  ],
};

test('files that do not fit their manifest are named', (t) => checkMutations(t, manifests));

test('a signature that proves nothing is named by what is wrong with it', (t) => checkMutations(t, signatures));

const event = (at: number, change: (line: string) => string[]) => (content: Buffer) => {
  const lines = String(content).trimEnd().split('\n');
  return Buffer.from(`${lines.flatMap((line, index) => (index === at - 1 ? change(line) : [line])).join('\n')}\n`);
};

/** Forgers who list and sign anew: what the records say of each other finds them. */
const forged =
  (name: string, change: (content: Buffer) => Uint8Array): Mutation[1] =>
  async (_, entries) =>
    packed(resigned(relisted(withEntry(entries, name, change))));

const records: Readonly<Record<string, Mutation>> = {
  'a journal with an event less': [
    'journal: event 4: eventId',
    forged(
      'journal.jsonl',
      event(4, () => []),
    ),
  ],
  'a journal with an event twice': [
    'journal: event 5: eventId',
    forged(
      'journal.jsonl',
      event(4, (line) => [line, line]),
    ),
  ],
  'a journal without its end': [
    'journal: head.seq',
    forged(
      'journal.jsonl',
      event(study.commits.flat().length, () => []),
    ),
  ],
  'an event that says something else': [
    'journal: head.digest',
    forged(
      'journal.jsonl',
      event(4, (line) => [line.replace('"label":"Media study"', '"label":"Other study"')]),
    ),
  ],
  'an event with spaces': [
    'journal: event 4: canonical_form',
    forged(
      'journal.jsonl',
      event(4, (line) => [line.replace(',', ', ')]),
    ),
  ],
  'a journal that is cut': [
    /^bundle: journal.jsonl: event \d+ is cut$/,
    forged('journal.jsonl', (content) => content.subarray(0, -1)),
  ],
  'rows of another end': [
    /^(journal|row): /,
    forged(
      'rows.json',
      edited((record) => ({ ...record, lifecycle: 'failed' })),
    ),
  ],
  'rows with a label of the source': [
    'row: source.label',
    forged(
      'rows.json',
      edited((record) => ({ ...record, source: { ...record.source, label: 'Other' } })),
    ),
  ],
  'rows with a folder of this machine': [
    /^row: source/,
    forged(
      'rows.json',
      edited((record) => ({ ...record, source: { ...record.source, folder: '/etc' } })),
    ),
  ],
  'rows with an actor that the journal lacks': [
    'row: actors',
    forged(
      'rows.json',
      edited((record) => ({ ...record, actors: [{ name: 'caption', id: 'x', status: 'checked' }] })),
    ),
  ],
  'rows of another shape': [
    'bundle: rows.json: start',
    forged(
      'rows.json',
      edited(({ start: _, ...record }) => record),
    ),
  ],
  'rows of another start': [
    'row: start.ids.taskId',
    forged(
      'rows.json',
      edited((record) => ({
        ...record,
        start: { ...record.start, ids: { ...record.start?.ids, taskId: 'task:9' } },
      })),
    ),
  ],
  'a runtime of another id': [
    /^journal: event 1: /,
    async (_, entries) =>
      packed(
        resigned(
          relisted(entries, (manifest) => ({
            ...manifest,
            runtimeId: runtimeId.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
          })),
        ),
      ),
  ],
  'media of another length': [
    /^source: |^bundle: manifest.json: media/,
    async (_, entries) =>
      packed(
        resigned(
          relisted(entries, (manifest) => ({ ...manifest, media: { ...manifest.media, bytes: media.bytes + 1 } })),
        ),
      ),
  ],
  'media that is said to be there': [
    'source: raw-media: missing',
    async (_, entries) =>
      packed(
        resigned(relisted(entries, (manifest) => ({ ...manifest, media: { ...manifest.media, included: true } }))),
      ),
  ],
  'a record that is missing from the list, too': [
    'start: missing',
    async (_, entries) => packed(resigned(relisted(without(entries, start)))),
  ],
  'an object that no record names': [
    /^bundle: objects\/sha256\/[a-f0-9]{64}: no record names it$/,
    async (_, entries) =>
      packed(
        resigned(
          relisted(
            new Map([
              ...entries,
              [
                objectOf('sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'),
                Buffer.from('hello'),
              ],
            ]),
          ),
        ),
      ),
  ],
  'an unsigned forgery': [
    'journal: head.digest',
    async (_, entries) =>
      packed(
        unsigned(
          relisted(
            withEntry(
              entries,
              'journal.jsonl',
              event(4, (line) => [line.replace('Media study', 'Other study')]),
            ),
          ),
        ),
      ),
  ],
};

test('bug: a bundle of a study that is still running was intact, wherever its journal was cut', async (t) => {
  const reason = { code: 'executor_interrupted', message: 'the host was stopped' } as const;
  const { bundles } = await bundlesOfStudy(t, { commits: 3, lifecycle: 'interrupted', reason });
  const bytes = await bundleOf(bundles);
  t.is((await verdictOf(bytes)).found, 'intact');
  for (const lifecycle of ['running', 'initializing', 'accepted']) {
    const live = edited((record) => ({ ...record, lifecycle, reason: null }));
    const forged = await packed(resigned(relisted(withEntry(await unpacked(bytes), 'rows.json', live))));
    t.is((await verdictOf(forged)).found, 'bundle: rows.json: lifecycle', lifecycle);
  }
});

test('what a forger listed and signed anew is found by what the records say of each other', (t) =>
  checkMutations(t, records));

/** The header of the entry at a byte, changed, with a checksum that fits where `sums`. */
function headerAt(bytes: Buffer, at: number, change: (header: Buffer) => void, sums = true): Buffer {
  const copy = Buffer.from(bytes);
  const header = copy.subarray(at, at + 512);
  change(header);
  if (sums) {
    header.write('        ', 148, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  }
  return copy;
}

const put = (value: string, at: number) => (header: Buffer) => void header.write(value, at, 'latin1');

/** Archives that no host wrote. */
const archives: Readonly<Record<string, Mutation>> = {
  'nothing at all': ['archive_truncated: at byte 0', () => Buffer.alloc(0)],
  'another kind of file': ['archive_not_ustar: at byte 0', () => Buffer.alloc(2048, 'x')],
  'a compressed archive': [
    'archive_not_ustar: at byte 0',
    (bytes) => Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), bytes]),
  ],
  'a changed byte in a header': [
    'archive_header_damaged: at byte 0',
    (bytes) => headerAt(bytes, 0, put('x', 3), false),
  ],
  'a time of change': [
    'archive_header_not_canonical: manifest.json, at byte 0',
    (bytes) => headerAt(bytes, 0, put('00000000001', 136)),
  ],
  'an owner': [
    'archive_header_not_canonical: manifest.json, at byte 0',
    (bytes) => headerAt(bytes, 0, put('root', 265)),
  ],
  'a mode that lets run': [
    'archive_header_not_canonical: manifest.json, at byte 0',
    (bytes) => headerAt(bytes, 0, put('0000755', 100)),
  ],
  'a device number': [
    'archive_header_not_canonical: manifest.json, at byte 0',
    (bytes) => headerAt(bytes, 0, put('0000001', 329)),
  ],
  'a prefix before the name': [
    'archive_header_not_canonical: manifest.json, at byte 0',
    (bytes) => headerAt(bytes, 0, put('../..', 345)),
  ],
  'a size in base 256': [
    'archive_header_not_canonical: manifest.json, at byte 0',
    (bytes) => headerAt(bytes, 0, (header) => void header.writeUInt8(0x80, 124)),
  ],
  'a symbolic link': ['archive_entry_not_a_file: at byte 0', (bytes) => headerAt(bytes, 0, put('2', 156))],
  'a hard link': ['archive_entry_not_a_file: at byte 0', (bytes) => headerAt(bytes, 0, put('1', 156))],
  'a device': ['archive_entry_not_a_file: at byte 0', (bytes) => headerAt(bytes, 0, put('3', 156))],
  'a folder': ['archive_entry_not_a_file: at byte 0', (bytes) => headerAt(bytes, 0, put('5', 156))],
  'a long name of GNU tar': ['archive_entry_not_a_file: at byte 0', (bytes) => headerAt(bytes, 0, put('L', 156))],
  'an extended header of pax': ['archive_entry_not_a_file: at byte 0', (bytes) => headerAt(bytes, 0, put('x', 156))],
  'a sparse file': ['archive_entry_not_a_file: at byte 0', (bytes) => headerAt(bytes, 0, put('S', 156))],
  'a path that climbs out': [
    'archive_path_unsafe: at byte 0',
    (bytes) => headerAt(bytes, 0, put('../manifest\0\0', 0)),
  ],
  'a path that climbs inside': [
    'archive_path_unsafe: at byte 0',
    (bytes) => headerAt(bytes, 0, put('a/../b.json\0\0', 0)),
  ],
  'an absolute path': ['archive_path_unsafe: at byte 0', (bytes) => headerAt(bytes, 0, put('/manifest.json', 0))],
  'a path of another system': [
    'archive_path_unsafe: at byte 0',
    (bytes) => headerAt(bytes, 0, put('c:\\x.json\0\0\0\0', 0)),
  ],
  'an empty name': [
    'archive_path_unsafe: at byte 0',
    (bytes) => headerAt(bytes, 0, (header) => void header.fill(0, 0, 100)),
  ],
  'more content than there is': [
    /^archive_truncated: manifest.json claims 8589934591 bytes$/,
    (bytes) => headerAt(bytes, 0, put('77777777777', 124)),
  ],
  'a cut in the middle': [/^archive_truncated: /, (bytes) => bytes.subarray(0, bytes.length >> 1)],
  'no end': [/^archive_truncated: at byte \d+$/, (bytes) => bytes.subarray(0, bytes.length - 1024)],
  'half of the end': [/^archive_truncated: at byte \d+$/, (bytes) => bytes.subarray(0, bytes.length - 512)],
  'bytes behind the end': [/^archive_trailing_bytes: /, (bytes) => Buffer.concat([bytes, Buffer.alloc(512)])],
  'an archive behind the end': [/^archive_trailing_bytes: /, (bytes) => Buffer.concat([bytes, bytes])],
  'something after the content of a file': [
    'archive_padding_not_zero: after manifest.json',
    (bytes, entries) => {
      const copy = Buffer.from(bytes);
      copy[512 + (entries.get('manifest.json')?.length ?? 0)] = 1;
      return copy;
    },
  ],
  'a file twice': [
    'archive_entry_repeated: rows.json',
    (_, entries) =>
      bytesOf(
        new ArchiveBytes(
          [...entries, ...[...entries].filter(([name]) => name === 'rows.json')].map(([name, content]) => ({
            name,
            content,
          })),
        ),
        65_536,
      ),
  ],
  'ten thousand files too many': [
    'archive_too_many_entries: more than 10000',
    () => Buffer.concat(Array.from({ length: 10_001 }, (_, at) => ustarHeader({ name: `f${at}`, bytes: 0 }))),
  ],
};

test('an archive that no host wrote is refused, and named by what is wrong with it', (t) =>
  checkMutations(t, archives));

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
