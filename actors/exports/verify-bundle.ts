import type { KeyObject } from 'node:crypto';
import type { ByteReader } from '../../contract/base/stored-object.ts';
import type { BundledCaptions, BundleManifest } from '../../contract/exports.ts';
import { readArchive } from '../../formats/tar.ts';
import { EvidenceChainError, type ReportLink } from '../../receipts/evidence-chain.ts';
import { bundlePaths, checkSignature, publicKeyOf, SignatureFault, sigstoreOf } from '../../receipts/exports/bundle.ts';
import { keyIdOf, publicPemOf } from '../../storage/signing-key.ts';
import { laterActorsOf } from '../reopening/stored-runtime.ts';
import { verifyStoredRuntime, type WholeRuntime } from '../reopening/verify-runtime.ts';
import { admitEntry, BundleStore, type IndexedBundle, readBundled, readManifest } from './bundle-store.ts';

/** The signature of a bundle: none, one of a key that was not checked, one of the trusted key, or one of another key. */
export type BundleSignature =
  | { readonly state: 'unsigned'; readonly keyId: null }
  | { readonly state: 'valid' | 'trusted' | 'untrusted'; readonly keyId: string };

/** A bundle in which everything holds. */
export interface WholeBundle extends WholeRuntime {
  readonly manifest: BundleManifest;
  readonly signature: BundleSignature;
  /** The digests of its captions files; null for one without captions, or of an earlier version. */
  readonly captions: BundledCaptions | null;
}

const signatureFault = (place: string): EvidenceChainError => new EvidenceChainError('signature', place);

/** A public key that the caller of `verify` trusts. Throws `SignatureFault`. */
export const trustedKey = (pem: Uint8Array): KeyObject => publicKeyOf(pem, 'key');

async function signatureOf(
  bundle: IndexedBundle,
  manifest: BundleManifest,
  trusted: KeyObject | null,
): Promise<BundleSignature> {
  const { index } = bundle;
  const [hasSignature, hasKey] = [index.has(bundlePaths.signature), index.has(bundlePaths.publicKey)];
  const hasSigstore = index.has(bundlePaths.sigstore);
  if (!hasSignature && !hasKey && !hasSigstore) return { state: 'unsigned', keyId: null };
  if (!hasSignature || !hasKey)
    throw signatureFault(`${hasKey ? bundlePaths.signature : bundlePaths.publicKey}: missing`);
  try {
    const pem = await readBundled(bundle, bundlePaths.publicKey);
    const key = publicKeyOf(pem, bundlePaths.publicKey);
    if (publicPemOf(key) !== pem.toString('latin1')) throw new SignatureFault(bundlePaths.publicKey);
    const keyId = keyIdOf(key);
    const envelope = await readBundled(bundle, bundlePaths.signature);
    checkSignature(envelope, manifest, key, keyId);
    // Bundles of earlier versions have none.
    if (hasSigstore && !sigstoreOf(envelope).equals(await readBundled(bundle, bundlePaths.sigstore))) {
      throw new SignatureFault(bundlePaths.sigstore);
    }
    if (trusted === null) return { state: 'valid', keyId };
    return { state: keyId === keyIdOf(trusted) ? 'trusted' : 'untrusted', keyId };
  } catch (error) {
    if (error instanceof SignatureFault) throw signatureFault(error.place);
    throw error;
  }
}

/** The manifest of a bundle has to agree with its runtime. */
function checkManifest({ media }: BundleManifest, { runtime }: WholeRuntime, store: BundleStore): void {
  const { contentId, bytes } = runtime.accepted.record.sourceSession.source;
  if (media.contentId !== contentId || media.bytes !== bytes || media.included !== store.holds(contentId)) {
    throw new EvidenceChainError('bundle', `${bundlePaths.manifest}: media`);
  }
  if (store.unread !== null) throw new EvidenceChainError('bundle', `${store.unread}: no record names it`);
  if (store.actors !== laterActorsOf(runtime).length) throw new EvidenceChainError('row', 'actors');
}

/**
 * Verifies a bundle from its bytes alone: the archive, its manifest, its signature, and then the runtime in it, as in a data
 * root. Media that the bundle lacks is not reported as checked. Throws `ArchiveError`, and `EvidenceChainError` at the first
 * failure.
 */
export async function verifyBundle(
  file: ByteReader,
  trusted: KeyObject | null,
  report: ReportLink,
): Promise<WholeBundle> {
  const bundle = { file, index: await readArchive(file, admitEntry) };
  const manifest = await readManifest(bundle);
  const signature = await signatureOf(bundle, manifest, trusted);
  const store = await BundleStore.open(bundle, manifest);
  const { media } = manifest;
  const whole = await verifyStoredRuntime(store, manifest.runtimeId, (link, translation) => {
    if (media.included || link.contentId !== media.contentId) report(link, translation);
  });
  checkManifest(manifest, whole, store);
  return { ...whole, manifest, signature, captions: store.captions };
}
