import type { z } from 'zod';
import { type IngestBasis, type IngestDefinitionOptions, isHeldByLive } from '../../actors/ingest/ingest-definition.ts';
import { type FollowedIngests, IngestService } from '../../actors/ingest/ingest-service.ts';
import type { PageRequest } from '../../actors/supervision/reads.ts';
import type { Clock } from '../../contract/base/clock.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { requestFault, requestWords } from '../../contract/base/request-fault.ts';
import { failureCauseOf } from '../../contract/causes/stored-failures.ts';
import {
  type VideohostIngestList,
  type VideohostIngestRow,
  type VideohostIngestStatus,
  videohostIngestFields,
  videohostIngestRequest,
} from '../../contract/ingest.ts';
import type { VideoFetching } from './downloader.ts';
import {
  maximumDownloadBytes,
  VideohostIngestEffects,
  type VideohostIngestRowInput,
  videohostIngestDefinition,
  videohostIngestInput,
} from './ingest-actor.ts';
import type { VideoHosts } from './known-hosts.ts';

interface VideohostIngestsOptions {
  readonly service: IngestService;
  readonly hosts: VideoHosts;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly maximumRangeMs: () => number;
}

/** The service behind `/v1/videohost-local-ingests`: opens ingests and reads their status. */
export class VideohostIngests {
  readonly #options: VideohostIngestsOptions;

  constructor(options: VideohostIngestsOptions) {
    this.#options = options;
  }

  /** Opens an ingest; resolves when it is on disk. Checks the fields in the order of the contract. */
  async open(body: unknown): Promise<VideohostIngestStatus> {
    const { service, clock, newId } = this.#options;
    const asked = this.#checked(body);
    const ingestId = `videohost-ingest:${newId()}`;
    const now = clock.now();
    const input: VideohostIngestRowInput = {
      ingestId,
      ...asked,
      confirmedAt: new Date(now).toISOString(),
    };
    await service.open(ingestId, input, { bytes: maximumDownloadBytes, openedAt: now });
    return this.status(ingestId);
  }

  status(ingestId: string): VideohostIngestStatus {
    const { status, ...rest } = this.#options.service.state(ingestId);
    return {
      schema: 'studio.videohost-local-ingest.v1',
      ingestId,
      status: status as VideohostIngestStatus['status'],
      ...rest,
    };
  }

  /** A page of all video-host ingests, newest first. Throws `invalid_cursor`. */
  async list(request: PageRequest): Promise<VideohostIngestList> {
    const { rows, ...page } = await this.#options.service.page(request, (ingestId) => this.#listed(ingestId));
    return { schema: 'studio.videohost-local-ingests.v1', ingests: rows, ...page };
  }

  #listed(ingestId: string): VideohostIngestRow {
    const { schema: _, ...status } = this.status(ingestId);
    const { url, range, confirmedAt } = videohostIngestInput.parse(this.#options.service.row(ingestId).input);
    const cause = status.failure === null ? null : failureCauseOf(status.failure, 'video');
    return { ...status, openedAt: confirmedAt, url, range, cause };
  }

  /** Calls back after each commit of an ingest, until the returned function is called. */
  watch(ingestId: string, listener: () => void): () => void {
    return this.#options.service.watch(ingestId, listener);
  }

  /** Cancels an ingest that has not ended. */
  async cancel(ingestId: string): Promise<VideohostIngestStatus> {
    await this.#options.service.cancel(ingestId);
    return this.status(ingestId);
  }

  #checked(body: unknown): Pick<VideohostIngestRowInput, 'url' | 'range'> {
    const { hosts, maximumRangeMs } = this.#options;
    const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    for (const [name, schema] of Object.entries(videohostIngestFields)) {
      const checked = schema.safeParse(fields[name], requestWords);
      if (!checked.success) throw malformed(name, fields, checked.error.issues[0]);
      if (name === 'endMs') refuseRange(Number(fields.startMs), Number(checked.data), maximumRangeMs());
    }
    const address = hosts.addressOf(String(fields.url));
    if ('refused' in address) throw refused('url', address.refused);
    const request = videohostIngestRequest.safeParse(body, requestWords);
    if (!request.success) throw malformed('body', fields, request.error.issues[0]);
    const { startMs, endMs } = request.data;
    return { url: address.url, range: { startMs, endMs } };
  }
}

const refused = (place: string, message: string) => new ServiceError('invalid_ingest_request', `${place}: ${message}`);

function malformed(place: string, fields: object, issue: z.core.$ZodIssue | undefined): ServiceError {
  if (place === 'localProcessingConfirmed')
    return new ServiceError('invalid_rights_attestation', 'localProcessingConfirmed must be true');
  const path = place === 'body' ? [] : [place];
  const fault = issue === undefined ? undefined : { ...issue, path };
  return new ServiceError('invalid_ingest_request', requestFault(videohostIngestRequest, fields, fault));
}

function refuseRange(startMs: number, endMs: number, maximumMs: number): void {
  if (startMs >= endMs) throw refused('endMs', 'must be above startMs');
  if (endMs - startMs > maximumMs) {
    throw new ServiceError('ingest_range_too_large', `this host takes at most ${maximumMs} ms of a video`);
  }
}

interface OpenVideohostIngestsOptions extends IngestBasis {
  readonly hosts: VideoHosts;
  readonly fetching: VideoFetching | null;
  readonly remark: string | null;
  readonly workFolder: string;
  readonly maximumRangeMs: () => number;
}

/** Puts the parts of video-host ingests together and registers their kind with the supervisor. */
export function openVideohostIngests(options: OpenVideohostIngestsOptions): VideohostIngests {
  const { supervisor, sealing, unused } = options;
  const effects = new VideohostIngestEffects({ ...options, isLive: (ingestId) => supervisor.isLive(ingestId) });
  const seal: IngestDefinitionOptions['seal'] = (input, signal) => effects.seal(input, signal);
  const definition = videohostIngestDefinition({ ...options, effects, seal });
  supervisor.register(definition);
  unused.heldBy((contentId) => effects.holds(contentId));
  unused.heldBy(isHeldByLive(supervisor, sealing, definition.name));
  const service = new IngestService({ ...options, definition });
  return new VideohostIngests({ ...options, service });
}

/** The ingests of video hosts without a yt-dlp that works and is safe here. */
export interface VideohostsOff {
  /** Why, in words for clients. */
  readonly whyOff: string;
}

/** The refusal of what is asked of them. */
export const videohostsOff = ({ whyOff }: VideohostsOff) =>
  ({ code: 'videohost_local_ingest_unavailable', message: `video hosts are off: ${whyOff}` }) as const;

/** The ingests as streams follow them. */
export const followedIngests = (ingests: VideohostIngests | VideohostsOff): FollowedIngests =>
  'whyOff' in ingests
    ? {
        status: () => {
          const { code, message } = videohostsOff(ingests);
          throw new ServiceError(code, message);
        },
        watch: () => () => undefined,
      }
    : ingests;
