import { ServiceError } from '../../contract/base/errors.ts';
import type { ByteReader } from '../../contract/base/stored-object.ts';
import {
  type PlaybackGrant,
  type PlaybackGrantRequest,
  type PlaybackMimeType,
  type PlaybackRenewed,
  type PlaybackRevoked,
  privateSourceMediaPath,
} from '../../contract/playback.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { RuntimeStart } from '../../contract/study/start.ts';
import { reopenRuntimeStart } from '../../receipts/study/start.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../storage/objects/object-store-error.ts';
import { isPassingFault } from '../../storage/patience.ts';
import { studyKey, studyRow } from '../reopening/study-row.ts';
import { openKnownMedia, openMedia, recordsAreIntact, sourceIsIntact } from '../sources/source-files.ts';
import { readMediaProbe, sourceChanged } from '../sources/source-records.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import { isRowOf } from '../supervision/actor-row.ts';
import { absentRuntime } from '../supervision/deletion-rows.ts';
import { readStored } from '../supervision/reads.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { PlaybackGrants } from './playback-grants.ts';

const isoNames = ['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2'];
const matroskaNames = ['matroska', 'webm'];

/** Containers of sound; with a video track no browser has a type for them. */
const soundOnly: ReadonlyMap<string, PlaybackMimeType> = new Map([
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
]);

/**
 * The media type of a measured container, or null for one without a known browser type. Cover art does not count as a video
 * track, neither here nor in the probe.
 */
export function playbackMimeTypeOf({
  container,
  tracks,
}: Pick<MediaProbe, 'container' | 'tracks'>): PlaybackMimeType | null {
  const hasVideo = tracks.some(({ type }) => type === 'video');
  const holdsOnly = (names: readonly string[]): boolean => container.every((name) => names.includes(name));
  if (holdsOnly(isoNames)) return hasVideo ? 'video/mp4' : 'audio/mp4';
  if (holdsOnly(matroskaNames)) {
    if (!container.includes('webm')) return null;
    return hasVideo ? 'video/webm' : 'audio/webm';
  }
  if (holdsOnly(['ogg'])) return hasVideo ? 'video/ogg' : 'audio/ogg';
  const [only = '', ...more] = container;
  return hasVideo || more.length > 0 ? null : (soundOnly.get(only) ?? null);
}

/** Far above any run-start record. */
const maximumStartBytes = 1024 * 1024;

interface PrivatePlaybackOptions {
  readonly grants: PlaybackGrants;
  readonly supervisor: Pick<Supervisor, 'read'>;
  readonly registry: Pick<SourceRegistry, 'revision'>;
  readonly ledger: Pick<Ledger, 'get'>;
  readonly objectStore: ObjectStore;
}

/** The media of a granted source, opened. The caller closes the reader. */
export interface PlayableMedia {
  readonly contentId: string;
  readonly mimeType: PlaybackMimeType;
  readonly reader: ByteReader;
  /** Calls back when the grant ends, until the returned function is called. */
  readonly onEnd: (listener: () => void) => () => void;
}

/** The service behind playback grants: who may read the source of a runtime, and its bytes. Nothing is journaled. */
export class PrivatePlayback {
  readonly #options: PrivatePlaybackOptions;

  constructor(options: PrivatePlaybackOptions) {
    this.#options = options;
  }

