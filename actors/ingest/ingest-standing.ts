import { z } from 'zod';
import { contentId } from '../../contract/base/grammar.ts';
import type { IngestMedia } from '../../machines/ingest-tail.ts';
import type { ActorRow } from '../supervision/actor-row.ts';

const stored = z.object({ context: z.object({ media: z.object({ contentId, bytes: z.number() }) }) });

/** The media that an ingest has come to hold, as the row of any version of its chart says it. */
export function mediaOfRow({ snapshot }: ActorRow): IngestMedia | null {
  const held = stored.safeParse(snapshot);
  return held.success ? held.data.context.media : null;
}
