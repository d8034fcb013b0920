import test from 'ava';
import { ArchiveBytes } from '../../../storage/archive/archive-bytes.ts';
import { readArchive } from '../../../storage/archive/read-archive.ts';
import { ustarHeader } from '../../../storage/archive/ustar-header.ts';
import { bundleOf, bundlesOfStudy, bytesOf, readerOf, verdictOf } from './bundled-study.ts';
import { checkMutations, type Mutation } from './mutations.ts';

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
