import type { OpenFeature } from '../actors/host-feature.ts';
import type { Host } from '../actors/host-types.ts';
import { counter } from '../actors/operation/metrics.ts';
import type { Clock } from '../contract/base/clock.ts';
import type { Metric } from '../contract/operation.ts';
import type { HostFacts } from '../formats/proof-message.ts';
import { Guard, RefusedOrigins } from './exchange/guard.ts';
import { RequestCounts, type RequestLog } from './exchange/request-log.ts';
import { type Route, Router } from './exchange/route.ts';
import { serveExchange } from './exchange/serve-exchange.ts';
import type { Listener, OpenListener, Traffic } from './listener/listener.ts';
import { auditRoutes } from './routes/audit.ts';
import { captionRoutes } from './routes/captions.ts';
import { consoleRoutes, type ReadConsole } from './routes/console.ts';
import { correctionRoutes } from './routes/corrections.ts';
import { deletionRoutes } from './routes/deletion.ts';
import { eventRoutes, progressRoutes } from './routes/events.ts';
import { exportRoutes } from './routes/exports.ts';
import { ownedIngestRoutes } from './routes/ingest.ts';
import { libraryRoutes } from './routes/library.ts';
import {
  descriptionRoutes,
  hostProofs,
  operationRoutes,
  type Prove,
  pairingRoutes,
  proofRoutes,
  type ReadDocument,
} from './routes/operation.ts';
import { playbackRoutes } from './routes/playback.ts';
import { publishReviewRoutes } from './routes/review.ts';
import { type SettingsService, settingsRoutes } from './routes/settings.ts';
import { sourceRoutes, subtitleTrackRoutes } from './routes/sources.ts';
import { overviewRoutes, planWarningRoutes, studyRoutes } from './routes/study.ts';
import { ownedUploadRoutes } from './routes/upload.ts';
import { Keepalive, type StreamContext } from './streams/event-stream.ts';

export interface ServerOptions {
  /** The numeric address to listen on. */
  readonly host: string;
  readonly port: number;
  readonly allowedOrigins: readonly string[];
  readonly token: string;
  /** The data root and the process, for the proof that the host knows its token. */
  readonly facts: HostFacts;
  readonly open: OpenListener;
  readonly services: Services;
  /** The time by which streams live. */
  readonly clock: Clock;
  readonly readConsole: ReadConsole;
  readonly log: RequestLog;
  /** Makes the ids of requests whose clients gave none. */
  readonly newId: () => string;
}

/** The part of a feature that is on the wire. */
export interface WireFeature {
  /** Its paths. A feature that is off keeps them, and answers why it is off. */
  readonly routes?: (streams: StreamContext) => readonly Route[];
}

/** The services that answer the requests of the wire. */
interface Services
  extends Omit<Host, 'tools' | 'languages' | 'limit' | 'underWay' | 'begin' | 'stopRequested' | 'close'> {
  readonly readDocument: ReadDocument;
  readonly settings: SettingsService;
  /** The features of the host, with their part of the wire and the ingests that streams follow. */
  readonly features: readonly (WireFeature & Pick<OpenFeature, 'ingests'>)[];
}

/** The parts of HTTP itself that the routes get. */
interface Wire {
  /** Gives what HTTP measures. */
  readonly wire?: () => readonly Metric[];
  /** Proves that the host knows its token. It is called once the host listens. */
  readonly prove?: Prove;
  readonly streams: StreamContext;
}

const unproved: Prove = () => {
  throw new Error('nothing listens yet');
};

/** Every path of the wire; a service that is off keeps its paths and says why. */
export const routeTable = (
  services: Services,
  { wire = () => [], prove = unproved, streams: context }: Wire,
): readonly Route[] => {
  const { ownedIngests, studies, deletions } = services;
  const streaming = { ...context, progress: services.progress };
  return [
    ...sourceRoutes(services.sources, services.sourceRecords),
    ...subtitleTrackRoutes(services.subtitleTracks),
    ...libraryRoutes(services.library),
    ...ownedIngestRoutes(ownedIngests),
    ...ownedUploadRoutes(ownedIngests),
    ...studyRoutes(studies, services.listedRuntimes, deletions, streaming),
    ...planWarningRoutes(services.planWarnings),
    ...overviewRoutes(services.overviews),
    ...auditRoutes(services.audits),
    ...publishReviewRoutes(services.reviews),
    ...captionRoutes(services.captions, services.captionReads, services.captionMethods, services.captionPlans),
    ...correctionRoutes(services.corrections),
    ...exportRoutes(services.exports, services.bundles),
    ...playbackRoutes(services.playback),
    ...descriptionRoutes(services.readDocument),
    ...operationRoutes(services.figures, services.checks, wire, services.snapshots),
    ...deletionRoutes(deletions, services.garbage, services.diskUsage),
    ...progressRoutes(services.progress),
    ...eventRoutes(services, streaming),
    ...pairingRoutes(services.pairings),
    ...proofRoutes(prove),
    ...settingsRoutes(services.settings),
    ...services.features.flatMap(({ routes }) => routes?.(context) ?? []),
  ];
};

/** Opens the wire. Rejects with the system's error when the address cannot be bound. */
export async function openServer(options: ServerOptions): Promise<Listener> {
  const { host, port, open, services, clock, readConsole, log, newId } = options;
  const requests = new RequestCounts();
  let traffic: Traffic = { received: 0, sent: 0 };
  const wire = () => [requests.metric(), ...trafficMetrics(traffic)];
  const router = new Router([
    ...routeTable(services, {
      wire,
      prove: (nonce) => prove(nonce),
      streams: { keepalive: new Keepalive(clock), report: log.report },
    }),
    ...consoleRoutes(readConsole),
  ]);
  const refusedOrigins = new RefusedOrigins(log.report, () => performance.now());
  let guard: Guard | null = null;
  let prove = unproved;
  const listener = await open({ host, port }, (exchange) => {
    if (guard !== null) serveExchange({ guard, router, refusedOrigins, requests, log, newId }, exchange);
  });
  traffic = listener.traffic;
  // Both need the port that was really bound.
  prove = hostProofs(options.facts, options.token, { address: host, port: listener.port });
  guard = new Guard(listener.port, options.allowedOrigins, options.token, (given) => services.pairings.holds(given));
  return listener;
}

const trafficMetrics = ({ received, sent }: Traffic): readonly Metric[] => [
  counter('media_study_http_received_bytes_total', 'bytes of bodies that clients sent', [{ value: received }]),
  counter('media_study_http_sent_bytes_total', 'bytes of bodies that were handed to the system for clients', [
    { value: sent },
  ]),
];
