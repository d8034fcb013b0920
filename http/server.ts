import type { CaptionReads } from '../actors/captions/caption-reads.ts';
import type { Captions } from '../actors/captions/captions.ts';
import type { Deletions } from '../actors/deletion/deletions.ts';
import type { DiskUsage } from '../actors/deletion/disk-usage.ts';
import type { Garbage } from '../actors/deletion/garbage.ts';
import type { LanguageExplanations } from '../actors/explanations/language-explanations.ts';
import type { Bundles } from '../actors/exports/bundles.ts';
import type { Exports } from '../actors/exports/exports.ts';
import type { OwnedIngests } from '../actors/ingest/owned/owned-ingests.ts';
import type { VideohostIngests } from '../actors/ingest/videohost/videohost-ingests.ts';
import type { VideohostsOff } from '../actors/ingest/videohost/videohost-service.ts';
import type { Charts } from '../actors/lifecycles/charts.ts';
import type { Lifecycles } from '../actors/lifecycles/lifecycles.ts';
import type { HostChecks } from '../actors/operation/host-checks.ts';
import type { LedgerSnapshots } from '../actors/operation/ledger-snapshots.ts';
import type { Pairings } from '../actors/operation/pairings.ts';
import type { Overviews } from '../actors/overview/overviews.ts';
import type { PrivatePlayback } from '../actors/playback/private-playback.ts';
import type { EvidenceAudits } from '../actors/reopening/evidence-audits.ts';
import type { PublishReviews } from '../actors/review/publish-reviews.ts';
import type { SourceRecords } from '../actors/sources/source-records.ts';
import type { SubtitleTracks } from '../actors/sources/subtitle-tracks.ts';
import type { ListedRuntimes } from '../actors/study/listed-runtimes.ts';
import type { PlanWarnings } from '../actors/study/plan-warnings.ts';
import type { Studies } from '../actors/study/studies.ts';
import type { ProgressBoard } from '../actors/supervision/progress-board.ts';
import type { Clock } from '../contract/base/clock.ts';
import type { Metric } from '../contract/operation/metric.ts';
import { Guard } from './exchange/guard.ts';
import { RefusedOrigins } from './exchange/refused-origins.ts';
import { RequestCounts } from './exchange/request-counts.ts';
import type { RequestLog } from './exchange/request-log.ts';
import { type Route, Router } from './exchange/route.ts';
import { serveExchange } from './exchange/serve-exchange.ts';
import type { Listener, OpenListener, Traffic } from './listener/listener.ts';
import { actorRoutes } from './routes/actor-routes.ts';
import { auditRoutes } from './routes/audit-routes.ts';
import { captionRoutes } from './routes/caption-routes.ts';
import { chartRoutes } from './routes/chart-routes.ts';
import { consoleRoutes, type ReadConsole } from './routes/console-routes.ts';
import { deletionRoutes } from './routes/deletion-routes.ts';
import { descriptionRoutes, type ReadDocument } from './routes/description-routes.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { exportRoutes } from './routes/export-routes.ts';
import { languageExplanationRoutes } from './routes/language-explanation-routes.ts';
import { type Measured, operationRoutes } from './routes/operation-routes.ts';
import { overviewRoutes } from './routes/overview-routes.ts';
import { ownedIngestRoutes } from './routes/owned-ingest-routes.ts';
import { ownedUploadRoutes } from './routes/owned-upload-routes.ts';
import { pairingRoutes } from './routes/pairing-routes.ts';
import { planWarningRoutes } from './routes/plan-warning-routes.ts';
import { playbackRoutes } from './routes/playback-routes.ts';
import { progressRoutes } from './routes/progress-routes.ts';
import { publishReviewRoutes } from './routes/publish-review-routes.ts';
import { type SourceList, sourceRoutes } from './routes/source-routes.ts';
import { studyRoutes } from './routes/study-routes.ts';
import { subtitleTrackRoutes } from './routes/subtitle-track-routes.ts';
import { videohostIngestRoutes } from './routes/videohost-ingest-routes.ts';
import type { StreamContext } from './streams/event-stream.ts';
import { Heart } from './streams/heart.ts';

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly allowedOrigins: readonly string[];
  readonly token: string;
  readonly open: OpenListener;
  readonly services: {
    readonly sources: SourceList;
    readonly sourceRecords: SourceRecords;
    readonly subtitleTracks: SubtitleTracks;
    readonly ownedIngests: OwnedIngests;
    readonly videohostIngests: VideohostIngests | VideohostsOff;
    readonly studies: Studies;
    readonly planWarnings: PlanWarnings;
    readonly overviews: Overviews;
    readonly listedRuntimes: ListedRuntimes;
    readonly audits: EvidenceAudits;
    readonly exports: Exports;
    readonly bundles: Bundles;
    readonly reviews: PublishReviews;
    readonly captions: Captions;
    readonly captionReads: CaptionReads;
    readonly explanations: LanguageExplanations;
    readonly playback: PrivatePlayback;
    readonly charts: Charts;
    readonly lifecycles: Lifecycles;
    readonly readDocument: ReadDocument;
    readonly figures: Measured;
    readonly checks: HostChecks;
    readonly snapshots: LedgerSnapshots;
    readonly deletions: Deletions;
    readonly garbage: Garbage;
    readonly diskUsage: DiskUsage;
    readonly progress: ProgressBoard;
    readonly pairings: Pairings;
  };
  /** The time by which streams live. */
  readonly clock: Clock;
  readonly readConsole: ReadConsole;
  readonly log: RequestLog;
  /** Makes the ids of requests whose clients gave none. */
  readonly newId: () => string;
}

