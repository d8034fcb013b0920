import type { Corrections } from '../../actors/captions/corrections.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { contentId } from '../../contract/base/grammar.ts';
import { type RequestedMethod, requestedMethod } from '../../contract/captions/caption-method.ts';
import {
  captionCorrectionPreview,
  captionCorrections,
  correctionPreviewRequest,
  correctionRequest,
} from '../../contract/captions/correction.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { json, refusalsOfReopening } from '../exchange/description.ts';
import { type Call, type Route, read, route, write } from '../exchange/route.ts';

const refusals = [
  ...refusalsOfReopening,
  'caption_correction_conflict',
  'illegal_caption_correction',
  'illegal_caption_transition',
  'caption_authority_required',
  'caption_current_run_causality_required',
  'caption_lines_unavailable',
] as const;

function methodAsked({ query }: Pick<Call<null>, 'query'>): RequestedMethod | null {
  const asked = requestedMethod.nullable().safeParse(query.get('method') ?? null);
  if (asked.success) return asked.data;
  throw new ServiceError('unknown_query', `method is one of ${requestedMethod.options.join(', ')}`);
}

function planAsked({ query }: Pick<Call<null>, 'query'>): string | null {
  const asked = contentId.nullable().safeParse(query.get('plan') ?? null);
  if (asked.success) return asked.data;
  throw new ServiceError('unknown_query', 'plan is the digest of a caption plan');
}

/** The routes of corrections of captions by a person. */
export const correctionRoutes = (corrections: Corrections): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/caption-corrections', {
    room: 'captions',
    params: { runtimeId },
    checksQueryFirst: true,
    GET: read({
      id: 'readCaptionCorrections',
      summary: 'the lines of captions as they are and as the host made them, and every correction of them',
      details:
        'Before captions are made these are the lines that they would have. `obstacle` says why nothing can be corrected; `head` is what a correction names.',
      query: {
        method: requestedMethod
          .optional()
          .describe(
            'the method that gives the lines before captions are made; by default the caption executor of the host',
          ),
        plan: contentId
          .optional()
          .describe(
            'the digest of a caption plan, as `readCaptionPlan` answered it: its lines, before captions are made',
          ),
      },
      answers: [json(200, captionCorrections)],
      refusals: [
        ...refusalsOfReopening,
        ...(['caption_lines_unavailable', 'permission_required', 'engine_unavailable'] as const),
        ...(['illegal_caption_transition', 'invalid_caption_plan_request', 'caption_plan_mismatch'] as const),
      ],
      handle: async (call) => {
        const [method, plan] = [methodAsked(call), planAsked(call)];
        return { status: 200, body: await corrections.read(call.params.runtimeId, { method, plan }) };
      },
    }),
    POST: write({
      id: 'correctCaptions',
      summary: 'correct lines of captions, or revert a correction',
      details:
        'A change selects consecutive lines and gives their replacement. One line for one rewords or shifts it, several for one split it, one for several merges them, and none drops them. A change without current lines adds its lines, which must not overlap others. The corrected lines are checked again, and files contain them; the original lines of the host stay. The same `clientRequestId` with the same body writes nothing again.',
      request: correctionRequest,
      invalid: 'invalid_caption_correction_request',
      answers: [json(201, captionCorrections)],
      refusals: [...refusals, 'reviewer_identity_mismatch', 'insufficient_storage'],
      handle: async ({ params, body }) => ({
        status: 201,
        body: await corrections.write(params.runtimeId, body),
      }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/caption-correction-previews', {
    room: 'captions',
    params: { runtimeId },
    POST: write({
      id: 'previewCaptionCorrection',
      summary:
        'what a correction would make of the lines, with its check and the findings of the guidelines; nothing is written',
      request: correctionPreviewRequest,
      invalid: 'invalid_caption_correction_request',
      answers: [json(200, captionCorrectionPreview)],
      refusals,
      handle: async ({ params, body }) => ({
        status: 200,
        body: await corrections.preview(params.runtimeId, body),
      }),
    }),
  }),
];
