import type { AssessmentAudits } from '../contract/evidence/assessment.ts';
import type { DescribedKinds } from '../contract/evidence/evidence-kinds.ts';
import type { ExportName, SigningKeys } from '../contract/exports.ts';
import type { OwnedIngestList, VideohostIngestList, VideohostIngestRequest } from '../contract/ingest.ts';
import type { JournalEvent, RuntimeEvents } from '../contract/journal.ts';
import type { RuntimeJudgements } from '../contract/judgement.ts';
import type {
  HostChecksAnswer,
  HostHealth,
  IssuedPairingCode,
  LedgerSnapshot,
  PageToken,
  WorkProgress,
} from '../contract/operation.ts';
import type { RuntimeOverview } from '../contract/overview.ts';
import type { PlaybackGrant, PlaybackRenewed } from '../contract/playback.ts';
import type { MediaProbe } from '../contract/sources/media-probe.ts';
import type { SourceSessionList, SourceSessionRow } from '../contract/sources/source-session.ts';
import type { RuntimeEvidence } from '../contract/study/runtime-evidence.ts';
import type { PlanWarningList, RuntimePlan } from '../contract/study/start.ts';
import type { RuntimeStatus, Runtimes } from '../contract/study/status.ts';
import { Captions } from './captions.ts';
import { Deletions } from './deletions.ts';
import { Engines } from './engines.ts';
import { EvidenceObjects } from './evidence.ts';
import { type FileIngestOptions, type IngestOptions, type IngestStatus, Ingests, type Media } from './ingests.ts';
import { Library } from './library.ts';
import { Lifecycles } from './lifecycles.ts';
import { Reviews } from './reviews.ts';
import { HostSettingsClient } from './settings.ts';
import { type FollowedWork, type FollowOptions, type HostEvent, type JournalEnd, Streams } from './streams.ts';
import {
  type JournalHead,
  type PageOptions,
  type RuntimesOptions,
  type StudiedSource,
  Studies,
  Study,
  type StudyOptions,
  type StudyRequest,
} from './studies.ts';
import { Subtitles } from './subtitles.ts';
import {
  encodedPath,
  type HostAddress,
  type HostPlace,
  type ListOptions,
  Transport,
  type TransportOptions,
} from './transport.ts';

/**
 * A client of one host. Every call throws `HostError` for a refusal, `HostUnreachable` when no host answers, and `AnswerLate`
 * when `fetch` waited no longer. Reads, plans and starts are repeated for a while before `HostUnreachable`, so that they survive
 * a restart of the host.
 */
export class StudyHost {
  readonly captions: Captions;
  readonly library: Library;
  readonly lifecycles: Lifecycles;
  readonly reviews: Reviews;
  readonly deletions: Deletions;
  readonly evidenceObjects: EvidenceObjects;
  readonly subtitles: Subtitles;
  readonly settings: HostSettingsClient;
  readonly engines: Engines;
  readonly #transport: Transport;
  #kinds: Promise<DescribedKinds> | null = null;
  readonly #ingests: Ingests;
  readonly #studies: Studies;
  readonly #streams: Streams;

  private constructor(transport: Transport) {
    this.#transport = transport;
    this.#streams = new Streams(transport);
    this.#ingests = new Ingests(transport, this.#streams);
    this.#studies = new Studies(transport);
    this.reviews = new Reviews(transport);
    this.library = new Library(transport);
    this.lifecycles = new Lifecycles(transport);
    this.deletions = new Deletions(transport);
    this.evidenceObjects = new EvidenceObjects(transport);
    this.subtitles = new Subtitles(transport);
    this.settings = new HostSettingsClient(transport);
    this.engines = new Engines(transport);
    this.captions = new Captions(transport, this.reviews);
  }

  /**
   * A client of the host at this place. Sends nothing. If `place` is a function, the client finds a host again that gets another
   * port or token with each start. Throws `TypeError` for a text that is not a start line, for an address without
   * `http://`, and for a token that is not ASCII.
   */
  static connect(place: HostPlace, options: TransportOptions = {}): StudyHost {
    return new StudyHost(new Transport(place, options));
  }

  /** The present address of the host, with its token. */
  async address(): Promise<HostAddress> {
    return this.#transport.address();
  }

  /** The host's answer that it works, and its version. */
  health(): Promise<HostHealth> {
    return this.#transport.json('/v1/health');
  }

  /** The tools, the sandbox and the room that the host has, and which engines are on. */
  checks(): Promise<HostChecksAnswer> {
    return this.#transport.json('/v1/host-checks');
  }

