import type { CaptionReads } from '../actors/caption-reads.ts';
import type { Captions } from '../actors/captions.ts';
import type { EvidenceAudits } from '../actors/evidence-audits.ts';
import type { LanguageExplanations } from '../actors/language-explanations.ts';
import type { OwnedIngests } from '../actors/owned-ingests.ts';
import type { PrivatePlayback } from '../actors/private-playback.ts';
import type { PublishReviews } from '../actors/publish-reviews.ts';
import type { SourceRecords } from '../actors/source-records.ts';
import type { Studies } from '../actors/studies.ts';
import type { VideohostIngests } from '../actors/videohost-ingests.ts';
import { auditRoutes } from './audit-routes.ts';
import { captionRoutes } from './caption-routes.ts';
import { Guard } from './guard.ts';
import { languageExplanationRoutes } from './language-explanation-routes.ts';
import type { Listener, OpenListener } from './listener.ts';
import { ownedIngestRoutes } from './owned-ingest-routes.ts';
import { playbackRoutes } from './playback-routes.ts';
import { publishReviewRoutes } from './publish-review-routes.ts';
import { RefusedOrigins } from './refused-origins.ts';
import { type Route, Router } from './route.ts';
import { serveExchange } from './serve-exchange.ts';
import { type SourceList, sourceRoutes } from './source-routes.ts';
import { studyRoutes } from './study-routes.ts';
import { videohostIngestRoutes } from './videohost-ingest-routes.ts';

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly allowedOrigins: readonly string[];
  readonly token: string;
  readonly open: OpenListener;
  readonly services: {
    readonly sources: SourceList;
    readonly sourceRecords: SourceRecords;
    readonly ownedIngests: OwnedIngests;
    readonly videohostIngests: VideohostIngests | null;
    readonly studies: Studies;
    readonly audits: EvidenceAudits;
    readonly reviews: PublishReviews;
    readonly captions: Captions;
    readonly captionReads: CaptionReads;
    readonly explanations: LanguageExplanations;
    readonly playback: PrivatePlayback;
  };
  readonly report: (line: string) => void;
}

/** Every path of the wire; a service that is switched off keeps its paths and says so. */
export const routeTable = ({
  sources,
  sourceRecords,
  ownedIngests,
  videohostIngests,
  studies,
  audits,
  reviews,
  captions,
  captionReads,
  explanations,
  playback,
}: ServerOptions['services']): readonly Route[] => [
  ...sourceRoutes(sources, sourceRecords),
  ...ownedIngestRoutes(ownedIngests),
  ...videohostIngestRoutes(videohostIngests),
  ...studyRoutes(studies),
  ...auditRoutes(audits),
  ...publishReviewRoutes(reviews),
  ...captionRoutes(captions, captionReads),
  ...languageExplanationRoutes(explanations),
  ...playbackRoutes(playback),
];

/** Opens the wire. Rejects with the system's error when the address cannot be bound. */
export async function openServer(options: ServerOptions): Promise<Listener> {
  const { host, port, open, services, report } = options;
  const router = new Router(routeTable(services));
  const refusedOrigins = new RefusedOrigins(report, () => performance.now());
  let guard: Guard | null = null;
  const listener = await open({ host, port }, (exchange) => {
    if (guard !== null) serveExchange({ guard, router, refusedOrigins, report }, exchange);
  });
  // The guard needs the port that was really bound.
  guard = new Guard(listener.port, options.allowedOrigins, options.token);
  return listener;
}