  /** Grants the pages of an origin to read the source of a runtime. */
  async grant(runtimeId: string, request: PlaybackGrantRequest, origin: string): Promise<PlaybackGrant> {
    const { sourceSession: session, sourceArtifactId } = await this.#start(runtimeId);
    const { revisionId, artifactId, contentId } = request.source;
    const isSame =
      revisionId === session.revisionId && artifactId === sourceArtifactId && contentId === session.source.contentId;
    if (!isSame) {
      throw new ServiceError('private_playback_source_mismatch', 'the runtime was started over another source');
    }
    const source = this.#options.registry.revision(revisionId);
    if (source === undefined || !(await sourceIsIntact(this.#options.objectStore, source))) throw sourceChanged();
    const mimeType = await this.#mimeType(source);
    // It may have been deleted while the files were looked at, which takes long for those that are hashed first.
    this.#demandRuntime(runtimeId);
    const issued = this.#options.grants.issue({ runtimeId, origin, revisionId, contentId, mimeType });
    return {
      schema: 'studio.private-playback-grant.v1',
      grantId: issued.grantId,
      runtimeId,
      source: {
        sessionId: session.sessionId,
        revisionId,
        artifactId,
        contentId,
        bytes: session.source.bytes,
        durationMs: session.source.durationMs,
      },
      mimeType,
      timestampOrigin: { kind: 'source_media_zero', offsetMs: 0 },
      mediaPath: `${privateSourceMediaPath}/${encodeURIComponent(issued.grantId)}/${issued.secret}`,
      issuedAt: new Date(issued.issuedAtMs).toISOString(),
      expiresAt: new Date(issued.expiresAtMs).toISOString(),
    };
  }

  /** Lets a grant last longer, for pages of its own origin. */
  renew(runtimeId: string, grantId: string, origin: string): PlaybackRenewed {
    this.#demandRuntime(runtimeId);
    const { expiresAtMs, renewableUntilMs } = this.#options.grants.renew(grantId, runtimeId, origin);
    return {
      schema: 'studio.private-playback-grant-renewed.v1',
      grantId,
      runtimeId,
      expiresAt: new Date(expiresAtMs).toISOString(),
      renewableUntil: new Date(renewableUntilMs).toISOString(),
    };
  }

  /** Ends a grant before its time, and with it every stream that it allowed. */
  revoke(runtimeId: string, grantId: string): PlaybackRevoked {
    this.#demandRuntime(runtimeId);
    return {
      schema: 'studio.private-playback-grant-revoked.v1',
      grantId,
      runtimeId,
      state: 'revoked',
      revokedAt: new Date(this.#options.grants.revoke(grantId, runtimeId)).toISOString(),
    };
  }

  /** Opens the media for a page of this origin. Throws what is wrong with the grant, then with the source. */
  async open(grantId: string, secret: string, origin: string): Promise<PlayableMedia> {
    const { grants, registry, objectStore } = this.#options;
    const { revisionId, contentId, mimeType } = grants.demand(grantId, secret, origin);
    const source = registry.revision(revisionId);
    if (source === undefined) throw sourceChanged();
    const reader = openKnownMedia(objectStore, source) ?? (await this.#verifiedMedia(source));
    try {
      // The grant may have ended while the files were looked at.
      grants.demandActive(grantId);
    } catch (error) {
      reader.close();
      throw error;
    }
    return { contentId, mimeType, reader, onEnd: (listener) => grants.onEnd(grantId, listener) };
  }

  async #verifiedMedia(source: RegisteredSource): Promise<ByteReader> {
    const { objectStore } = this.#options;
    if (!(await recordsAreIntact(objectStore, source))) throw sourceChanged();
    const reader = await openMedia(objectStore, source);
    if (reader === null) throw sourceChanged();
    return reader;
  }

  /** Ends every grant of a runtime that is deleted, and with them every stream. */
  deleted(runtimeId: string): void {
    this.#options.grants.endOf(runtimeId);
  }

  /** Ends every grant. */
  close(): void {
    this.#options.grants.close();
  }

  /** The start of a runtime, reopened from its stored receipt. */
  async #start(runtimeId: string): Promise<RuntimeStart> {
    this.#demandRuntime(runtimeId);
    const { ledger, objectStore } = this.#options;
    const row = readStored(() => ledger.get('record', studyKey(runtimeId)));
    if (row === undefined) throw noStart();
    const { receiptContentId } = readStored(() => studyRow.parse(row));
    try {
      return reopenRuntimeStart(await objectStore.read(receiptContentId, maximumStartBytes));
    } catch (error) {
      if (!(error instanceof ObjectStoreError) || isPassingFault(error)) throw error;
      if (error.code === 'object_missing') throw noStart();
      throw new ServiceError('stored_content_inconsistent', 'the stored start receipt of the runtime is damaged');
    }
  }

  #demandRuntime(runtimeId: string): void {
    const row = readStored(() => this.#options.supervisor.read(runtimeId));
    if (!isRowOf(row, 'runtime')) throw absentRuntime(this.#options.ledger, runtimeId);
  }

  async #mimeType(source: RegisteredSource): Promise<PlaybackMimeType> {
    const type = playbackMimeTypeOf(await readMediaProbe(this.#options.objectStore, source));
    if (type === null) {
      throw new ServiceError('private_playback_mime_unsupported', 'no browser type is known for this container');
    }
    return type;
  }
}

const noStart = () =>
  new ServiceError('private_playback_source_unavailable', 'the runtime has no start receipt that names its source');