/** What the routes get of HTTP itself. */
interface Wire {
  /** Gives what HTTP measures. */
  readonly wire?: () => readonly Metric[];
  readonly streams: StreamContext;
}

/** Every path of the wire; a service that is off keeps its paths and says why. */
export const routeTable = (
  {
    sources,
    sourceRecords,
    subtitleTracks,
    ownedIngests,
    videohostIngests,
    studies,
    planWarnings,
    listedRuntimes,
    overviews,
    audits,
    exports: exported,
    bundles,
    reviews,
    captions,
    captionReads,
    explanations,
    playback,
    charts,
    lifecycles,
    readDocument,
    figures,
    checks,
    snapshots,
    deletions,
    garbage,
    diskUsage,
    progress,
    pairings,
  }: ServerOptions['services'],
  { wire = () => [], streams: context }: Wire,
): readonly Route[] => [
  ...sourceRoutes(sources, sourceRecords),
  ...subtitleTrackRoutes(subtitleTracks),
  ...ownedIngestRoutes(ownedIngests),
  ...ownedUploadRoutes(ownedIngests),
  ...videohostIngestRoutes(videohostIngests),
  ...studyRoutes(studies, listedRuntimes, deletions, { ...context, progress }),
  ...planWarningRoutes(planWarnings),
  ...overviewRoutes(overviews),
  ...auditRoutes(audits),
  ...publishReviewRoutes(reviews),
  ...captionRoutes(captions, captionReads),
  ...languageExplanationRoutes(explanations),
  ...exportRoutes(exported, bundles),
  ...playbackRoutes(playback),
  ...chartRoutes(charts),
  ...actorRoutes(lifecycles),
  ...descriptionRoutes(readDocument),
  ...operationRoutes(figures, checks, wire, snapshots),
  ...deletionRoutes(deletions, garbage, diskUsage),
  ...progressRoutes(progress),
  ...eventRoutes({ studies, lifecycles, ownedIngests, videohostIngests }, { ...context, progress }),
  ...pairingRoutes(pairings),
];

/** Opens the wire. Rejects with the system's error when the address cannot be bound. */
export async function openServer(options: ServerOptions): Promise<Listener> {
  const { host, port, open, services, clock, readConsole, log, newId } = options;
  const requests = new RequestCounts();
  let traffic: Traffic = { received: 0, sent: 0 };
  const wire = () => [requests.metric(), ...trafficMetrics(traffic)];
  const router = new Router([
    ...routeTable(services, { wire, streams: { heart: new Heart(clock), report: log.report } }),
    ...consoleRoutes(readConsole),
  ]);
  const refusedOrigins = new RefusedOrigins(log.report, () => performance.now());
  let guard: Guard | null = null;
  const listener = await open({ host, port }, (exchange) => {
    if (guard !== null) serveExchange({ guard, router, refusedOrigins, requests, log, newId }, exchange);
  });
  traffic = listener.traffic;
  // The guard needs the port that was really bound.
  guard = new Guard(listener.port, options.allowedOrigins, options.token, (given) => services.pairings.holds(given));
  return listener;
}

const trafficMetrics = ({ received, sent }: Traffic): readonly Metric[] => [
  {
    name: 'media_study_http_received_bytes_total',
    type: 'counter',
    help: 'bytes of bodies that clients sent',
    samples: [{ value: received }],
  },
  {
    name: 'media_study_http_sent_bytes_total',
    type: 'counter',
    help: 'bytes of bodies that were handed to the system for clients',
    samples: [{ value: sent }],
  },
];
