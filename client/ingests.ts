import type { OwnedIngestList, OwnedIngestRequest, OwnedIngestStatus } from '../contract/ingest/owned-ingest.ts';
import type {
  VideohostIngestList,
  VideohostIngestRequest,
  VideohostIngestStatus,
} from '../contract/ingest/videohost-ingest.ts';
import type { WorkProgress } from '../contract/operation/work-progress.ts';
import type { SourceSessionRow } from '../contract/sources/source-session-list.ts';
import { lookedAtBytes, notMedia } from './first-bytes.ts';
import { AnswerLate, HostError, HostUnreachable, IngestFailed, MediaUnreadable, NotMedia } from './host-error.ts';
import { type Media, openMedia } from './media.ts';
import { type ListOptions, queryOf } from './pages.ts';
import type { Streams } from './streams.ts';
import { pathOf, pause, type Transport } from './transport.ts';
import { type UploadProgress, uploadFile } from './upload.ts';

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
  /** The name of the file with its extension; the one of the media where it has one. */
  readonly filename?: string;
  /** Called with how much of the file has arrived. */
  readonly onUpload?: (progress: UploadProgress) => void;
}

const pollMs = 250;
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
   * anything is sent, `IngestFailed`, and `MediaUnreadable` if the file changes meanwhile; that and an aborted signal cancel the
   * ingest.
   */
  async file(media: Media, options: FileIngestOptions): Promise<SourceSessionRow> {
    const { label, rightsHolder, ownershipAttested, signal } = options;
    const { blob, filename } = await openMedia(media);
    const name = options.filename ?? filename;
    if (name === null) throw new TypeError('the media has no name: give filename with its extension');
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
    const opened = await this.#transport.json<OwnedIngestStatus>('/v1/owned-media-ingests', {
      method: 'POST',
      json,
      signal,
    });
    const path = pathOf`/v1/owned-media-ingests/${opened.ingestId}`;
    return this.#followed(path, opened, options, () => uploadFile(this.#transport, `${path}/upload`, blob, options));
  }

  /** Ingests a range of a video from its address. Throws `IngestFailed`; an aborted signal cancels the ingest. */
  async video(request: VideohostIngestRequest, options: IngestOptions = {}): Promise<SourceSessionRow> {
    const call = { method: 'POST', json: request, signal: options.signal } as const;
    const opened = await this.#transport.json<VideohostIngestStatus>('/v1/videohost-local-ingests', call);
    return this.#followed(pathOf`/v1/videohost-local-ingests/${opened.ingestId}`, opened, options);
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
      ? pathOf`/v1/owned-media-ingests/${ingestId}/cancellations`
      : pathOf`/v1/videohost-local-ingests/${ingestId}/cancellations`;
    return this.#transport.json(path, { method: 'POST', json: {} });
  }

  async #followed(
    path: string,
    opened: IngestStatus,
    options: IngestOptions,
    work?: () => Promise<void>,
  ): Promise<SourceSessionRow> {
    const stop = new AbortController();
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    try {
      // Followed from the start, so that the upload is seen as well.
      const registered = this.#registered(path, opened, { ...options, signal });
      registered.catch(() => undefined);
      await work?.();
      return await registered;
    } catch (error) {
      // Nobody will send what is missing.
      if (options.signal?.aborted || error instanceof MediaUnreadable) await this.#cancel(path);
      throw error;
    } finally {
      stop.abort(new Error('the ingest is not followed any more'));
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

  /** The states of an ingest as they come; a host without streams is asked again and again. */
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

  async #cancel(path: string): Promise<void> {
    // It is the signal that was aborted.
    const call = { method: 'POST', json: {}, signal: null } as const;
    await this.#transport.json(`${path}/cancellations`, call).catch((error) => {
      // It has ended meanwhile, or its host is gone; either way the caller hears of the abort.
      const isKnown = [HostError, HostUnreachable, AnswerLate].some((each) => error instanceof each);
      if (!isKnown) throw error;
    });
  }
}