  /** The metrics of the host, in the Prometheus text format. */
  metrics(): Promise<string> {
    return this.#transport.text('/v1/metrics');
  }

  /** Copies the ledger of the host as it is now into its data root, for a backup. */
  snapshotLedger(): Promise<LedgerSnapshot> {
    return this.#transport.json('/v1/ledger-snapshots', { method: 'POST', json: {}, isLong: true });
  }

  /** A code with which one page gets a token of its own, within five minutes. */
  pairingCode(): Promise<IssuedPairingCode> {
    return this.#transport.json('/v1/pairing-codes', { method: 'POST', json: {} });
  }

  /** A token that a page keeps in the place of the one that it has: it ends with the process of the host. Only pages may ask. */
  pageToken(): Promise<PageToken> {
    return this.#transport.json('/v1/page-tokens', {
      method: 'POST',
      json: { schema: 'studio.page-token-request.v1' },
    });
  }

  async sources(): Promise<readonly SourceSessionRow[]> {
    return (await this.#transport.json<SourceSessionList>('/v1/source-sessions')).sourceSessions;
  }

  /** The tracks of a source as they were measured. */
  mediaProbe(sourceSessionId: string): Promise<MediaProbe> {
    return this.#transport.json(encodedPath`/v1/source-sessions/${sourceSessionId}/media-probe`);
  }

  /** Ingests a file of a person who attests that it may be processed. Throws `IngestFailed`. */
  ingestFile(media: Media, options: FileIngestOptions): Promise<SourceSessionRow> {
    return this.#ingests.file(media, options);
  }

  /** Ingests a range of a video. Throws `IngestFailed`. */
  ingestVideo(request: VideohostIngestRequest, options: IngestOptions = {}): Promise<SourceSessionRow> {
    return this.#ingests.video(request, options);
  }

  plan(source: StudiedSource, request: StudyRequest): Promise<RuntimePlan> {
    return this.#studies.plan(source, request);
  }

  /** The warnings before a study, such as that no captions can come of it. */
  warnings(source: StudiedSource, request: StudyRequest): Promise<PlanWarningList> {
    return this.#studies.warnings(source, request);
  }

  /** Starts a study, or finds the one that the same request started before. Iterate it for its events. */
  study(source: StudiedSource, request: StudyRequest, options: StudyOptions = {}): Study {
    return new Study(this.#studies, this.#streams, this.#studies.start(source, request, options.signal), options);
  }

  status(runtimeId: string): Promise<RuntimeStatus> {
    return this.#studies.status(runtimeId);
  }

  /**
   * A page of the studies of the host, newest first. It may hold fewer rows than `limit`, even none, while `nextCursor`, the
   * `after` of the next page, is not null.
   */
  runtimes(options: RuntimesOptions = {}): Promise<Runtimes> {
    return this.#studies.list(options);
  }

  /** A page of the ingests of files, newest first. */
  ownedIngests(options: ListOptions = {}): Promise<OwnedIngestList> {
    return this.#ingests.owned(options);
  }

  /** A page of the ingests from video hosts, newest first. */
  videohostIngests(options: ListOptions = {}): Promise<VideohostIngestList> {
    return this.#ingests.videohost(options);
  }

  /** Ends an ingest of either kind that has not ended; answers with its status. */
  cancelIngest(ingestId: string): Promise<IngestStatus> {
    return this.#ingests.cancel(ingestId);
  }

  /** Ends a study that has not ended, also one that waits for a worker; answers with its status. */
  cancel(runtimeId: string): Promise<RuntimeStatus> {
    return this.#studies.cancel(runtimeId);
  }

  /** One page of the journal of a study; `waitMs` (at most 8,000) waits for the first event after it. */
  events(runtimeId: string, options: PageOptions = {}): Promise<RuntimeEvents> {
    return this.#studies.events(runtimeId, options);
  }

  /** The number of the last event of a journal, and the digest of the chain up to it. */
  journalHead(runtimeId: string): Promise<JournalHead> {
    return this.#studies.journalHead(runtimeId);
  }

  /** The journal of a study, from any event on, to the last one of a study that has ended. */
  follow(runtimeId: string, options: FollowOptions = {}): AsyncGenerator<JournalEvent, JournalEnd> {
    return this.#streams.follow(runtimeId, options);
  }

  /** Everything that happens to the runtimes, ingests and actors that are named, over one connection, until the caller stops. */
  watch(work: FollowedWork): AsyncGenerator<HostEvent, never> {
    return this.#streams.events(work);
  }

  /** How far a study or an ingest has come within its step. */
  progress(id: string): Promise<WorkProgress> {
    const path = id.startsWith('owned-ingest:')
      ? encodedPath`/v1/owned-media-ingests/${id}/progress`
      : id.startsWith('videohost-ingest:')
        ? encodedPath`/v1/videohost-local-ingests/${id}/progress`
        : encodedPath`/v1/runtimes/${id}/progress`;
    return this.#transport.json(path);
  }

  /** A study as a whole: its state in words, its findings in numbers, the withheld parts, and the possible next steps. */
  overview(runtimeId: string): Promise<RuntimeOverview> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/overview`);
  }

  /** The kinds of evidence that the host has, in the order in which a page shows them, with their words; read once. */
  evidenceKinds(): Promise<DescribedKinds> {
    this.#kinds ??= this.#transport.json<DescribedKinds>('/v1/evidence-kinds').catch((error: unknown) => {
      this.#kinds = null;
      throw error;
    });
    return this.#kinds;
  }

  /** The evidence of a study, all or of one kind, with all its facts or the reason why there is none. */
  evidence(runtimeId: string, kind = 'all'): Promise<RuntimeEvidence> {
    return this.#transport.json(`${encodedPath`/v1/runtimes/${runtimeId}/evidence`}?kind=${encodeURIComponent(kind)}`);
  }

  /** By which rules the records of a study were judged, and whether the host judged them again. */
  judgements(runtimeId: string): Promise<RuntimeJudgements> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/judgements`);
  }

  /**
   * A study as the text of a file for another program. `side` and `lines` are for captions, `corrections` for captions and transcripts,
   * `rate` for cuts, and `kind` for `labels.txt` and `facts.csv`. Uncertain cuts and transitions need `uncertain: 'include'`.
   */
  export(
    runtimeId: string,
    name: ExportName,
    options: {
      side?: string;
      lines?: string;
      rate?: string;
      corrections?: string;
      kind?: string;
      uncertain?: string;
    } = {},
  ): Promise<string> {
    const query = new URLSearchParams(options).toString();
    return this.#transport.text(
      `${encodedPath`/v1/runtimes/${runtimeId}/exports/${name}`}${query === '' ? '' : `?${query}`}`,
    );
  }

  /**
   * An ended study as one signed archive, which `media-study verify` checks without a host; with `media` it has the bytes of
   * the media, too.
   */
  bundle(
    runtimeId: string,
    options: { readonly media?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const query = options.media === true ? '?media=include' : '';
    const path = `${encodedPath`/v1/runtimes/${runtimeId}/exports/bundle`}${query}`;
    return this.#transport.stream(path, { signal: options.signal, isLong: true });
  }

  /** The public keys with which the host signs bundles. */
  signingKeys(): Promise<SigningKeys> {
    return this.#transport.json('/v1/signing-keys');
  }

  /** The claims of a study with their citations. */
  claims(runtimeId: string): Promise<AssessmentAudits> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/assessment-audits`);
  }

  /** Lets a grant of `playbackUrl` last ten minutes from now, at most two hours in all; a page passes no origin. */
  renewPlayback(
    { runtimeId, grantId }: Pick<PlaybackGrant, 'runtimeId' | 'grantId'>,
    origin?: string,
  ): Promise<PlaybackRenewed> {
    const json = { schema: 'studio.private-playback-grant-renewal.v1' };
    const path = encodedPath`/v1/runtimes/${runtimeId}/private-playback-grants/${grantId}/renewals`;
    return this.#transport.json(path, { method: 'POST', json, ...(origin !== undefined && { origin }) });
  }

  /**
   * An address from which a page of `origin` can play the source of a study for ten minutes. A page passes no origin: its
   * browser sends it.
   */
  async playbackUrl(
    runtimeId: string,
    origin?: string,
  ): Promise<{ readonly url: string; readonly grant: PlaybackGrant }> {
    const { runStartReceipt } = await this.#studies.status(runtimeId);
    if (runStartReceipt === null)
      throw new Error('the start receipt of this study, which names its source, is missing');
    const { sourceSession, sourceArtifactId } = runStartReceipt.record;
    const json = {
      schema: 'studio.private-playback-grant-request.v1',
      source: {
        revisionId: sourceSession.revisionId,
        artifactId: sourceArtifactId,
        contentId: sourceSession.source.contentId,
      },
    };
    const path = encodedPath`/v1/runtimes/${runtimeId}/private-playback-grants`;
    const call = { method: 'POST', json, isLong: true, ...(origin !== undefined && { origin }) } as const;
    const grant = await this.#transport.json<PlaybackGrant>(path, call);
    return { url: `${(await this.#transport.address()).baseUrl}${grant.mediaPath}`, grant };
  }
}
