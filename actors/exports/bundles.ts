import { ServiceError, StorageUnavailable } from '../../contract/base/errors.ts';
import type { ByteReader } from '../../contract/base/stored-object.ts';
import type { BundleManifest, SigningKeys } from '../../contract/exports.ts';
import type { SourceFile } from '../../contract/sources/source-session.ts';
import { hasEnded } from '../../contract/study/status.ts';
import { contentIdOfBytes, storedBytes } from '../../formats/canonical-json.ts';
import { ArchiveBytes, type ArchivePart, maximumEntryBytes } from '../../formats/tar.ts';
import { EvidenceChainError } from '../../receipts/evidence-chain.ts';
import {
  bundlePaths,
  bundleSchemasWith,
  inPathOrder,
  objectPathOf,
  signedManifest,
  sigstoreOf,
} from '../../receipts/exports/bundle.ts';
import { bundledCaptionsOf } from '../../receipts/exports/signed-captions.ts';
import type { StoredRuntime } from '../../receipts/fold.ts';
import { maximumRecordBytes } from '../../receipts/sources/reopen-source.ts';
import { registeredSourceOf } from '../../receipts/sources/source-session.ts';
import type { StoredJournalHead } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { type SigningKey, SigningKeyError } from '../../storage/signing-key.ts';
import { systemRefusal } from '../../storage/system-refusal.ts';
import type { HostBasis } from '../host-basis.ts';
import { ReadObjects } from '../reopening/read-objects.ts';
import { laterActorsOf, readJournalOf, readStoredRuntime } from '../reopening/stored-runtime.ts';
import type { Verified } from '../reopening/verified-runtimes.ts';
import { statusOfRow } from '../reopening/verify-runtime.ts';
import { mediaOf, openMedia, pathOf } from '../sources/source-files.ts';
import { sourceChanged } from '../sources/source-records.ts';
import { deletedRuntimeError } from '../supervision/deletion-rows.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import { type BundledRows, bundledRows } from './bundle-store.ts';

const pageEvents = 200;
/** Each try loses against a commit of the same runtime; these come seconds apart. */
const tries = 8;

// The same for every bundle of a process.
let schemas: Promise<Buffer> | null = null;

interface BundlesOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'runtimes'> {
  /** Opens the signing key, and makes it if there is none. Throws `SigningKeyError`. */
  readonly openKey: () => Promise<SigningKey>;
}

/** A bundle that is written nowhere. The caller closes the reader. */
interface OpenedBundle {
  readonly reader: ByteReader;
  /** The digest of its signed envelope, from which every byte of it follows. */
  readonly signatureContentId: string;
}

/**
 * A stored file of a bundle, read whole and hashed when its turn comes, and dropped behind its last byte. So a slow reader holds
 * one file and not all of them. `read` rejects with `ObjectStoreError` if the file was deleted or damaged meanwhile.
 */
class StoredPart implements ByteReader {
  readonly contentId: string;
  readonly bytes: number;
  readonly #readWhole: () => Promise<Buffer>;
  #content: Promise<Buffer> | null = null;

  constructor(objectStore: ObjectStore, file: SourceFile, bytes: number) {
    this.contentId = file.contentId;
    this.bytes = bytes;
    this.#readWhole = () => objectStore.readFile(pathOf(objectStore, file), file.contentId, maximumRecordBytes);
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    this.#content ??= this.#readWhole();
    const part = (await this.#content).subarray(position, position + target.length);
    target.set(part);
    if (position + part.length === this.bytes) this.#content = null;
    return part.length;
  }

  isUnchanged(): boolean {
    return true;
  }

  close(): void {
    this.#content = null;
  }
}

/** A runtime and its rows as they were at one moment. */
interface Consistent {
  readonly verified: Verified;
  readonly rows: BundledRows;
}

/** The service behind whole runtimes as files: what they rest on and left behind, signed. */
export class Bundles {
  readonly #options: BundlesOptions;
  #key: Promise<SigningKey> | null = null;

  constructor(options: BundlesOptions) {
    this.#options = options;
  }

  /** The keys that bundles are signed with. Throws `signing_key_unusable`. */
  async keys(): Promise<SigningKeys> {
    const { keyId, publicKey } = await this.#openedKey();
    return { schema: 'studio.signing-keys.v1', keys: [{ keyId, algorithm: 'ed25519', publicKey }] };
  }

