import type { HostCommand } from '../terminal/call.ts';
import { caption } from './caption.ts';
import { captions } from './captions.ts';
import { open, pair } from './console.ts';
import { deleting, disk, gc } from './deletion.ts';
import { exporting, printSigningKeys } from './exports.ts';
import { ingest } from './ingest.ts';
import { review } from './review.ts';
import { searching } from './search.ts';
import { sources, subtitles } from './sources.ts';
import { cancel, evidence, runtimesCommand, watch } from './studies.ts';
import { study } from './study.ts';

/** The commands that work through a running host. */
export const hostCommands: Readonly<Record<string, HostCommand>> = {
  caption,
  ingest,
  study,
  watch,
  cancel,
  sources,
  subtitles,
  runtimes: runtimesCommand,
  evidence,
  review,
  captions,
  search: searching,
  export: exporting,
  delete: deleting,
  gc,
  disk,
  'signing-keys': printSigningKeys,
  open,
  pair,
};
