import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { StudyHost } from '../../client/study-host.ts';
import { answered } from './answered.ts';

/** The tool about the subtitle files of sources. To attach one takes the attestation of a person, which no agent gives. */
export function registerSubtitleTools(server: McpServer, host: StudyHost): void {
  server.registerTool(
    'list_subtitles',
    {
      description:
        'The subtitle files that are attached to a source, with language, format and what was measured of their cues. A person attaches one: media-study subtitles SOURCE FILE, or the console.',
      inputSchema: z.strictObject({ sourceSessionId: z.string().describe('a sourceSessionId of list_sources') }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ sourceSessionId }) => answered(() => host.subtitles.list(sourceSessionId)),
  );
}
