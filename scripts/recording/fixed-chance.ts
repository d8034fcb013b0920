import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Replaces chance in this process, so that two recorded runs have the same ids: ids count up, secrets are zeros. */
export function fixChance(): void {
  let drawn = 0;
  const newId: typeof crypto.randomUUID = () => {
    drawn += 1;
    return `00000000-0000-4000-8000-${String(drawn).padStart(12, '0')}`;
  };
  const newBytes = (size: number): Buffer => Buffer.alloc(size);
  Object.assign(crypto, { randomUUID: newId, randomBytes: newBytes });
  syncBuiltinESMExports();
}
