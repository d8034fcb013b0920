import type { JournalEvent } from '../../../contract/journal.ts';
import { canonicalJson } from './canonical-json.ts';
import { bytesOf, hexOf, sha256 } from './digests.ts';

/**
 * The digest of the chain after these events, from the first on: it begins with the digest of the id of the runtime, and each link
 * is the digest of the link before it and the canonical JSON of the event. 64 hex digits.
 */
export async function chainDigest(runtimeId: string, events: readonly JournalEvent[]): Promise<string> {
  let link = await sha256(bytesOf(runtimeId));
  for (const event of events) {
    const body = bytesOf(canonicalJson(event));
    const linked = new Uint8Array(link.length + body.length);
    linked.set(link);
    linked.set(body, link.length);
    link = await sha256(linked);
  }
  return hexOf(link);
}
