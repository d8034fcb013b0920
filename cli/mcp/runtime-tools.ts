import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { StudyHost } from '../../client/study-host.ts';
import { captionSide } from '../../contract/captions/caption-side.ts';
import { editRate, exportNames } from '../../contract/exports/export-name.ts';
import { lifecycle } from '../../contract/study/runtime-status.ts';
import { answered } from './answered.ts';
import type { ExportFolder } from './export-folder.ts';

const runtimeId = z.string().describe('the runtimeId of a study');

/** A row has about 600 characters, so that a page of the most rows stays within one answer. */
const mostRows = 50;

/** The tools about studies as wholes: which there are, ending one, and writing one as a file. */
export function registerRuntimeTools(server: McpServer, host: StudyHost, exports: ExportFolder): void {
  server.registerTool(
    'list_runtimes',
    {
      description: 'The studies of this host, the newest first: all, of one source, or those that stand somewhere.',
      inputSchema: z.strictObject({
        sourceSessionId: z.string().optional().describe('only studies of this source'),
        lifecycle: lifecycle.optional().describe('only studies that stand here'),
        after: z.string().optional().describe('where to go on: nextCursor of the answer before'),
        limit: z.number().int().min(1).max(mostRows).default(20),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ sourceSessionId, lifecycle: state, after, limit }) =>
      answered(async () => {
        const { runtimes, damaged, nextCursor } = await host.runtimes({
          limit,
          ...(sourceSessionId !== undefined && { sourceSessionId }),
          ...(state !== undefined && { lifecycle: state }),
          ...(after !== undefined && { after }),
        });
        return { items: runtimes, damaged, nextCursor };
      }),
  );
  server.registerTool(
    'cancel_study',
    {
      description: 'Ends a study that has not ended. What it stored stays readable; it does not go on again.',
      inputSchema: z.strictObject({ runtimeId }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    },
    ({ runtimeId: id }) =>
      answered(async () => {
        const { lifecycle: state, terminal, reason } = await host.cancel(id);
        return { runtimeId: id, lifecycle: state, terminal, reason };
      }),
  );
  server.registerTool(
    'export_study',
    {
      description:
        'Writes a study as a file on this machine and answers with its path: a file for another program, or the whole study as a signed bundle without its media.',
      inputSchema: z.strictObject({
        runtimeId,
        name: z.enum(['bundle', ...exportNames]),
        side: captionSide.optional().describe('of captions: which text of each line'),
        rate: editRate
          .optional()
          .describe('of cuts.edl: frames a second, as the media has them; 25 without it, whatever the media has'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ runtimeId: id, name, side, rate }, { signal }) =>
      answered(() =>
        exports.write(
          host,
          id,
          name === 'bundle'
            ? { name, media: false }
            : { name, options: { ...(side && { side }), ...(rate && { rate }) } },
          signal,
        ),
      ),
  );
}
