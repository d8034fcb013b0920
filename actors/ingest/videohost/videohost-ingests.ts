import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Clock } from '../../../contract/base/clock.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { requestFault, requestWords } from '../../../contract/base/request-fault.ts';
import { failureCauseOf } from '../../../contract/causes/stored-failures.ts';
import {
  type VideohostIngestList,
  type VideohostIngestRow,
  type VideohostIngestStatus,
  videohostIngestFields,
  videohostIngestRequest,
} from '../../../contract/ingest.ts';
import type { SandboxedLauncher } from '../../../executors/process/launcher.ts';
import type { ResolvedTool } from '../../../executors/process/tools.ts';
import { lookupAddresses } from '../../../executors/videohost/video-host.ts';
import type { PageRequest } from '../../supervision/reads.ts';
import { WorkQueue } from '../../supervision/work-queue.ts';
import { type IngestBasis, type IngestDefinitionOptions, isHeldByLive } from '../ingest-definition.ts';
import { IngestService } from '../ingest-service.ts';
import { ageNote, type VideoFetching, VideoHosts, type VideoHostsOptions, videoFetching } from './video-hosts.ts';
import {
  maximumDownloadBytes,
  VideohostIngestEffects,
  type VideohostIngestRowInput,
  videohostIngestDefinition,
  videohostIngestInput,
} from './videohost-ingest-definition.ts';

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

/** From this version on, an address cannot tell yt-dlp to leave the proxy out (CVE-2023-46121). */
const firstSteadfastVersion = '2023.11.14';

/** The facts that decide which video hosts a start may offer. */
interface DownloaderReach {
  /** Null if there is none, or none that is safe here. */
  readonly ytdlp: ResolvedTool | null;
  /** The reason why there is none, in words for clients; null if there is one. */
  readonly whyOff: string | null;
  readonly openOrigin: string | null;
  /** Lines for people: what is refused, why, and what mends it. */
  readonly refusals: readonly string[];
}

/**
 * Refuses whatever could reach past the proxy. In a network of its own a downloader reaches nothing else, whatever its arguments
 * are. In the machine's network an address can steer an old version, and any page can steer generic extraction.
 */
export function downloaderReach(
  { ytdlp, openOrigin }: Pick<DownloaderReach, 'ytdlp' | 'openOrigin'>,
  ownNetwork: boolean,
): DownloaderReach {
  const missing = ytdlp === null ? 'no yt-dlp answers on this machine' : null;
  if (ownNetwork) return { ytdlp, whyOff: missing, openOrigin, refusals: [] };
  const unsafe = ytdlp === null ? null : whyUnsafe(ytdlp);
  const refusals = [
    ...(unsafe === null ? [] : [`video hosts are off: ${unsafe}; install yt-dlp ${firstSteadfastVersion} or newer`]),
    ...(openOrigin === null
      ? []
      : [
          `${openOrigin} is refused as a video host: generic extraction can be led past the host's proxy, and this machine gives yt-dlp no isolated network`,
        ]),
    ...(ytdlp === null || unsafe !== null
      ? []
      : ['video hosts: playlists (HLS) are refused, because this machine gives ffmpeg no network of its own']),
  ];
  return { ytdlp: unsafe === null ? ytdlp : null, whyOff: missing ?? unsafe, openOrigin: null, refusals };
}

/** Why a version must not be used in the machine's network; null where it may. */
function whyUnsafe({ identity: { version } }: ResolvedTool): string | null {
  if (version.slice(0, firstSteadfastVersion.length) >= firstSteadfastVersion) return null;
  return `yt-dlp ${version} can be led past the host's proxy, and this machine gives it no network of its own`;
}

/** The settings of a host for video hosts. */
export interface VideohostSettings extends VideoHostsOptions {
  /** How many ranges are fetched at once. */
  readonly workers: number;
}

type Supplied = 'queue' | 'hosts' | 'fetching' | 'remark';

interface VideohostServiceOptions extends Omit<OpenVideohostIngestsOptions, Supplied> {
  readonly settings: VideohostSettings;
  readonly launcher: SandboxedLauncher;
  readonly tools: {
    readonly ytdlp: ResolvedTool | null;
    readonly ffmpeg: ResolvedTool;
    readonly ffprobe: ResolvedTool;
  };
  /** Gives a waiting ingest its worker. */
  readonly grant: (ingestId: string) => void;
  readonly report: (line: string) => void;
}

/** The ingests of video hosts without a yt-dlp that works and is safe here. */
export interface VideohostsOff {
  /** Why, in words for clients. */
  readonly whyOff: string;
}

export interface VideohostService {
  readonly ingests: VideohostIngests | VideohostsOff;
  /** Lets waiting ingests start; without a downloader they go on waiting, for a host that has one. */
  begin(): void;
  readonly queue: WorkQueue;
}

/** Opens the ingests of video hosts with the downloader of this machine, if there is one. */
export function videohostService(options: VideohostServiceOptions): VideohostService {
  const { settings, launcher, tools, clock, grant, report } = options;
  const { ffmpeg, ffprobe } = tools;
  const ownNetwork = launcher.sandbox.network === 'own';
  const asked = { ytdlp: tools.ytdlp, openOrigin: settings.openOrigin };
  const { ytdlp, whyOff, openOrigin, refusals } = downloaderReach(asked, ownNetwork);
  for (const line of refusals) report(line);
  const newSecret = () => randomBytes(32).toString('hex');
  const deps = { launcher, ffmpeg, ffprobe, lookup: lookupAddresses, openOrigin, ownNetwork, newSecret };
  const remark = ytdlp === null ? null : ageNote(ytdlp.identity, clock.now());
  if (remark !== null) report(remark);
  const queue = new WorkQueue(settings.workers, grant);
  const ingests = openVideohostIngests({
    ...options,
    queue,
    hosts: new VideoHosts({ ...settings, openOrigin }),
    fetching: ytdlp === null ? null : videoFetching({ ...deps, ytdlp }),
    remark,
  });
  return whyOff === null
    ? { ingests, begin: () => queue.open(), queue }
    : { ingests: { whyOff }, begin: () => undefined, queue };
}
