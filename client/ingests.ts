import type {
  OwnedIngestList,
  OwnedIngestRequest,
  OwnedIngestStatus,
  VideohostIngestList,
  VideohostIngestRequest,
  VideohostIngestStatus,
} from '../contract/ingest.ts';
import type { WorkProgress } from '../contract/operation.ts';
import type { SourceSessionRow } from '../contract/sources/source-session.ts';
import { lookedAtBytes, notMedia } from '../formats/first-bytes.ts';
import { followedSignals, onAbort } from '../formats/followed-signal.ts';
import {
  AnswerLate,
  HostError,
  HostSilent,
  HostUnreachable,
  IngestFailed,
  MediaUnreadable,
  NotMedia,
} from './host-error.ts';
import type { Streams } from './streams.ts';
import { encodedPath, type ListOptions, pause, queryOf, type Transport } from './transport.ts';

/** The media to ingest: a path (in Node), or a file or blob (in Node and in browsers). */
export type Media = string | Blob;

interface OpenedMedia {
  readonly blob: Blob;
  /** The name of a file; null for a blob that has none. */
  readonly filename: string | null;
}

/** Opens media without reading it. Rejects with the error of the file system, and for a path that is not a regular file. */
export async function mediaAsBlob(media: Media): Promise<OpenedMedia> {
  if (typeof media === 'string') {
    // Loaded here, so that pages can load the client.
    const [{ constants, openAsBlob, promises }, { basename }] = await Promise.all([
      import('node:fs'),
      import('node:path'),
    ]);
    // A folder, and a file of another user, open as a blob as well, and fail only when they are sent.
    if (!(await promises.stat(media)).isFile()) throw new TypeError(`${media} is not a regular file`);
    await promises.access(media, constants.R_OK);
    return { blob: await openAsBlob(media), filename: basename(media) };
  }
  const name = 'name' in media && typeof media.name === 'string' ? media.name : null;
  return { blob: media, filename: name };
}

/** How much of a file has arrived, in bytes. */
export interface UploadProgress {
  readonly sent: number;
  readonly total: number;
}

interface UploadOptions {
  /** Called when the upload begins, goes on after a break, and behind each part. */
  readonly onUpload?: ((progress: UploadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** So many bytes are sent at once: what is lost when the connection breaks. */
const partBytes = 8 * 1024 * 1024;
const pauseMs = 250;
/** So often in a row the offset may turn out to be another one, as it does when the answer to a part was lost. */
const mostConflicts = 5;

const tus = { 'Tus-Resumable': '1.0.0' };
/** The host has the media already, or its ingest has ended: the status of the ingest shows which. */
const isOver = (error: unknown): boolean =>
  error instanceof HostError && (error.code === 'ingest_upload_conflict' || error.status === 410);

/** A request whose file cannot be read fails like one that no host answers; this tells the two apart. Throws `MediaUnreadable`. */
async function requireReadable(blob: Blob, offset: number): Promise<void> {
  await blob
    .slice(offset, offset + 1)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw new MediaUnreadable(cause);
    });
}

/**
 * Sends a file to the upload of an ingest, in parts, and goes on from the host's offset after every break. Throws
 * `MediaUnreadable` if the file itself breaks.
 */
async function uploadFile(
  transport: Transport,
  path: string,
  blob: Blob,
  { onUpload, signal }: UploadOptions,
): Promise<void> {
  let offset = 0;
  for (let conflicts = 0; offset < blob.size; ) {
    onUpload?.({ sent: offset, total: blob.size });
    try {
      offset = offsetOf(
        await transport.head(path, {
          method: 'PATCH',
          headers: { ...tus, 'Upload-Offset': String(offset) },
          body: blob.slice(offset, offset + partBytes, 'application/offset+octet-stream'),
          signal,
        }),
      );
      conflicts = 0;
      continue;
    } catch (error) {
      if (isOver(error)) return;
      const isConflict = error instanceof HostError && error.code === 'upload_offset_conflict';
      if (isConflict) conflicts += 1;
      const isSilent = error instanceof HostSilent;
      const isGone = (error instanceof HostUnreachable && !isSilent) || error instanceof AnswerLate;
      const mayGoOn = isGone || (isConflict && conflicts < mostConflicts);
      if (signal?.aborted || !mayGoOn) throw error;
      await requireReadable(blob, offset);
    }
    await pause(pauseMs, signal);
    try {
      offset = offsetOf(await transport.head(path, { method: 'HEAD', headers: tus, signal }));
    } catch (error) {
      if (isOver(error)) return;
      throw error;
    }
  }
  onUpload?.({ sent: blob.size, total: blob.size });
}

function offsetOf(head: Headers): number {
  const text = head.get('Upload-Offset');
  if (text === null || !/^\d+$/.test(text)) throw new TypeError('the answer has no Upload-Offset');
  return Number(text);
}

export type IngestStatus = OwnedIngestStatus | VideohostIngestStatus;

export interface IngestOptions {
  /** Called with every state that was seen, in order. */
  readonly onProgress?: (status: IngestStatus) => void;
  /** Called with how far a step has come, such as the upload, where the host measures it. */
  readonly onMeasured?: (progress: WorkProgress) => void;
  readonly signal?: AbortSignal;
}

/** How a person answers for a file, and what it is called. */
export interface FileIngestOptions extends IngestOptions {
  readonly label: string;
  readonly rightsHolder: string;
  /** That the person may process this file; the host takes no other word. */
  readonly ownershipAttested: true;
  /** The name of the file with its extension; by default the one of the media. */
  readonly filename?: string;
  /** Called with how much of the file has arrived. */
  readonly onUpload?: (progress: UploadProgress) => void;
}

const pollMs = 250;
/** So long a call whose signal was aborted waits for the host, so that the host ends the ingest as well. */
const graceMs = 2_000;
const hasEnded = ({ status }: IngestStatus): boolean => status === 'registered' || status === 'failed';

/** Opens ingests and follows them to their source. */
export class Ingests {
  readonly #transport: Transport;
  readonly #streams: Streams;

