import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { Bundles } from '../../../actors/exports/bundles.ts';
import { type BundleSignature, verifyBundle } from '../../../actors/exports/verify-bundle.ts';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import type { ByteReader } from '../../../contract/base/stored-object.ts';
import { bundleManifest } from '../../../contract/exports.ts';
import { canonicalJson, contentIdOfBytes, storedBytes } from '../../../formats/canonical-json.ts';
import { ArchiveBytes, ArchiveError, readArchive, readEntry } from '../../../formats/tar.ts';
import { type CheckedLink, EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import { signedPayload, sigstoreOf, statementOf } from '../../../receipts/exports/bundle.ts';
import { keyIdOf, openSigningKey } from '../../../storage/signing-key.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { newDataRoot, openStore, store } from '../reopening/stored-studies.ts';

export const study = storedStudy({ version: 1, windows: 4 });
export const { runtimeId } = study.run.record;

/** Bytes in memory as a file that is read by position. */
export const readerOf = (bytes: Uint8Array): ByteReader => ({
  bytes: bytes.length,
  read: async (target, position) => {
    const part = bytes.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  },
  isUnchanged: () => true,
  close: () => undefined,
});

/** Everything that a reader gives, a few bytes at a time. */
export async function bytesOf(reader: ByteReader, step = 1000): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let position = 0; ; ) {
    const chunk = Buffer.alloc(step);
    const count = await reader.read(chunk, position);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, count));
    position += count;
  }
}

/** The service over a new data root that holds the study. */
export async function bundlesOfStudy(t: ExecutionContext, stage: Parameters<typeof store>[2] = {}) {
  const root = await newDataRoot(t);
  const opened = await openStore(root);
  t.teardown(() => opened.close());
  await store(opened, study, stage);
  const { ledger, objectStore } = opened;
  const openKey = () => openSigningKey(root);
  const runtimes = new VerifiedRuntimes({ ledger, objectStore });
  const restarted = () => new Bundles({ ledger, objectStore, runtimes, openKey });
  return { root, bundles: restarted(), restarted, options: { ledger, objectStore, runtimes, openKey } };
}

export async function bundleOf(bundles: Bundles, media = false): Promise<Buffer> {
  const { reader } = await bundles.open(runtimeId, { media });
  try {
    return await bytesOf(reader);
  } finally {
    reader.close();
  }
}

export interface Verdict {
  /** `intact`, or `link: place`. */
  readonly found: string;
  readonly signature: BundleSignature['state'] | null;
  readonly checked: readonly CheckedLink[];
}

/** Findings of a verification of an archive. */
export async function verdictOf(bytes: Uint8Array, trusted: KeyObject | null = null): Promise<Verdict> {
  const checked: CheckedLink[] = [];
  try {
    const { signature } = await verifyBundle(readerOf(bytes), trusted, (link) => checked.push(link));
    return { found: 'intact', signature: signature.state, checked };
  } catch (error) {
    if (error instanceof EvidenceChainError) {
      return { found: `${error.link}: ${error.place}`, signature: null, checked };
    }
    if (error instanceof ArchiveError) return { found: error.message, signature: null, checked };
    throw error;
  }
}

/** The entries of an archive by their names, to be changed and put together again. */
export async function unpacked(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const file = readerOf(bytes);
  const entries = new Map<string, Buffer>();
  for (const entry of (await readArchive(file)).values()) entries.set(entry.name, await readEntry(file, entry));
  return entries;
}

export const packed = (entries: ReadonlyMap<string, Uint8Array>): Promise<Buffer> =>
  bytesOf(new ArchiveBytes([...entries].map(([name, content]) => ({ name, content }))), 65_536);

function entryOf(entries: ReadonlyMap<string, Buffer>, name: string): [string, Buffer][] {
  const content = entries.get(name);
  return content === undefined ? [] : [[name, content]];
}

type Manifest = ReturnType<typeof bundleManifest.parse>;

