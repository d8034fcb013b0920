import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import {
  type BundleManifest,
  type BundleStatement,
  bundlePredicateType,
  bundleStatement,
  type SignedEnvelope,
  signedEnvelope,
  statementType,
} from '../../contract/exports.ts';
import {
  canonicalJson,
  contentIdOfJson,
  firstDifference,
  storedBytes,
  utf8Json,
} from '../../formats/canonical-json.ts';
import { shapeFault } from '../stored-records.ts';
import { bundlePaths } from './bundle-files.ts';

const hexOf = (contentId: string): string => contentId.slice('sha256:'.length);

/** The statement that follows from a manifest: every file by its digest, and what the bundle is about. */
export function statementOf(manifest: BundleManifest): BundleStatement {
  const { schema, files, ...predicate } = manifest;
  const listed = [{ path: bundlePaths.manifest, contentId: contentIdOfJson(manifest) }, ...files];
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: listed.map(({ path, contentId }) => ({ name: path, digest: { sha256: hexOf(contentId) } })),
    predicateType: bundlePredicateType,
    predicate,
  };
}

const statementBytes = (manifest: BundleManifest): Buffer => Buffer.from(canonicalJson(statementOf(manifest)), 'utf8');

/** The bytes that a signature of an envelope is over (DSSE, *pre-authentication encoding*). */
function signedBytes(payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(statementType)} ${statementType} ${payload.byteLength} `;
  return Buffer.concat([Buffer.from(head, 'utf8'), payload]);
}

/** What signs: a key by its id. */
export interface Signer {
  readonly keyId: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/** The stored form of the envelope around the statement of a manifest. */
export const signedManifest = (manifest: BundleManifest, signer: Signer): Buffer =>
  signedPayload(statementBytes(manifest), signer);

/** The stored form of an envelope. */
export function signedPayload(payload: Buffer, { keyId, sign }: Signer): Buffer {
  const signature = Buffer.from(sign(signedBytes(payload))).toString('base64');
  const envelope: SignedEnvelope = {
    payloadType: statementType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyId, sig: signature }],
  };
  return storedBytes(envelope);
}

/** Why a signature proves nothing: where the envelope, or what it signs, is not as it has to be. */
export class SignatureFault extends Error {
  readonly place: string;
  constructor(place: string, cause?: unknown) {
    super(place, { cause });
    this.name = 'SignatureFault';
    this.place = place;
  }
}

const parsed = (bytes: Uint8Array, place: string): unknown =>
  utf8Json(bytes, (cause) => new SignatureFault(place, cause));

/** An Ed25519 public key in PEM. Throws `SignatureFault` at `place`. */
export function publicKeyOf(pem: Uint8Array, place: string): KeyObject {
  let key: KeyObject;
  try {
    // The PEM of a private key would be taken, too.
    if (!/^-----BEGIN PUBLIC KEY-----\n/.test(Buffer.from(pem).toString('latin1'))) throw new Error('no public key');
    key = createPublicKey(Buffer.from(pem));
  } catch (error) {
    throw new SignatureFault(place, error);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new SignatureFault(place);
  return key;
}

/**
 * Checks that an envelope is signed by this key, and that it is about this manifest. Throws `SignatureFault` at the first thing
 * that does not hold.
 */
export function checkSignature(bytes: Uint8Array, manifest: BundleManifest, key: KeyObject, keyId: string): void {
  const envelope = signedEnvelope.safeParse(parsed(bytes, 'envelope'));
  if (!envelope.success) throw new SignatureFault(`envelope.${shapeFault(envelope.error)}`);
  // What a host writes has one form: others could hold what nobody signed.
  if (!storedBytes(envelope.data).equals(bytes)) throw new SignatureFault('envelope: canonical_form');
  const [signature] = envelope.data.signatures;
  if (signature.keyid !== keyId) throw new SignatureFault('envelope.signatures.0.keyid');
  const payload = Buffer.from(envelope.data.payload, 'base64');
  if (!verify(null, signedBytes(payload), key, Buffer.from(signature.sig, 'base64'))) {
    throw new SignatureFault('envelope.signatures.0.sig');
  }
  const statement = bundleStatement.safeParse(parsed(payload, 'statement'));
  if (!statement.success) throw new SignatureFault(`statement.${shapeFault(statement.error)}`);
  const place = firstDifference(statement.data, statementOf(manifest));
  if (place !== null) throw new SignatureFault(`statement.${place}`);
  if (!payload.equals(statementBytes(manifest))) throw new SignatureFault('statement: canonical_form');
}
