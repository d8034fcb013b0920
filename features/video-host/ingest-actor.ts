import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StateValue } from 'xstate';
import { z } from 'zod';
import type { HostBasis } from '../../actors/host-basis.ts';
import {
  type IngestDefinitionOptions,
  ingestDefinition,
  ingestEffect,
  ingestPositionOf,
  tailEffectsOf,
} from '../../actors/ingest/ingest-definition.ts';
import type { IngestSealing } from '../../actors/ingest/ingest-sealing.ts';
import { ingestState } from '../../actors/ingest/ingest-service.ts';
import type { UnusedMedia } from '../../actors/sources/unused-media.ts';
import type { ActorDefinition, ChartPosition, Phase } from '../../actors/supervision/actor-definition.ts';
import { actorRow, type RowOf } from '../../actors/supervision/actor-row.ts';
import type { ProgressBoard } from '../../actors/supervision/progress-board.ts';
import { toolIdentity } from '../../contract/base/artifact.ts';
import { cutText, range, timestamp } from '../../contract/base/grammar.ts';
import { hostTextUnits, resolvedVideo } from '../../contract/sources/videohost-resolution.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import type { MediaInput } from '../../machines/ingest-tail.ts';
import { videohostIngestMigrations } from '../../machines/migrations.ts';
import {
  type DownloadOutcome,
  type VideohostIngestContext,
  type VideohostIngestInput,
  videohostIngestMachine,
  videohostIngestVersion,
} from '../../machines/videohost-ingest.ts';
import { sealVideohostIngest } from '../../receipts/sources/seal-source.ts';
import { workFolderName } from '../../storage/objects/leftovers.ts';
import { ObjectStoreError } from '../../storage/objects/object-store-error.ts';
import type { VideoFetching } from './downloader.ts';
import { VideoHostFailure } from './engine/video-host.ts';
import type { VideoAddress } from './engine/ytdlp-command.ts';
import type { VideoHosts } from './known-hosts.ts';

const messageUnits = 256;

/** The error of a step with its closed word first, and a remark behind it that is never cut off. */
function closedReason(error: unknown, remark: string | null): unknown {
  const systemCode = systemCodeOf(error);
  if (systemCode !== null) {
    return new Error(`storage_fault: the data root refused a file (${systemCode})`, { cause: error });
  }
  if (remark === null || !(error instanceof VideoHostFailure)) return error;
  const detail = error.message.slice(`${error.reason}: `.length);
  const room = messageUnits - `${error.reason}:  (${remark})`.length;
  return new VideoHostFailure(error.reason, `${cutText(detail, room)} (${remark})`, error);
}

/** The system's code in an error of the object store or of a call; null for any other error. */
function systemCodeOf(error: unknown): string | null {
  const refused = error instanceof ObjectStoreError ? error.cause : error;
  if (refused instanceof Error && 'syscall' in refused && 'code' in refused) return String(refused.code);
  return error instanceof ObjectStoreError ? error.code : null;
}

/** The input of an ingest; `confirmedAt` is UTC with milliseconds. */
export const videohostIngestInput = z.strictObject({
  ingestId: z.string(),
  url: z.string(),
  range,
  confirmedAt: timestamp,
});
export type VideohostIngestRowInput = z.infer<typeof videohostIngestInput>;

/** The result of resolving, for the steps after it. */
const resolvedRow = z.strictObject({ resolved: resolvedVideo, tool: toolIdentity, resolvedAt: timestamp });
const resolvedKey = (ingestId: string): string => `ingest/${ingestId}/resolved`;

/** The result of downloading, for the seal: the tools that fetched and cut. */
const downloadedRow = z.strictObject({ tools: z.array(toolIdentity) });
const downloadedKey = (ingestId: string): string => `ingest/${ingestId}/downloaded`;

/** The most that a download may take, and that has to be free before an ingest is opened. */
export const maximumDownloadBytes = 512 * 1024 * 1024;

const downloadWallMs = 10 * 60 * 1000;

