import type { HostCommand } from '../terminal/call.ts';
import { cancel } from './cancel.ts';
import { caption } from './caption.ts';
import { captions } from './captions.ts';
import { deleting } from './delete.ts';
import { disk } from './disk.ts';
import { evidence } from './evidence.ts';
import { exporting } from './export.ts';
import { gc } from './gc.ts';
import { ingest } from './ingest.ts';
import { open } from './open.ts';
import { pair } from './pair.ts';
import { review } from './review.ts';
import { runtimes } from './runtimes.ts';
import { printSigningKeys } from './signing-keys.ts';
import { sources } from './sources.ts';
import { study } from './study.ts';
import { subtitles } from './subtitles.ts';
import { watch } from './watch.ts';

/** The commands that work through a running host. */
export const hostCommands: Readonly<Record<string, HostCommand>> = {
  caption,
  ingest,
  study,
  watch,
  cancel,
  sources,
  subtitles,
  runtimes,
  evidence,
  review,
  captions,
  export: exporting,
  delete: deleting,
  gc,
  disk,
  'signing-keys': printSigningKeys,
  open,
  pair,
};
