import test from 'ava';
import { packed, relisted, resigned, runtimeId, study, unsigned } from './bundled-study.ts';
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
