/** Names the proof and its version, so that its digest is never that of anything else. */
const domain = 'studio.host-proof.v1';

/** The statement of a host about itself: its data root, as the system numbers it, and its process. */
export interface HostFacts {
  /** The device of the data root, in decimal digits. */
  readonly device: string;
  /** The inode of the data root, in decimal digits. */
  readonly inode: string;
  readonly pid: number;
  /** The start of the process, as the system counts it; null if the system has no such count. */
  readonly startedAt: string | null;
}

/** The question of a client, and its place: `address` is numeric, such as `127.0.0.1` or `::1`. */
export interface ProofQuestion {
  /** 64 hex digits that the client made for this question alone. */
  readonly nonce: string;
  readonly address: string;
  readonly port: number;
}

/**
 * The text that a host signs with HMAC-SHA-256 under its token. It is one JSON list of texts, so no two statements have the same
 * text. It has the address on which the host listens. So a program at another address or port gains nothing by passing the question on to
 * the host.
 */
export const proofMessage = (
  { nonce, address, port }: ProofQuestion,
  { device, inode, pid, startedAt }: HostFacts,
): string => JSON.stringify([domain, nonce, address, String(port), device, inode, String(pid), startedAt ?? '']);