/** Imitates a forger: the manifest lists the entries as they are now, in the order of a host. */
export function relisted(
  entries: ReadonlyMap<string, Buffer>,
  change: (manifest: Manifest) => Manifest = (manifest) => manifest,
): Map<string, Buffer> {
  const manifest = bundleManifest.parse(JSON.parse(String(entries.get('manifest.json'))));
  const outside = ['manifest.json', 'signature.json', 'signing-key.pem', 'signature.sigstore.json'];
  const files = [...entries]
    .filter(([name]) => !outside.includes(name))
    .map(([path, content]) => ({ path, contentId: contentIdOfBytes(content), bytes: content.length }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const listed = new Map([...entries, ['manifest.json', storedBytes(change({ ...manifest, files }))]]);
  return new Map([...outside, ...files.map(({ path }) => path)].flatMap((name) => entryOf(listed, name)));
}

/** The same, signed with a key of the forger's own. */
export function resigned(
  entries: ReadonlyMap<string, Buffer>,
  change: (payload: Buffer) => Buffer = (payload) => payload,
): Map<string, Buffer> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const manifest = bundleManifest.parse(JSON.parse(String(entries.get('manifest.json'))));
  const signer = { keyId: keyIdOf(publicKey), sign: (bytes: Uint8Array) => sign(null, bytes, privateKey) };
  const envelope = signedPayload(change(Buffer.from(canonicalJson(statementOf(manifest)))), signer);
  return new Map([
    ...entries,
    ['signature.json', envelope],
    ['signing-key.pem', Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }).toString())],
    ['signature.sigstore.json', sigstoreOf(envelope)],
  ]);
}

/** The same without a signature. */
export const unsigned = (entries: ReadonlyMap<string, Buffer>): Map<string, Buffer> =>
  new Map([...entries].filter(([name]) => !/^sign(?:ature|ing-key)\./.test(name)));

export type Entries = ReadonlyMap<string, Buffer>;

/** Makes another archive of the bytes of a bundle, or of its entries. */
type Forge = (bytes: Buffer, entries: Entries) => Promise<Buffer> | Buffer;

/** A finding of a verification, and the damage to a bundle that causes it. */
export type Mutation = readonly [finding: string | RegExp, forge: Forge];

type Change = (entries: Entries) => Map<string, Buffer>;

/** The archive of entries that were changed one way after the other. */
export const made =
  (...changes: readonly Change[]): Forge =>
  (_, entries) =>
    packed(changes.reduce<Entries>((all, change) => change(all), entries));

/** A parsed record, as far as mutations look into it. */
interface EditedRecord {
  readonly start?: { readonly ids?: object };
  readonly source?: object;
}

/** Position of a stored file in a bundle. */
export const objectOf = (contentId: string): string => `objects/sha256/${contentId.slice('sha256:'.length)}`;
/** Position of the run-start record. */
export const start = objectOf(study.start.receiptContentId);

/** One entry with other content. */
export const entry =
  (name: string, change: (content: Buffer) => Uint8Array): Change =>
  (entries) =>
    new Map([...entries].map(([each, content]) => [each, each === name ? Buffer.from(change(content)) : content]));

/** One entry more. */
export const added =
  (name: string, content: string | Buffer): Change =>
  (entries) =>
    new Map([...entries, [name, Buffer.from(content)]]);

/** All entries but one. */
export const lacking =
  (name: string): Change =>
  (entries) =>
    new Map([...entries].filter(([each]) => each !== name));

/** The manifest lists the entries as they are now, and says something else. */
export const listing =
  (change?: (manifest: Manifest) => Manifest): Change =>
  (entries) =>
    relisted(entries, change);

/** Forgeries with a new list and a new signature: references between the records expose them. */
export const forging = (...changes: readonly Change[]): Forge => made(...changes, listing(), (all) => resigned(all));

/** A record with these fields changed, in canonical form again. */
export const edited =
  (change: object | ((record: EditedRecord) => object)) =>
  (content: Buffer): Uint8Array => {
    const record = JSON.parse(String(content));
    const fields = typeof change === 'function' ? change(record) : change;
    return storedBytes(JSON.parse(JSON.stringify({ ...record, ...fields })));
  };

/** A text in which something was replaced. */
export const text = (from: string | RegExp, to: string) => (content: Buffer) =>
  Buffer.from(String(content).replace(from, to));

/** Content with one bit changed. */
export const flipped = (content: Buffer) => {
  const copy = Buffer.from(content);
  copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 1;
  return copy;
};

/** Makes each of the mutations of a bundle and compares what is found. */
export async function checkMutations(
  t: ExecutionContext,
  mutations: Readonly<Record<string, Mutation>>,
): Promise<void> {
  const { bundles } = await bundlesOfStudy(t);
  const bytes = await bundleOf(bundles);
  const entries = await unpacked(bytes);
  t.is((await verdictOf(await packed(entries))).found, 'intact');
  const others: Record<string, string> = {};
  for (const [title, [finding, forge]] of Object.entries(mutations)) {
    const { found } = await verdictOf(await forge(bytes, entries));
    const isNamed = typeof finding === 'string' ? found === finding : finding.test(found);
    if (!isNamed) others[title] = found;
  }
  t.deepEqual(others, {});
}
