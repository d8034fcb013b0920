import {
  subtitleFix,
  subtitleFixProposal,
  subtitleFixQuery,
  subtitleFixRequestQuery,
} from '../../contract/sources/subtitle-fix.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { json } from '../../http/exchange/description.ts';
import { bytesType } from '../../http/exchange/request-body.ts';
import { type Route, route } from '../../http/exchange/route.ts';

import type { SubtitleFixes } from './subtitle-fixes.ts';
import { attachRefusals, type TextCall, textOfRequest, textRefusals } from './text-requests.ts';

/** The file of a request; null for one that names a track. */
const bodyOf = (call: TextCall, fixes: SubtitleFixes): Promise<Uint8Array> | null =>
  call.query.has('track') ? null : textOfRequest(call, 'a subtitle file', fixes);

const refusals = [
  ...textRefusals,
  'source_revalidation_failed',
  'unknown_subtitle_track',
  'subtitle_format_mismatch',
  'invalid_subtitle_file',
] as const;

/** The paths that compare subtitles with the speech of a study, and attach them with other times. */
export const subtitleFixRoutes = (fixes: SubtitleFixes): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/subtitle-fix-proposals', {
    room: 'captions',
    params: { runtimeId },
    POST: {
      body: 'stream',
      types: [bytesType],
      mayLackBody: true,
      description: {
        id: 'proposeSubtitleFix',
        summary:
          'compare subtitles with the speech of a study: the verdict for each stretch, and what a fix would move',
        details:
          'The subtitles are a text track of the study, or the file in the body, SRT, WebVTT or ASS. Nothing is recorded.',
        query: subtitleFixQuery,
        answers: [json(200, subtitleFixProposal)],
        refusals,
      },
      handle: async (call) => ({
        status: 200,
        body: await fixes.propose(call.params.runtimeId, call.query, await bodyOf(call, fixes)),
      }),
    },
  }),
  route('/v1/runtimes/:runtimeId/subtitle-fixes', {
    room: 'captions',
    params: { runtimeId },
    POST: {
      body: 'stream',
      types: [bytesType],
      mayLackBody: true,
      description: {
        id: 'fixSubtitles',
        summary: 'attach subtitles with the times of the film, as a person saw it proposed',
        details:
          'The source gets a new revision with one more text track, whose origin is `resynced`. Its parent and a record of what moved are kept with it. Everything in the file but its times stays. The answer is 200 if the same fix is attached already.',
        query: subtitleFixRequestQuery,
        answers: [json(201, subtitleFix), json(200, subtitleFix)],
        refusals: [...new Set([...refusals, ...attachRefusals])],
      },
      handle: async (call) => {
        const { isNew, body } = await fixes.fix(call.params.runtimeId, call.query, await bodyOf(call, fixes));
        return { status: isNew ? 201 : 200, body };
      },
    },
  }),
];
