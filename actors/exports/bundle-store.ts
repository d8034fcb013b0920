import { z } from 'zod';
import type { ByteReader } from '../../contract/base/stored-object.ts';
import { type BundledCaptions, type BundleManifest, bundledCaptions, bundleManifest } from '../../contract/exports.ts';
import type { JournalEvent } from '../../contract/journal.ts';
import { registeredSource } from '../../contract/sources/source-session.ts';
import { hasEnded, lifecycle, runtimeReason } from '../../contract/study/status.ts';
import { type ArchiveEntry, type ArchiveIndex, type HeaderFields, readEntry } from '../../formats/tar.ts';
import { EvidenceChainError } from '../../receipts/evidence-chain.ts';
import { bundledSchemas, bundlePaths, inPathOrder, objectAt, objectPathOf } from '../../receipts/exports/bundle.ts';
import { journalStart, readEvent } from '../../receipts/journal.ts';
import { type ContentFault, reopenJson, type StoredContent, type VerifiedHead } from '../../receipts/stored-records.ts';
import { chainEvent, firstLink, linkOf } from '../../storage/ledger/journal-chain.ts';
import type { StoredJournalHead } from '../../storage/ledger/ledger.ts';
import type { LaterActor, RuntimeStore } from '../reopening/stored-runtime.ts';
import { studyRow } from '../reopening/study-row.ts';

/** The rows of a runtime in the ledger, as a bundle has them: files of the source are those of the bundle. */
export const bundledRows = z.strictObject({
  schema: z.literal('studio.runtime-bundle-rows.v1'),
  /** Bundles are of studies that have ended: the journal of another could be cut anywhere. */
  lifecycle: lifecycle.refine(hasEnded, 'must have ended'),
  reason: runtimeReason.nullable(),
  start: studyRow,
  source: registeredSource,
  /** The actors of later stages, and the state of each. */
  actors: z.array(z.strictObject({ name: z.enum(['caption', 'explanation']), id: z.string(), status: z.string() })),
});

export type BundledRows = z.infer<typeof bundledRows>;

/** Most files list a few hundred others, and most journals have some thousand events. */
const maximumBytes = {
  manifest: 4 * 1024 ** 2,
  journal: 256 * 1024 ** 2,
  rows: 4 * 1024 ** 2,
  schemas: 4 * 1024 ** 2,
  signature: 8 * 1024 ** 2,
  publicKey: 4096,
  sigstore: 12 * 1024 ** 2,
  captions: 4 * 1024 ** 2,
} as const satisfies Readonly<Record<keyof typeof bundlePaths, number>>;

/** The same, by the paths of the files. */
const mostAt = new Map(
  Object.entries(bundlePaths).map(([name, path]) => [path as string, maximumBytes[name as keyof typeof bundlePaths]]),
);

/** The file of a bundle, and its index. */
export interface IndexedBundle {
  readonly file: ByteReader;
  readonly index: ArchiveIndex;
}

const fault = (place: string, contentId: string | null = null): EvidenceChainError =>
  new EvidenceChainError('bundle', place, undefined, contentId);

/** Small files that no bundle has are named later, with what else is wrong. */
const mostOfAnother = 64 * 1024;

/**
 * Refuses, by its header alone, a file that is larger than it is in any bundle. A forger could make it take any time to hash.
 * Stored files are as large as media are. Throws `EvidenceChainError` of the bundle.
 */
export function admitEntry({ name, bytes }: HeaderFields): void {
  if (objectAt(name) !== null) return;
  if (bytes > (mostAt.get(name) ?? mostOfAnother))
    throw fault(`${name}: ${mostAt.has(name) ? 'size' : 'not in the manifest'}`);
}

/** All bytes of an admitted file of a bundle. Throws `EvidenceChainError` of the bundle. */
export async function readBundled({ file, index }: IndexedBundle, path: string): Promise<Buffer> {
  const entry = index.get(path);
  if (entry === undefined) throw fault(`${path}: missing`);
  return readEntry(file, entry);
}

