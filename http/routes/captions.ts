import { z } from 'zod';
import type { CaptionMethods } from '../../actors/captions/caption-methods.ts';
import type { CaptionPlans } from '../../actors/captions/caption-plans.ts';
import type { CaptionReads, CaptionService } from '../../actors/captions/captions.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { languageTag } from '../../contract/base/grammar.ts';
import {
  captionChunkAnswer,
  captionMethodList,
  captionProductionResults,
  captionProductions,
  captionQualityControls,
} from '../../contract/captions/caption-answers.ts';
import {
  type CaptionSide,
  captionJobId,
  captionSide,
  lineBreaks,
  shownSides,
} from '../../contract/captions/caption-line.ts';
import { requestedMethod } from '../../contract/captions/caption-method.ts';
import { type AskedPlan, captionPlanAnswer } from '../../contract/captions/caption-plan.ts';
import { captionProductionRequest } from '../../contract/captions/caption-production.ts';
import { type CaptionForm, type ShownCorrections, shownCorrections } from '../../contract/captions/correction.ts';
import { captionGuidelines } from '../../contract/captions/guideline-report.ts';
import { captionQualityReports, qualityControlRequest } from '../../contract/captions/quality-control.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { jsonHeaders } from '../exchange/answer.ts';
import { json, refusalsOfReopening } from '../exchange/description.ts';
import { type Call, type Route, read, route, write } from '../exchange/route.ts';
import type { Headers } from '../listener/listener.ts';

