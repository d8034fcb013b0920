import { z } from 'zod';
import { toolIdentity } from '../../../contract/base/artifact.ts';
import { range, timestamp } from '../../../contract/base/grammar.ts';
import { resolvedVideo } from '../../../contract/sources/videohost-resolution.ts';

/** What an ingest was opened with; `confirmedAt` is UTC with milliseconds. */
export const videohostIngestInput = z.strictObject({
  ingestId: z.string(),
  url: z.string(),
  range,
  confirmedAt: timestamp,
});
export type VideohostIngestRowInput = z.infer<typeof videohostIngestInput>;

/** What resolving leaves for the steps after it. */
export const resolvedRow = z.strictObject({ resolved: resolvedVideo, tool: toolIdentity, resolvedAt: timestamp });
export const resolvedKey = (ingestId: string): string => `ingest/${ingestId}/resolved`;

/** What downloading leaves for the seal: who fetched and cut. */
export const downloadedRow = z.strictObject({ tools: z.array(toolIdentity) });
export const downloadedKey = (ingestId: string): string => `ingest/${ingestId}/downloaded`;