  constructor(transport: Transport, streams: Streams) {
    this.#transport = transport;
    this.#streams = streams;
  }

  /**
   * Ingests a file. An upload that breaks, such as by a restart of the host, goes on where it broke. Throws `NotMedia` before
   * anything is sent, `IngestFailed`, and `MediaUnreadable` if the file changes meanwhile. That, a part that the host refuses and
   * an aborted signal cancel the ingest.
   */
  async file(media: Media, options: FileIngestOptions): Promise<SourceSessionRow> {
    const { label, rightsHolder, ownershipAttested, signal } = options;
    const { blob, filename } = await mediaAsBlob(media);
    const name = options.filename ?? filename;
    if (name === null) throw new TypeError('the media has no name: give filename with its extension');
    if (blob.size === 0) throw new NotMedia('empty');
    const what = notMedia(new Uint8Array(await blob.slice(0, lookedAtBytes).arrayBuffer()));
    if (what !== null) throw new NotMedia(what);
    const json: OwnedIngestRequest = {
      filename: name,
      declaredBytes: blob.size,
      rightsScope: 'local_processing',
      ownershipAttested,
      label,
      rightsHolder,
    };
    const opened = await this.#opened<OwnedIngestStatus>('/v1/owned-media-ingests', json, signal);
    const path = encodedPath`/v1/owned-media-ingests/${opened.ingestId}`;
    return this.#followed(path, opened, options, () => uploadFile(this.#transport, `${path}/upload`, blob, options));
  }

  /** Ingests a range of a video from its address. Throws `IngestFailed`; an aborted signal cancels the ingest. */
  async video(request: VideohostIngestRequest, options: IngestOptions = {}): Promise<SourceSessionRow> {
    const opened = await this.#opened<VideohostIngestStatus>('/v1/videohost-local-ingests', request, options.signal);
    return this.#followed(encodedPath`/v1/videohost-local-ingests/${opened.ingestId}`, opened, options);
  }

  owned(options: ListOptions): Promise<OwnedIngestList> {
    return this.#transport.json(`/v1/owned-media-ingests${queryOf({ ...options })}`);
  }