async function readRecord<Schema extends z.ZodType>(
  bundle: IndexedBundle,
  path: string,
  schema: Schema,
  most: number,
): Promise<z.infer<Schema>> {
  const bytes = await readBundled(bundle, path);
  const contentId = bundle.index.get(path)?.contentId ?? '';
  try {
    return reopenJson({ link: 'bundle', schema, maximumBytes: most }, { contentId, bytes });
  } catch (error) {
    if (!(error instanceof EvidenceChainError)) throw error;
    throw new EvidenceChainError('bundle', `${path}: ${error.place}`, error);
  }
}

/** The manifest of a bundle, which every other file of it agrees with. Throws `EvidenceChainError` of the bundle. */
export async function readManifest(bundle: IndexedBundle): Promise<BundleManifest> {
  const { index } = bundle;
  const manifest = await readRecord(bundle, bundlePaths.manifest, bundleManifest, maximumBytes.manifest);
  const { files } = manifest;
  const sorted = [...files].sort(inPathOrder);
  if (sorted.some((file, at) => file !== files[at] || file.path === sorted[at + 1]?.path)) {
    throw fault('manifest.json: files are not in the order of their paths');
  }
  for (const { path, contentId, bytes } of files) checkListed(index.get(path), path, contentId, bytes);
  const order = [...unlisted.filter((name) => index.has(name)), ...files.map(({ path }) => path)];
  const listed = new Set(order);
  for (const name of index.keys()) if (!listed.has(name)) throw fault(`${name}: not in the manifest`);
  for (const [at, name] of [...index.keys()].entries()) if (name !== order[at]) throw fault(`${name}: out of order`);
  return manifest;
}

const unlisted: readonly string[] = [
  bundlePaths.manifest,
  bundlePaths.signature,
  bundlePaths.publicKey,
  bundlePaths.sigstore,
];
const beside: readonly string[] = [bundlePaths.captions, bundlePaths.journal, bundlePaths.rows, bundlePaths.schemas];

function checkListed(entry: ArchiveEntry | undefined, path: string, contentId: string, bytes: number): void {
  if (entry === undefined || unlisted.includes(path)) throw fault(`${path}: missing`, contentId);
  if (entry.bytes !== bytes) throw fault(`${path}: size`, contentId);
  if (entry.contentId !== contentId || (objectAt(path) ?? contentId) !== contentId) {
    throw fault(`${path}: content`, contentId);
  }
}

/** The one runtime of a bundle, as a store for the same verification as a data root. It notes the stored files that were read. */
export class BundleStore implements RuntimeStore {
  readonly content: StoredContent;
  readonly #bundle: IndexedBundle;
  readonly #manifest: BundleManifest;
  readonly #rows: BundledRows;
  readonly #events: readonly Buffer[];
  readonly #asked = new Set<string>();
  /** The digests of its captions files; null for one without captions, or of an earlier version. */
  readonly captions: BundledCaptions | null;

  private constructor(
    bundle: IndexedBundle,
    manifest: BundleManifest,
    rows: BundledRows,
    events: readonly Buffer[],
    captions: BundledCaptions | null,
  ) {
    this.#bundle = bundle;
    this.#manifest = manifest;
    this.#rows = rows;
    this.#events = events;
    this.captions = captions;
    this.content = {
      object: (contentId, most) => this.#object(contentId, most),
      sourceFile: ({ contentId }, most) => this.#object(contentId, most),
      verifiedLength: async ({ contentId }) => this.#mediaBytes(contentId),
      verifiedHead: (contentId, headBytes) => this.#head(contentId, headBytes),
    };
  }

