import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOf, moveDurably, replaceDurably } from './objects/durable-file.ts';
import { failedWith } from './objects/object-store-error.ts';

/** The file of a data root that holds its private key: bundles call that of the public one `signing-key.pem`. */
const signingKeyName = 'private-signing-key.pem';
/** Its name up to version 1.0.0, the one of the public key in bundles: people sent the wrong file. */
const formerName = 'signing-key.pem';

const maximumFileBytes = 4096;

/** The file of the signing key is there and cannot be used. */
export class SigningKeyError extends Error {
  constructor(detail: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = 'SigningKeyError';
  }
}

/** An Ed25519 key pair that signs what a host hands out. */
export interface SigningKey {
  readonly keyId: string;
  /** The public half as PEM (SubjectPublicKeyInfo). */
  readonly publicKey: string;
  /** The signature of these bytes; the same bytes always have the same. */
  sign(bytes: Uint8Array): Buffer;
}

/** The name of a public key: the digest of its SubjectPublicKeyInfo (DER). */
export const keyIdOf = (key: KeyObject): string =>
  `sha256:${createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')}`;

/** The one PEM of a public key (SubjectPublicKeyInfo). */
export const publicPemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

function signingKeyOf(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  return {
    keyId: keyIdOf(publicKey),
    publicKey: publicPemOf(publicKey),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}

/** The private key in a file; null if there is no file. Throws `SigningKeyError`, and the system's errors. */
async function readKey(path: string): Promise<SigningKey | null> {
  let text: string;
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > maximumFileBytes) throw new SigningKeyError('the file does not hold a key');
      if ((found.mode & 0o077) !== 0) throw new SigningKeyError('others than its owner may read it');
      text = await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return null;
    throw error instanceof SigningKeyError ? error : new SigningKeyError('it cannot be read', error);
  }
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(text);
  } catch (error) {
    throw new SigningKeyError('it holds no private key in PEM', error);
  }
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new SigningKeyError('its key is not of the kind Ed25519');
  return signingKeyOf(privateKey);
}

/** A key that a killed host was writing, and no bundle has. Versions up to 1.0.0 named it by an id; a copy of a person has other names. */
const draftName = /^(?:private-signing-key\.pem\.new|signing-key\.pem\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Gives the private key of an earlier version its present name, on disk when it resolves, and removes drafts of keys. A key that this
 * program can use stays what it is; any other file is left alone, and who needs the key says why. Only for the holder of the ledger.
 */
export async function moveSigningKey(dataRoot: string): Promise<void> {
  const drafts = (await readdir(dataRoot)).filter((name) => draftName.test(name));
  await Promise.all(drafts.map((name) => rm(join(dataRoot, name), { force: true })));
  if ((await kindOf(join(dataRoot, signingKeyName))) !== 'missing') return;
  const former = join(dataRoot, formerName);
  if ((await readKey(former).catch(() => null)) !== null) await moveDurably(former, join(dataRoot, signingKeyName));
}

/**
 * The signing key of a data root, which is made if there is none yet; it survives a loss of power before it is used. Only for the holder
 * of the ledger, one call after the other. Throws `SigningKeyError`, also for a file under the former name that cannot be used: another key
 * would sign in the place of that one.
 */
export async function openSigningKey(dataRoot: string): Promise<SigningKey> {
  const path = join(dataRoot, signingKeyName);
  const known = (await readKey(path)) ?? (await readKey(join(dataRoot, formerName)));
  if (known !== null) {
    await moveSigningKey(dataRoot);
    return known;
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    await replaceDurably(path, Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  } catch (error) {
    throw new SigningKeyError('it cannot be written', error);
  }
  return signingKeyOf(privateKey);
}