  /**
   * An ended runtime as one archive; the same runtime gives the same bytes. Throws `unknown_runtime`, `runtime_deleted`,
   * `stored_content_inconsistent`, and `export_unavailable` before the end of the study. Throws `source_revalidation_failed` if
   * the media is requested and has changed, and `signing_key_unusable`.
   */
  async open(runtimeId: string, options: { readonly media: boolean }): Promise<OpenedBundle> {
    try {
      return await this.#opened(runtimeId, options);
    } catch (error) {
      // A runtime that was deleted during the read is not damaged.
      throw deletedRuntimeError(this.#options.ledger, runtimeId) ?? error;
    }
  }

  async #opened(runtimeId: string, options: { readonly media: boolean }): Promise<OpenedBundle> {
    const { verified, rows } = await this.#consistent(runtimeId);
    const { head } = verified;
    const session = verified.runtime.source.registered.session;
    const { contentId, bytes } = session.source;
    if (options.media && bytes > maximumEntryBytes) {
      throw new ServiceError('export_unavailable', 'media of 8 GiB or more does not fit into a bundle');
    }
    const key = await this.#openedKey();
    schemas ??= new TimeSlices().run(bundleSchemasWith(bundledRows));
    const captions = await new TimeSlices().run(bundledCaptionsOf(verified.runtime));
    const made = [
      ...(captions === null ? [] : [{ name: bundlePaths.captions, content: storedBytes(captions) }]),
      { name: bundlePaths.journal, content: await this.#journal(runtimeId, head) },
      { name: bundlePaths.rows, content: storedBytes(rows) },
      { name: bundlePaths.schemas, content: await schemas },
    ].map(({ name, content }) => ({ name, content, contentId: contentIdOfBytes(content), bytes: content.length }));
    const stored = (await this.#objects(verified, contentId)).map((content) => ({
      name: objectPathOf(content.contentId),
      content,
      contentId: content.contentId,
      bytes: content.bytes,
    }));
    const records = [...made, ...stored];
    const listed = records.map(({ name, contentId, bytes }) => ({ path: name, contentId, bytes }));
    const media = { path: objectPathOf(contentId), contentId, bytes };
    const manifest: BundleManifest = {
      schema: 'studio.runtime-bundle.v1',
      runtimeId,
      journalHead: head,
      media: { contentId, bytes, included: options.media },
      files: [...listed, ...(options.media ? [media] : [])].sort(inPathOrder),
    };
    const envelope = signedManifest(manifest, key);
    const contents = new Map<string, Uint8Array | ByteReader>(records.map(({ name, content }) => [name, content]));
    if (options.media) contents.set(media.path, await this.#media(verified));
    const parts: ArchivePart[] = [
      { name: bundlePaths.manifest, content: storedBytes(manifest) },
      { name: bundlePaths.signature, content: envelope },
      { name: bundlePaths.publicKey, content: Buffer.from(key.publicKey, 'utf8') },
      { name: bundlePaths.sigstore, content: sigstoreOf(envelope) },
      ...manifest.files.flatMap(({ path }) => {
        const content = contents.get(path);
        return content === undefined ? [] : [{ name: path, content }];
      }),
    ];
    return { reader: new ArchiveBytes(parts), signatureContentId: contentIdOfBytes(envelope) };
  }

  /** The runtime and its rows, read again until no commit of it came in between. */
  async #consistent(runtimeId: string): Promise<Consistent> {
    const { ledger, runtimes } = this.#options;
    for (let tried = 0; tried < tries; tried += 1) {
      const verified = await runtimes.verified(runtimeId);
      const stored = await readStoredRuntime(ledger, runtimeId);
      if (stored === null) throw new ServiceError('unknown_runtime', 'no such runtime');
      if (!hasEnded(stored.lifecycle)) {
        throw new ServiceError('export_unavailable', 'the study has not ended, and a bundle holds a whole one');
      }
      const rows = this.#rows(verified, stored);
      const { digest } = await readJournalOf(async () => ledger.journalHead(runtimeId));
      if (digest === verified.head.digest) return { verified, rows };
    }
    throw new ServiceError('export_unavailable', 'the runtime gained events whenever it was read');
  }

  #rows({ runtime }: Verified, { start, lifecycle, reason }: StoredRuntime): BundledRows {
    const actors = laterActorsOf(runtime).map(({ name, id }) => ({
      name,
      id,
      status: statusOfRow(this.#options.ledger, { name, id }),
    }));
    // The paths of the source's files on this machine are not part of the runtime.
    const source = registeredSourceOf(runtime.source.records, null);
    return { schema: 'studio.runtime-bundle-rows.v1', lifecycle, reason, start, source, actors };
  }

  /** The journal, one event a line. */
  async #journal(runtimeId: string, { seq }: StoredJournalHead): Promise<Buffer> {
    const lines: Uint8Array[] = [];
    const newline = Buffer.from('\n');
    for (let after = 0; after < seq; ) {
      const wanted = Math.min(pageEvents, seq - after);
      const { events } = await readJournalOf(() => this.#options.ledger.journalPage(runtimeId, after, wanted));
      // The journal of a runtime that was deleted meanwhile is empty.
      if (events.length !== wanted) throw new EvidenceChainError('journal', 'head.seq');
      for (const event of events) lines.push(event, newline);
      after += events.length;
    }
    return Buffer.concat(lines);
  }

  /** Every file that the verification read, the media aside. */
  async #objects({ content }: Verified, mediaContentId: string): Promise<readonly StoredPart[]> {
    const { objectStore } = this.#options;
    const again = new ReadObjects(objectStore, () => undefined);
    const objects = new Map<string, StoredPart>();
    for (const file of content.files) {
      const { contentId } = file;
      if (contentId === mediaContentId || objects.has(contentId)) continue;
      const found = await again.verifiedLength(file);
      const bytes = typeof found === 'number' && found > maximumRecordBytes ? 'size' : found;
      if (typeof bytes === 'string') throw new EvidenceChainError('bundle', bytes, undefined, contentId);
      objects.set(contentId, new StoredPart(objectStore, file, bytes));
    }
    return [...objects.values()];
  }

  async #media({ runtime, stored }: Verified): Promise<ByteReader> {
    const reader = await openMedia(this.#options.objectStore, stored.source);
    if (reader === null) throw sourceChanged();
    if (reader.bytes === mediaOf(runtime.source.registered).bytes) return reader;
    reader.close();
    throw sourceChanged();
  }

  /** The first request makes the key, once; one that could not be used is looked at again. */
  async #openedKey(): Promise<SigningKey> {
    this.#key ??= this.#options.openKey();
    try {
      return await this.#key;
    } catch (error) {
      this.#key = null;
      if (!(error instanceof SigningKeyError)) throw error;
      if (systemRefusal(error) === 'storage_descriptors_exhausted') throw new StorageUnavailable(error);
      throw new ServiceError('signing_key_unusable', `the signing key of the data root: ${error.message}`);
    }
  }
}
