import {
  attachedScript,
  scriptAlignmentProposal,
  scriptAlignmentQuery,
  scriptQuery,
} from '../../contract/sources/script-alignment.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { json } from '../../http/exchange/description.ts';
import { bytesType } from '../../http/exchange/request-body.ts';
import { type Route, route } from '../../http/exchange/route.ts';
import type { ScriptAlignments } from './script-alignments.ts';
import { attachRefusals, textOfRequest, textRefusals } from './text-requests.ts';

const refusals = [...textRefusals, 'invalid_script'] as const;

/** The paths that give the lines of a script the times at which they are said. */
export const scriptRoutes = (alignments: ScriptAlignments): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/script-alignment-proposals', {
    room: 'captions',
    params: { runtimeId },
    POST: {
      body: 'stream',
      types: [bytesType],
      description: {
        id: 'proposeScriptAlignment',
        summary: 'the lines of a script with the times at which they are said, and what has none',
        details:
          'The body is the script as plain text, of at most 1 MiB. Its words are looked for among those that the study recognized. Nothing is recorded.',
        query: scriptQuery,
        answers: [json(200, scriptAlignmentProposal)],
        refusals,
      },
      handle: async (call) => ({
        status: 200,
        body: await alignments.propose(
          call.params.runtimeId,
          call.query,
          await textOfRequest(call, 'a script', alignments),
        ),
      }),
    },
  }),
  route('/v1/runtimes/:runtimeId/script-alignments', {
    room: 'captions',
    params: { runtimeId },
    POST: {
      body: 'stream',
      types: [bytesType],
      description: {
        id: 'alignScript',
        summary: 'attach the lines of a script with their times, as a person saw them proposed',
        details:
          'The source gets a new revision with one more text track, whose origin is `aligned`. The script and a record of what has times are kept with it. The answer is 200 if the same lines are attached already.',
        query: scriptAlignmentQuery,
        answers: [json(201, attachedScript), json(200, attachedScript)],
        refusals: [...new Set([...refusals, ...attachRefusals])],
      },
      handle: async (call) => {
        const { isNew, body } = await alignments.attach(
          call.params.runtimeId,
          call.query,
          await textOfRequest(call, 'a script', alignments),
        );
        return { status: isNew ? 201 : 200, body };
      },
    },
  }),
];