  /** Reads journal and rows. Throws `EvidenceChainError` of the bundle. */
  static async open(bundle: IndexedBundle, manifest: BundleManifest): Promise<BundleStore> {
    const rows = await readRecord(bundle, bundlePaths.rows, bundledRows, maximumBytes.rows);
    await readRecord(bundle, bundlePaths.schemas, bundledSchemas, maximumBytes.schemas);
    const journal = await readBundled(bundle, bundlePaths.journal);
    const captions = bundle.index.has(bundlePaths.captions)
      ? await readRecord(bundle, bundlePaths.captions, bundledCaptions, maximumBytes.captions)
      : null;
    return new BundleStore(bundle, manifest, rows, linesOf(journal), captions);
  }

  async verifyJournal(runtimeId: string): Promise<StoredJournalHead> {
    let link = firstLink(runtimeId);
    let last = journalStart;
    for (const event of this.#events) {
      last = readEvent(runtimeId, last, event);
      link = Buffer.from(linkOf(chainEvent(link, event.toString('utf8'))));
    }
    const head = { seq: last.seq, digest: link.toString('hex'), recordedAt: last.recordedAt || null };
    const stated = this.#manifest.journalHead;
    for (const key of ['seq', 'digest', 'recordedAt'] as const) {
      if (head[key] !== stated[key]) throw new EvidenceChainError('journal', `head.${key}`);
    }
    return head;
  }

  async readStored(runtimeId: string) {
    const { start, source, lifecycle, reason } = this.#rows;
    return { runtimeId, start, source, lifecycle, reason };
  }

  async readEvents(runtimeId: string): Promise<readonly JournalEvent[]> {
    const events: JournalEvent[] = [];
    for (const stored of this.#events) events.push(readEvent(runtimeId, events.at(-1) ?? journalStart, stored));
    return events;
  }

  statusOf({ name, id }: LaterActor): string {
    const row = this.#rows.actors.find((actor) => actor.id === id && actor.name === name);
    if (row === undefined) throw new EvidenceChainError('row', `${name}: missing`);
    return row.status;
  }

  /** How many actors the rows speak of. */
  get actors(): number {
    return this.#rows.actors.length;
  }

  /** True if the bytes of a stored file are in the bundle. */
  holds(contentId: string): boolean {
    return this.#bundle.index.has(objectPathOf(contentId));
  }

  /** The first listed file that nothing asked for; null where everything in the bundle belongs to the runtime. */
  get unread(): string | null {
    for (const { path } of this.#manifest.files) {
      const contentId = objectAt(path);
      if (contentId === null ? !beside.includes(path) : !this.#asked.has(contentId)) return path;
    }
    return null;
  }

  async #object(contentId: string, most: number): Promise<Uint8Array | ContentFault> {
    this.#asked.add(contentId);
    const entry = this.#bundle.index.get(objectPathOf(contentId));
    if (entry === undefined) return 'missing';
    return entry.bytes > most ? 'size' : readEntry(this.#bundle.file, entry);
  }

  async #head(contentId: string, headBytes: number): Promise<VerifiedHead | ContentFault> {
    this.#asked.add(contentId);
    const entry = this.#bundle.index.get(objectPathOf(contentId));
    if (entry === undefined) return 'missing';
    const begin = { ...entry, bytes: Math.min(entry.bytes, headBytes) };
    return { bytes: entry.bytes, head: await readEntry(this.#bundle.file, begin) };
  }

  /** The length of the media: that of its bytes, or the one that is stated where the bundle is without them. */
  #mediaBytes(contentId: string): number | ContentFault {
    this.#asked.add(contentId);
    const entry = this.#bundle.index.get(objectPathOf(contentId));
    if (entry !== undefined) return entry.bytes;
    const { media } = this.#manifest;
    return !media.included && media.contentId === contentId ? media.bytes : 'missing';
  }
}

/** The lines of a journal, each with its newline taken off. Throws `EvidenceChainError` of the bundle. */
function linesOf(journal: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < journal.length; ) {
    const end = journal.indexOf(0x0a, from);
    if (end === -1) throw fault(`${bundlePaths.journal}: event ${lines.length + 1} is cut`);
    lines.push(journal.subarray(from, end));
    from = end + 1;
  }
  return lines;
}
