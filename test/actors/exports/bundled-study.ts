import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { Bundles } from '../../../actors/exports/bundles.ts';
import { type BundleSignature, verifyBundle } from '../../../actors/exports/verify-bundle.ts';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import type { ByteReader } from '../../../contract/base/byte-reader.ts';
import { bundleManifest } from '../../../contract/exports/runtime-bundle.ts';
import { canonicalJson, contentIdOfBytes, storedBytes } from '../../../receipts/core/canonical-json.ts';
import type { CheckedLink } from '../../../receipts/core/checked-link.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { signedPayload, statementOf } from '../../../receipts/exports/bundle-statement.ts';
import { ArchiveBytes } from '../../../storage/archive/archive-bytes.ts';
import { ArchiveError } from '../../../storage/archive/archive-error.ts';
import { readArchive, readEntry } from '../../../storage/archive/read-archive.ts';
import { keyIdOf, openSigningKey } from '../../../storage/signing/signing-key.ts';
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
  let keys = 0;
  const openKey = () => openSigningKey(root, () => `key-${keys++}`);
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

/** What a verification says of an archive. */
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

/** As a forger does: the manifest lists the entries as they are now, and they stand in the order of a host. */
export function relisted(
  entries: ReadonlyMap<string, Buffer>,
  change: (manifest: Manifest) => Manifest = (manifest) => manifest,
): Map<string, Buffer> {
  const manifest = bundleManifest.parse(JSON.parse(String(entries.get('manifest.json'))));
  const outside = ['manifest.json', 'signature.json', 'signing-key.pem'];
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
  return new Map([
    ...entries,
    ['signature.json', signedPayload(change(Buffer.from(canonicalJson(statementOf(manifest)))), signer)],
    ['signing-key.pem', Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }).toString())],
  ]);
}

/** The same without a signature. */
export const unsigned = (entries: ReadonlyMap<string, Buffer>): Map<string, Buffer> =>
  new Map([...entries].filter(([name]) => name !== 'signature.json' && name !== 'signing-key.pem'));
