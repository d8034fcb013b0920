import type { BundleManifest, BundleStatement, SignedEnvelope } from '../../../../contract/exports.ts';
import type { JournalEvent } from '../../../../contract/journal.ts';
import { canonicalJson } from '../../verification/canonical-json.ts';
import { type Check, equal, unchecked } from '../../verification/check.ts';
import { bytesOf, hexOf, sha256 } from '../../verification/digests.ts';
import { chainDigest } from '../../verification/journal-chain.ts';
import type { Archive } from './archive.ts';
import { FileError } from './file-error.ts';

/** Media that is larger is not read into the memory of a page. */
const mostBytes = 512 * 1024 * 1024;

/** What a bundle says of its study. */
export interface OpenedBundle {
  readonly manifest: BundleManifest;
  readonly events: readonly JournalEvent[];
  readonly lifecycle: string;
  readonly reason: { readonly code: string; readonly message: string } | null;
}

const textIn = async (archive: Archive, name: string): Promise<string> => {
  const file = archive.get(name);
  if (file === undefined) throw new FileError(`the archive has no ${name}`, 'Give a whole bundle of a study');
  return await file.text();
};

const jsonIn = async (archive: Archive, name: string): Promise<unknown> => JSON.parse(await textIn(archive, name));

/** Reads the study of a bundle. Throws `FileError`. */
export async function readBundle(archive: Archive): Promise<OpenedBundle> {
  try {
    const manifest = (await jsonIn(archive, 'manifest.json')) as BundleManifest;
    const rows = (await jsonIn(archive, 'rows.json')) as Pick<OpenedBundle, 'lifecycle' | 'reason'>;
    const lines = (await textIn(archive, 'journal.jsonl')).split('\n').filter((line) => line !== '');
    if (manifest.schema !== 'studio.runtime-bundle.v1') throw new Error(`its schema is ${manifest.schema}`);
    return { manifest, events: lines.map((line) => JSON.parse(line)), lifecycle: rows.lifecycle, reason: rows.reason };
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(
      `this bundle cannot be read: ${error instanceof Error ? error.message : error}`,
      'Verify it with npm run verify, which says where it is damaged',
      error,
    );
  }
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** What a DSSE signature is over. */
function signedBytes({ payloadType, payload }: SignedEnvelope): Uint8Array<ArrayBuffer> {
  const body = fromBase64(payload);
  const head = bytesOf(`DSSEv1 ${bytesOf(payloadType).length} ${payloadType} ${body.length} `);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

async function signatureChecks(archive: Archive, { manifest }: OpenedBundle): Promise<readonly Check[]> {
  const what = 'Signature';
  const envelope = (await jsonIn(archive, 'signature.json')) as SignedEnvelope;
  const pem = await textIn(archive, 'signing-key.pem');
  const der = fromBase64(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
  const keyId = `sha256:${hexOf(await sha256(der))}`;
  const statement: BundleStatement = JSON.parse(new TextDecoder().decode(fromBase64(envelope.payload)));
  const stated = Object.fromEntries(statement.subject.map(({ name, digest }) => [name, `sha256:${digest.sha256}`]));
  const manifestId = `sha256:${hexOf(await sha256(bytesOf(await textIn(archive, 'manifest.json'))))}`;
  const listed = Object.fromEntries([
    ['manifest.json', manifestId],
    ...manifest.files.map(({ path, contentId }) => [path, contentId]),
  ]);
  const about = equal('Statement', canonicalJson(stated), canonicalJson(listed), 'it names every file by its digest');
  const signature = envelope.signatures[0];
  let key: CryptoKey;
  try {
    key = await crypto.subtle.importKey('spki', der, 'Ed25519', false, ['verify']);
  } catch {
    return [about, unchecked(what, 'this browser has no Ed25519; npm run verify checks it')];
  }
  const isSigned = await crypto.subtle.verify('Ed25519', key, fromBase64(signature.sig), signedBytes(envelope));
  const words = `by the key ${keyId}, which is in the bundle itself: compare it with that of the host`;
  return [
    about,
    equal('Key', keyId, signature.keyid, 'the digest of the key in the bundle is the one that the signature names'),
    isSigned ? { outcome: 'agrees', what, words } : { outcome: 'differs', what, words: 'it is not by this key' },
  ];
}

async function fileChecks(archive: Archive, { manifest }: OpenedBundle): Promise<readonly Check[]> {
  const checks: Check[] = [];
  let agreed = 0;
  for (const { path, contentId } of manifest.files) {
    const file = archive.get(path);
    if (file === undefined) checks.push({ outcome: 'differs', what: path, words: 'it is not in the archive' });
    else if (file.size > mostBytes) checks.push(unchecked(path, 'it is too large for the memory of a page'));
    else {
      const check = equal(path, `sha256:${hexOf(await sha256(await file.arrayBuffer()))}`, contentId, 'its digest');
      if (check.outcome === 'agrees') agreed += 1;
      else checks.push(check);
    }
  }
  return agreed === 0
    ? checks
    : [{ outcome: 'agrees', what: 'Files', words: `${agreed} files have the digests of the manifest` }, ...checks];
}

/** Computes every digest of a bundle, the chain of its journal and its signature anew, in the page. */
export async function bundleChecks(archive: Archive, bundle: OpenedBundle): Promise<readonly Check[]> {
  const { manifest, events } = bundle;
  const chain = await chainDigest(manifest.runtimeId, events);
  return [
    ...(await fileChecks(archive, bundle)),
    equal('Journal chain', chain, manifest.journalHead.digest, `${events.length} events linked by SHA-256`),
    ...(await signatureChecks(archive, bundle)),
    unchecked('Records', 'whether they follow from each other is what npm run verify derives again'),
  ];
}