/** The text of a host may be of any length; so much of it is kept. */
const kept = (text: string | null): string | null => (text === null ? null : cutText(text, hostTextUnits));

interface VideohostIngestEffectsOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'clock'> {
  readonly sealing: IngestSealing;
  readonly progress: Pick<ProgressBoard, 'note' | 'forget'>;
  readonly unused: UnusedMedia;
  readonly hosts: VideoHosts;
  /** Null while there is no downloader: what an earlier process had begun to fetch then fails. */
  readonly fetching: VideoFetching | null;
  /** Added to each failure to resolve; null if there is nothing to add. */
  readonly remark: string | null;
  /** A folder on the object store's volume; what a host leaves in it is removed at the next start. */
  readonly workFolder: string;
  readonly isLive: (ingestId: string) => boolean;
}

/** The effects behind the chart of video-host ingests. */
export class VideohostIngestEffects {
  readonly #options: VideohostIngestEffectsOptions;
  readonly #arriving = new Map<string, string>();

  constructor(options: VideohostIngestEffectsOptions) {
    this.#options = options;
  }

  /** True if an object was or is being stored for a live ingest that may not have the event of it yet. */
  holds(contentId: string): boolean {
    for (const ingestId of this.#arriving.keys()) {
      if (!this.#options.isLive(ingestId)) this.#arriving.delete(ingestId);
    }
    return [...this.#arriving.values()].includes(contentId);
  }

  /** Asks the host what the address is, and whether the video is as long as the range. */
  async resolve({ ingestId }: VideohostIngestInput, signal: AbortSignal): Promise<EffectOutcome> {
    const { clock, remark } = this.#options;
    const { url, range } = this.#opened(ingestId);
    const fetching = this.#demandFetching();
    try {
      const answer = await fetching.resolve(this.#address(url), signal);
      const { title, creator } = answer;
      const resolved = resolvedVideo.safeParse({ ...answer, title: kept(title), creator: kept(creator) });
      if (!resolved.success) {
        throw new VideoHostFailure('tool_output', 'the description has no known form', resolved.error);
      }
      const { durationMs } = resolved.data;
      if (range.endMs > durationMs) throw new Error(`range_past_end: the video is ${durationMs} ms long`);
      const resolvedAt = new Date(clock.now()).toISOString();
      const value = { resolved: resolved.data, tool: fetching.resolver, resolvedAt };
      return { events: [], writes: [{ put: 'record', key: resolvedKey(ingestId), value }] };
    } catch (error) {
      throw closedReason(error, remark);
    }
  }

  /**
   * Fetches the range into an empty folder and hands the file to the object store. A note beforehand keeps a crash from leaving
   * it there.
   */
  async download({ ingestId }: VideohostIngestInput, signal: AbortSignal): Promise<DownloadOutcome> {
    const { objectStore, ledger, unused, isLive, progress } = this.#options;
    const { url, range } = this.#opened(ingestId);
    const total = range.endMs - range.startMs;
    const fetching = this.#demandFetching();
    const { resolved } = resolvedRow.parse(ledger.get('record', resolvedKey(ingestId)));
    this.#options.ledger.demandInPlace();
    const folder = this.#folder(ingestId);
    try {
      const fetched = await fetching.download(
        {
          ...this.#address(url),
          resolved,
          range,
          folder,
          maximumBytes: maximumDownloadBytes,
          wallMs: downloadWallMs,
          onProgress: ({ mediaMs: completed, bytes }) =>
            progress.note(ingestId, { stage: 'download', completed, total, unit: 'milliseconds', bytes }),
        },
        signal,
      );
      const media = await objectStore.import(fetched.path, async ({ contentId, bytes }, isNew) => {
        this.#arriving.set(ingestId, contentId);
        if (isNew) await ledger.commit([unused.note(contentId, bytes)]);
        signal.throwIfAborted();
      });
      const value = { tools: fetching.downloaders };
      return { media, events: [], writes: [{ put: 'record', key: downloadedKey(ingestId), value }] };
    } catch (error) {
      throw closedReason(error, null);
    } finally {
      progress.forget(ingestId);
      await rm(folder, { recursive: true, force: true });
      // It may have ended while its media was being stored; nothing could remove that then.
      if (!isLive(ingestId)) unused.removeSoon();
    }
  }

  /** Seals the media with the request and the answer of the host. */
  seal(input: MediaInput, signal: AbortSignal): Promise<EffectOutcome> {
    const { ledger, sealing } = this.#options;
    const { url: requestedUrl, range, confirmedAt } = this.#opened(input.ingestId);
    const answered = resolvedRow.parse(ledger.get('record', resolvedKey(input.ingestId)));
    const { tools } = downloadedRow.parse(ledger.get('record', downloadedKey(input.ingestId)));
    const claim = { ...answered, requestedUrl, range, confirmedAt, downloadTools: tools };
    return sealing.seal(input, signal, (measured) => sealVideohostIngest({ ...measured, claim }));
  }

  #opened(ingestId: string) {
    return videohostIngestInput.parse(actorRow.parse(this.#options.ledger.get('snapshot', ingestId)).input);
  }

  #demandFetching(): VideoFetching {
    const { fetching } = this.#options;
    if (fetching === null) throw new VideoHostFailure('tool_missing', 'there is no yt-dlp that answers');
    return fetching;
  }

  /** The hosts may be others than at the time of the request. */
  #address(url: string): VideoAddress {
    const address = this.#options.hosts.addressOf(url);
    if ('refused' in address) throw new VideoHostFailure('extractor_not_allowed', `the address ${address.refused}`);
    return address;
  }

  #folder(ingestId: string): string {
    return join(this.#options.workFolder, workFolderName('download', ingestId.slice(ingestId.indexOf(':') + 1)));
  }
}

/** The ingest that fetches its media into a folder below `work/`, by the name of that; null for other folders. */
export const fetchingIngestOf = (folder: string): string | null => {
  const prefix = workFolderName('download', '');
  return folder.startsWith(prefix) ? `videohost-ingest:${folder.slice(prefix.length)}` : null;
};

interface VideohostIngestDefinitionOptions extends IngestDefinitionOptions {
  readonly effects: Pick<VideohostIngestEffects, 'resolve' | 'download'>;
}

/** Gives the chart of video-host ingests its effects, and the supervisor what it needs to know of them. */
export function videohostIngestDefinition(
  options: VideohostIngestDefinitionOptions,
): ActorDefinition<'videohost-ingest'> {
  const { supervisor, effects } = options;
  const resolve = ingestEffect(supervisor, (input: VideohostIngestInput, signal) => effects.resolve(input, signal));
  const download = ingestEffect(supervisor, (input: VideohostIngestInput, signal) => effects.download(input, signal));
  return ingestDefinition(options, {
    name: 'videohost-ingest',
    version: videohostIngestVersion,
    migrations: videohostIngestMigrations,
    machine: videohostIngestMachine.provide({ actors: { resolve, download, ...tailEffectsOf(options) } }),
    phase: videohostIngestPhase,
    storedPosition: async (row) => videohostIngestPosition(row),
  });
}

function videohostIngestPosition(row: RowOf<'videohost-ingest'>): ChartPosition {
  const { media, tail } = ingestPositionOf(row);
  const { ingestId } = row.input;
  const before: Readonly<Record<string, StateValue>> = { resolving: 'resolving', downloading: 'downloading' };
  const value = tail ?? (media === null ? (before[row.status] ?? 'queued') : 'probing');
  return { value, context: { ingestId, media, failure: null } satisfies VideohostIngestContext };
}

/** The worker that resolves an address stays with it to the end. */
function videohostIngestPhase(value: StateValue): Phase {
  const state = ingestState(value);
  if (state === 'registered' || state === 'failed') return 'ended';
  return state === 'queued' ? 'waiting' : 'working';
}
