import { canonicalJson } from './canonical-json.ts';

const encoder = new TextEncoder();

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

/** SHA-256 by Web Crypto. */
export const sha256 = async (bytes: Uint8Array<ArrayBuffer> | ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));

export const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The content id of a stored record: the digest of its canonical JSON and one newline. */
export const contentIdOf = async (record: unknown): Promise<string> =>
  `sha256:${hexOf(await sha256(bytesOf(`${canonicalJson(record)}\n`)))}`;

interface Receipt {
  readonly schema: string;
  readonly receiptId: string;
}

/** The id of a receipt: the digest of everything in it but its schema and the id itself, behind the prefix of its kind. */
export async function receiptIdOf(receipt: Receipt): Promise<string> {
  const { schema: _, receiptId, ...rest } = receipt;
  const prefix = receiptId.slice(0, receiptId.lastIndexOf(':') + 1);
  return `${prefix}${hexOf(await sha256(bytesOf(canonicalJson(rest))))}`;
}
