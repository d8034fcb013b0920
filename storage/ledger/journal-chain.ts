import { createHash, hash } from 'node:crypto';

const linkBytes = 32;
const openBrace = 0x7b;

/** chain₀ = SHA-256(UTF-8 runId). */
export const firstLink = (runId: string): Buffer => hash('sha256', runId, 'buffer');

/**
 * A stored event: chainₙ (32 bytes) followed by the UTF-8 canonical JSON of eventₙ, where
 * chainₙ = SHA-256(chainₙ₋₁ ‖ canonical JSON).
 */
export function chainEvent(previous: Buffer, json: string): Buffer {
  const stored = Buffer.allocUnsafe(linkBytes + Buffer.byteLength(json, 'utf8'));
  previous.copy(stored);
  stored.write(json, linkBytes, 'utf8');
  hash('sha256', stored, 'buffer').copy(stored);
  return stored;
}

/** The chain digest of a stored event; a view. */
export const linkOf = (stored: Buffer): Buffer => stored.subarray(0, linkBytes);

/** The canonical JSON of a stored event; a view. */
export const jsonOf = (stored: Buffer): Buffer => stored.subarray(linkBytes);

/** Whether a stored value has the shape of an event at all: a digest and a JSON object. */
export const isEvent = (stored: Buffer): boolean => stored.length > linkBytes && stored[linkBytes] === openBrace;

/** Whether a stored event follows the event with the digest `previous`. */
export const follows = (previous: Buffer, stored: Buffer): boolean =>
  createHash('sha256').update(previous).update(jsonOf(stored)).digest().equals(linkOf(stored));
