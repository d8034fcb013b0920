import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** PKCS #8 of an Ed25519 key (RFC 8410), up to the 32 bytes of its secret. */
const keyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Replaces chance in this process, so that two recorded runs have the same ids: ids count up, secrets and keys are zeros. */
export function fixChance(): void {
  let drawn = 0;
  const newId: typeof crypto.randomUUID = () => {
    drawn += 1;
    return `00000000-0000-4000-8000-${String(drawn).padStart(12, '0')}`;
  };
  const newBytes = (size: number): Buffer => Buffer.alloc(size);
  const der = Buffer.concat([keyPrefix, newBytes(32)]);
  const privateKey = crypto.createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const newKeys = () => ({ privateKey, publicKey: crypto.createPublicKey(privateKey) });
  Object.assign(crypto, { randomUUID: newId, randomBytes: newBytes, generateKeyPairSync: newKeys });
  syncBuiltinESMExports();
}
