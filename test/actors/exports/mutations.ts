import type { ExecutionContext } from 'ava';
import { storedBytes } from '../../../receipts/core/canonical-json.ts';
import { bundleOf, bundlesOfStudy, packed, study, unpacked, verdictOf } from './bundled-study.ts';

export type Entries = ReadonlyMap<string, Buffer>;

/** What a verification has to find, and what makes a bundle so. */
export type Mutation = readonly [
  finding: string | RegExp,
  forge: (bytes: Buffer, entries: Entries) => Promise<Buffer> | Buffer,
];

/** A parsed record, as far as mutations look into it. */
interface EditedRecord {
  readonly start?: { readonly ids?: object };
  readonly source?: object;
}

/** Where a stored file stands in a bundle. */
export const objectOf = (contentId: string): string => `objects/sha256/${contentId.slice('sha256:'.length)}`;
/** Where the run-start record stands. */
export const start = objectOf(study.start.receiptContentId);

/** One entry with other content. */
export const withEntry = (
  entries: Entries,
  name: string,
  change: (content: Buffer) => Uint8Array,
): Map<string, Buffer> =>
  new Map([...entries].map(([each, content]) => [each, each === name ? Buffer.from(change(content)) : content]));

/** All entries but one. */
export const without = (entries: Entries, name: string) => new Map([...entries].filter(([each]) => each !== name));

/** A record with something in it changed, in canonical form again. */
export const edited = (change: (record: EditedRecord) => unknown) => (content: Buffer) => {
  const record = JSON.parse(String(content));
  return storedBytes(change(record) ?? record);
};

/** A text in which something was replaced. */
export const text = (from: string | RegExp, to: string) => (content: Buffer) =>
  Buffer.from(String(content).replace(from, to));

/** Content with one bit changed. */
export const flipped = (content: Buffer) => {
  const copy = Buffer.from(content);
  copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 1;
  return copy;
};

/** Makes each of the mutations of a bundle and compares what is found. */
export async function checkMutations(
  t: ExecutionContext,
  mutations: Readonly<Record<string, Mutation>>,
): Promise<void> {
  const { bundles } = await bundlesOfStudy(t);
  const bytes = await bundleOf(bundles);
  const entries = await unpacked(bytes);
  t.is((await verdictOf(await packed(entries))).found, 'intact');
  const others: Record<string, string> = {};
  for (const [title, [finding, forge]] of Object.entries(mutations)) {
    const { found } = await verdictOf(await forge(bytes, entries));
    const isNamed = typeof finding === 'string' ? found === finding : finding.test(found);
    if (!isNamed) others[title] = found;
  }
  t.deepEqual(others, {});
}