  videohost(options: ListOptions): Promise<VideohostIngestList> {
    return this.#transport.json(`/v1/videohost-local-ingests${queryOf({ ...options })}`);
  }

  /** Ends an ingest that has not ended. Refused with `ingest_already_terminal` for one that has. */
  cancel(ingestId: string): Promise<IngestStatus> {
    const path = ingestId.startsWith('owned-ingest:')
      ? encodedPath`/v1/owned-media-ingests/${ingestId}/cancellations`
      : encodedPath`/v1/videohost-local-ingests/${ingestId}/cancellations`;
    return this.#transport.json(path, { method: 'POST', json: {} });
  }

  /**
   * Opens an ingest. An aborted signal does not cut the request, because the host may have opened the ingest already. Only the
   * answer has the id that its cancellation needs.
   */
  async #opened<Status>(path: string, json: unknown, signal: AbortSignal | undefined): Promise<Status> {
    signal?.throwIfAborted();
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stopListening =
      signal &&
      onAbort(signal, () => {
        timer = setTimeout(() => stop.abort(signal.reason), graceMs);
      });
    try {
      return await this.#transport.json<Status>(path, { method: 'POST', json, signal: stop.signal });
    } finally {
      clearTimeout(timer);
      stopListening?.();
    }
  }

  async #followed(
    path: string,
    opened: IngestStatus,
    options: IngestOptions,
    work?: () => Promise<void>,
  ): Promise<SourceSessionRow> {
    const stop = new AbortController();
    const { signal, release } = followedSignals([options.signal, stop.signal]);
    let isSent = false;
    try {
      // Followed from the start, so that the upload is seen as well.
      const registered = this.#registered(path, opened, { ...options, signal });
      registered.catch(() => undefined);
      await work?.();
      isSent = true;
      return await registered;
    } catch (error) {
      // The missing bytes will not come any more.
      const isLost = error instanceof MediaUnreadable || (error instanceof HostError && !isSent);
      if (options.signal?.aborted || isLost) await this.#cancel(path);
      throw error;
    } finally {
      stop.abort(new Error('the ingest is not followed any more'));
      release();
    }
  }

  async #registered(path: string, opened: IngestStatus, options: IngestOptions): Promise<SourceSessionRow> {
    const { onProgress } = options;
    let said = '';
    for await (const status of this.#statuses(path, opened, options)) {
      if (status.status !== said) onProgress?.(status);
      said = status.status;
      if (status.source !== null) return status.source;
      if (hasEnded(status))
        throw new IngestFailed(
          status.ingestId,
          status.failure?.code ?? 'unknown',
          status.failure?.message ?? 'no reason was given',
        );
    }
    throw new Error('an ingest is followed to its end');
  }

  /** The states of an ingest as they come; a host without streams is polled. */
  async *#statuses(
    path: string,
    opened: IngestStatus,
    { onMeasured, signal }: IngestOptions,
  ): AsyncGenerator<IngestStatus, void> {
    yield opened;
    try {
      for await (const { event, data } of this.#streams.events({ ingests: [opened.ingestId], signal })) {
        if (event === 'ingest') yield data;
        else if (event === 'progress') onMeasured?.(data);
      }
    } catch (error) {
      if (!(error instanceof HostError && error.code === 'not_found')) throw error;
    }
    for (;;) {
      await pause(pollMs, signal);
      yield await this.#transport.json<IngestStatus>(path, { signal });
    }
  }

  /** Cancels an ingest. A host that is gone does not keep the caller waiting; the request is repeated for a while all the same. */
  async #cancel(path: string): Promise<void> {
    // It is the signal that was aborted.
    const call = { method: 'POST', json: {}, signal: null } as const;
    const canceled = this.#transport.json(`${path}/cancellations`, call).catch((error) => {
      // It has ended meanwhile, or its host is gone; either way the caller learns of the abort.
      const isKnown = [HostError, HostUnreachable, AnswerLate].some((each) => error instanceof each);
      if (!isKnown) throw error;
    });
    canceled.catch(() => undefined);
    const stop = new AbortController();
    const late = pause(graceMs, stop.signal).catch(() => undefined);
    await Promise.race([canceled, late]).finally(() => stop.abort());
  }
}
