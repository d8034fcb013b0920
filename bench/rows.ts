import { align } from './align.ts';
import { auditRead } from './audit-read.ts';
import { busyHost } from './busy-host.ts';
import { commandCost } from './command-cost.ts';
import { cuts } from './cuts.ts';
import { eventsPage } from './events-page.ts';
import { explanations } from './explanations.ts';
import type { Row } from './figure.ts';
import { firstLine } from './first-line.ts';
import { forecastCoverage } from './forecast-coverage.ts';
import { idleStreams } from './idle-streams.ts';
import { largeIngest } from './large-ingest.ts';
import { longestPause } from './longest-pause.ts';
import { manyIngests } from './many-ingests.ts';
import { manyStudies } from './many-studies.ts';
import { memoryAtRest } from './memory-at-rest.ts';
import { pausesAtLimits } from './pauses-at-limits.ts';
import { playback } from './playback.ts';
import { requestCost } from './request-cost.ts';
import { reusedAttempt } from './reused-attempt.ts';
import { speech } from './speech.ts';
import { startUp } from './start-up.ts';
import { study } from './study.ts';
import { sync } from './sync.ts';
import { transitions } from './transitions.ts';
import { translatedCaptions } from './translated-captions.ts';
import { workers } from './workers.ts';

/** Every row of the report, in its order. */
export const rows: readonly Row[] = [
  requestCost,
  busyHost,
  eventsPage,
  largeIngest,
  manyIngests,
  study,
  manyStudies,
  reusedAttempt,
  transitions,
  firstLine,
  startUp,
  commandCost,
  playback,
  auditRead,
  explanations,
  memoryAtRest,
  idleStreams,
  workers,
  forecastCoverage,
  longestPause,
  pausesAtLimits,
  translatedCaptions,
  speech,
  sync,
  align,
  cuts,
];
