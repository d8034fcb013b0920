/** Where things stand in a bundle. */
export const bundlePaths = {
  manifest: 'manifest.json',
  signature: 'signature.json',
  publicKey: 'signing-key.pem',
  journal: 'journal.jsonl',
  rows: 'rows.json',
  schemas: 'schemas.json',
} as const;

const objectPrefix = 'objects/sha256/';

/** Where a stored file stands in a bundle. */
export const objectPathOf = (contentId: string): string => `${objectPrefix}${contentId.slice('sha256:'.length)}`;

/** The content id that the path of a stored file states; null for any other path. */
export function objectAt(path: string): string | null {
  const hex = path.startsWith(objectPrefix) ? path.slice(objectPrefix.length) : '';
  return /^[a-f0-9]{64}$/.test(hex) ? `sha256:${hex}` : null;
}

/** The order of paths in a manifest: that of their bytes. */
export const inPathOrder = (one: { readonly path: string }, other: { readonly path: string }): number =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
