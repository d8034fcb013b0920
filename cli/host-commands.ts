import type { HostCommand } from './call.ts';
import { cancel } from './commands/cancel.ts';
import { captions } from './commands/captions.ts';
import { evidence } from './commands/evidence.ts';
import { exporting } from './commands/export.ts';
import { ingest } from './commands/ingest.ts';
import { review } from './commands/review.ts';
import { runtimes } from './commands/runtimes.ts';
import { sources } from './commands/sources.ts';
import { study } from './commands/study.ts';
import { watch } from './commands/watch.ts';

/** The commands that work through a running host. */
export const hostCommands: Readonly<Record<string, HostCommand>> = {
  ingest,
  study,
  watch,
  cancel,
  sources,
  runtimes,
  evidence,
  review,
  captions,
  export: exporting,
};