/** The routes of captions and of their checks. */
export const captionRoutes = (
  captions: CaptionService,
  reads: CaptionReads,
  methods: CaptionMethods,
  plans: CaptionPlans,
): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/caption-methods', {
    room: 'captions',
    params: { runtimeId },
    GET: read({
      id: 'readCaptionMethods',
      summary: 'the ways to captions of a study, and what each takes',
      details:
        'The preferred way comes first. A row has the permissions that a person has to give, as settings for `POST /v1/settings-changes`, and the wish that another study has to send. It also has what leaves the host, and the causes that are in the way. Before a study, `POST /v1/runtime-plan-warnings` has the same.',
      answers: [json(200, captionMethodList)],
      refusals: refusalsOfReopening,
      handle: async (call) => ({ status: 200, body: await methods.of(call.params.runtimeId) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/caption-plan', {
    room: 'captions',
    params: { runtimeId },
    GET: read({
      id: 'readCaptionPlan',
      summary: 'what captions of a study will be made of, before a person approves them',
      details:
        'The host computes the plan from the evidence of the study; nothing is written. `digest` is what a publish review names as its `plan`. Every key of the query is in the digest, so a person approves what they read.',
      query: {
        from: languageTag.optional().describe('the spoken language: that of the study'),
        to: languageTag.optional().describe('the language of the captions: that of the study'),
        method: requestedMethod
          .optional()
          .describe(
            'the way to make them, or `auto` for the first that is ready; by default the caption executor of the host',
          ),
        track: z
          .array(trackIndex)
          .max(2)
          .optional()
          .describe('the stream index of a text track that a person chose; once for each side'),
      },
      answers: [json(200, captionPlanAnswer)],
      refusals: [
        ...refusalsOfReopening,
        'invalid_caption_plan_request',
        'illegal_caption_transition',
        'caption_lines_unavailable',
        'permission_required',
        'engine_unavailable',
      ],
      handle: async (call) => ({ status: 200, body: await plans.read(call.params.runtimeId, askedPlan(call)) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/caption-productions', {
    room: 'captions',
    params: { runtimeId },
    checksQueryFirst: true,
    GET: read({
      id: 'readCaptionProductions',
      summary: 'the captions of a runtime',
      answers: [json(200, captionProductions)],
      refusals: refusalsOfReopening,
      handle: async (call) => ({ status: 200, body: await reads.productions(call.params.runtimeId) }),
    }),
    POST: write({
      id: 'produceCaptions',
      summary: 'produce captions under a valid approval',
      details:
        'The answer comes when the captions and their check are stored. `method` names the way to make them, or `auto` for the first that is ready. Without it the caption executor of the host makes them. Under an approval with a caption plan they follow the plan, and `method` may be left out.',
      request: captionProductionRequest,
      invalid: 'invalid_caption_request',
      answers: [json(201, captionProductions)],
      refusals: [
        ...refusalsOfReopening,
        'illegal_caption_transition',
        'caption_authority_required',
        'caption_current_run_causality_required',
        'caption_plan_mismatch',
        'caption_lines_unavailable',
        'permission_required',
        'engine_unavailable',
        'caption_translation_failed',
      ],
      handle: async ({ params, body }) => ({ status: 201, body: await captions.produce(params.runtimeId, body) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/caption-productions/:jobId.vtt', {
    room: 'captions',
    params: { runtimeId, jobId: captionJobId },
    GET: read({
      id: 'readWebVtt',
      summary: 'accepted captions as a WebVTT file',
      query: {
        side: captionSide.default('target').describe('which text of each line'),
        corrections: correctionsQuery,
      },
      answers: [{ status: 200, types: ['text/vtt; charset=utf-8'] }],
      refusals: [...refusalsOfReopening, 'not_found', 'illegal_caption_qc_transition', 'caption_authority_required'],
      handle: async (call) => {
        const side = sideOf(call);
        const corrections = correctionsAsked(call);
        const text = await reads.webVtt(call.params.runtimeId, call.params.jobId, { side, corrections });
        return { status: 200, headers: vttHeaders, body: Buffer.from(text, 'utf8') };
      },
    }),
  }),
  route('/v1/runtimes/:runtimeId/caption-productions/:jobId/chunks/:index', {
    room: 'captions',
    params: { runtimeId, jobId: captionJobId, index: chunkIndex },
    GET: read({
      id: 'readCaptionChunk',
      summary: 'some lines of long captions, in the records in which they are stored',
      details:
        'Captions of more than 64 lines, or of more than 120 s, are stored in chunks. The first has the index 0.',
      answers: [json(200, captionChunkAnswer)],
      refusals: [...refusalsOfReopening, 'not_found'],
      handle: async (call) => {
        const { jobId = '', index = '' } = call.params;
        return { status: 200, body: await reads.chunk(call.params.runtimeId, jobId, indexOf(index)) };
      },
    }),
  }),
  route('/v1/runtimes/:runtimeId/caption-production-results', {
    room: 'captions',
    params: { runtimeId },
    GET: read({
      id: 'readCaptionProductionResults',
      summary: 'the captions of a runtime with every line and the lineage of each line',
      answers: [json(200, captionProductionResults)],
      refusals: refusalsOfReopening,
      handle: async (call) => ({ status: 200, body: await reads.results(call.params.runtimeId) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/caption-quality-controls', {
    room: 'captions',
    params: { runtimeId },
    checksQueryFirst: true,
    GET: read({
      id: 'readCaptionQualityControls',
      summary: 'the quality controls of captions',
      answers: [json(200, captionQualityControls)],
      refusals: refusalsOfReopening,
      handle: async (call) => ({ status: 200, body: await reads.qualityControls(call.params.runtimeId) }),
    }),
    POST: write({
      id: 'checkCaptions',
      summary: 'ask for a quality control that is missing',
      request: qualityControlRequest,
      invalid: 'invalid_caption_qc_request',
      answers: [json(201, captionQualityControls)],
      refusals: [...refusalsOfReopening, 'illegal_caption_qc_transition'],
      handle: async ({ params, body }) => ({ status: 201, body: await captions.check(params.runtimeId, body) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/caption-quality-reports', {
    room: 'captions',
    params: { runtimeId },
    GET: read({
      id: 'readCaptionQualityReports',
      summary: 'captions measured against the guidelines of Netflix and TED',
      answers: [json(200, captionQualityReports)],
      refusals: refusalsOfReopening,
      handle: async (call) => ({ status: 200, body: await reads.qualityReports(call.params.runtimeId) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/caption-guidelines', {
    room: 'captions',
    params: { runtimeId },
    checksQueryFirst: true,
    GET: read({
      id: 'readCaptionGuidelines',
      summary:
        'a file of captions held against the guidelines of Netflix, the BBC, DCMP and TED, in the rows that it has',
      details:
        'With the same query, an export of captions has these cues under these numbers. The guideline of the line breaks is the first of each side.',
      query: fileQuery,
      answers: [json(200, captionGuidelines)],
      refusals: [...refusalsOfReopening, 'not_found', 'illegal_caption_qc_transition', 'caption_authority_required'],
      handle: async (call) => ({
        status: 200,
        body: await reads.guidelines(call.params.runtimeId, fileAsked(call)),
      }),
    }),
  }),
];

/** A stream index as queries have it. */
const trackIndex = z.string().regex(/^(?:0|[1-9]\d{0,8})$/);

const planQuery = z.strictObject({
  from: languageTag.nullable(),
  to: languageTag.nullable(),
  method: requestedMethod.nullable(),
  tracks: z
    .array(trackIndex.transform(Number))
    .max(2)
    .refine((tracks) => new Set(tracks).size === tracks.length),
});

/** The choices of a request for a caption plan. Throws `invalid_caption_plan_request`. */
function askedPlan({ query }: Pick<Call<null>, 'query'>): AskedPlan {
  const track = query.get('track');
  const asked = planQuery.safeParse({
    from: query.get('from') ?? null,
    to: query.get('to') ?? null,
    method: query.get('method') ?? null,
    tracks: track === undefined ? [] : track.split(','),
  });
  if (asked.success) return asked.data;
  const key = String(asked.error.issues[0]?.path[0]);
  throw new ServiceError('invalid_caption_plan_request', planKeys[key] ?? 'the query is not that of a plan');
}

const planKeys: Readonly<Record<string, string>> = {
  from: 'from is the tag of a language, such as en',
  to: 'to is the tag of a language, such as pt-BR',
  method: `method is one of ${requestedMethod.options.join(', ')}`,
  tracks: 'track is the stream index of a text track, another one for each side',
};

/** The lines that a file of captions or of a transcript has, as a query names them. */
export const correctionsQuery = shownCorrections
  .default('applied')
  .describe('whether the file has the corrections of a person, if there are any, or what the host made');

export function correctionsAsked({ query }: Pick<Call<null>, 'query'>): ShownCorrections {
  const asked = shownCorrections.safeParse(query.get('corrections') ?? 'applied');
  if (asked.success) return asked.data;
  throw new ServiceError('unknown_query', 'corrections is applied or original');
}

/** The form of a file of captions, as a query names it. */
export const fileQuery = {
  side: shownSides
    .default('target')
    .describe('which text of each caption line; both: the translation above the original'),
  lines: lineBreaks
    .default('author')
    .describe('how the lines of captions are broken: as their author did, or by a rule set with its version'),
  corrections: correctionsQuery,
};

export function fileAsked({ query }: Pick<Call<null>, 'query'>): CaptionForm {
  const side = shownSides.safeParse(query.get('side') ?? 'target');
  if (!side.success) throw new ServiceError('unknown_query', 'side is source, target or both');
  const lines = lineBreaks.safeParse(query.get('lines') ?? 'author');
  if (!lines.success) throw new ServiceError('unknown_query', `lines is one of ${lineBreaks.options.join(', ')}`);
  return { side: side.data, lines: lines.data, corrections: correctionsAsked({ query }) };
}

/** A number as paths have it. */
const chunkIndex = z.string().regex(/^(?:0|[1-9]\d{0,3})$/);

/** No captions have a chunk of the index −1. */
const indexOf = (text: string): number => (chunkIndex.safeParse(text).success ? Number(text) : -1);

const vttHeaders: Headers = { ...jsonHeaders, 'Content-Type': 'text/vtt; charset=utf-8' };

function sideOf({ query }: Call<null>): CaptionSide {
  const asked = captionSide.safeParse(query.get('side') ?? 'target');
  if (asked.success) return asked.data;
  throw new ServiceError('unknown_query', 'side is source or target');
}
