import type { CaptionReads } from '../../actors/captions/caption-reads.ts';
import type { Captions } from '../../actors/captions/captions.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import { captionProductionRequest } from '../../contract/captions/caption-production.ts';
import { qualityControlRequest } from '../../contract/captions/caption-quality-control.ts';
import { type CaptionSide, captionSide } from '../../contract/captions/caption-side.ts';
import { jsonHeaders } from '../exchange/answer.ts';
import { type Call, type Route, read, write } from '../exchange/route.ts';
import type { Headers } from '../listener/listener.ts';

/** The routes of captions and of their checks. */
export const captionRoutes = (captions: Captions, reads: CaptionReads): readonly Route[] => [
  {
    path: '/v1/runtimes/:runtimeId/caption-productions',
    checksQueryFirst: true,
    methods: {
      GET: read(async (call) => ({ status: 200, body: await reads.productions(runtimeOf(call)) })),
      POST: write(captionProductionRequest, 'invalid_caption_request', async (call) => {
        await captions.produce(runtimeOf(call), call.body);
        return { status: 201, body: await reads.productions(runtimeOf(call)) };
      }),
    },
  },
  {
    path: '/v1/runtimes/:runtimeId/caption-productions/:jobId.vtt',
    methods: {
      GET: read(
        async (call) => {
          const side = sideOf(call);
          const text = await reads.webVtt(runtimeOf(call), call.params.jobId ?? '', side);
          return { status: 200, headers: vttHeaders, body: Buffer.from(text, 'utf8') };
        },
        ['side'],
      ),
    },
  },
  {
    path: '/v1/runtimes/:runtimeId/caption-production-results',
    methods: { GET: read(async (call) => ({ status: 200, body: await reads.results(runtimeOf(call)) })) },
  },
  {
    path: '/v1/runtimes/:runtimeId/caption-quality-controls',
    checksQueryFirst: true,
    methods: {
      GET: read(async (call) => ({ status: 200, body: await reads.qualityControls(runtimeOf(call)) })),
      POST: write(qualityControlRequest, 'invalid_caption_qc_request', async (call) => {
        await captions.check(runtimeOf(call), call.body);
        return { status: 201, body: await reads.qualityControls(runtimeOf(call)) };
      }),
    },
  },
  {
    path: '/v1/runtimes/:runtimeId/caption-quality-reports',
    methods: { GET: read(async (call) => ({ status: 200, body: await reads.qualityReports(runtimeOf(call)) })) },
  },
];

const runtimeOf = ({ params }: Call<unknown>): string => params.runtimeId ?? '';

const vttHeaders: Headers = { ...jsonHeaders, 'Content-Type': 'text/vtt; charset=utf-8' };

function sideOf({ query }: Call<null>): CaptionSide {
  const asked = captionSide.safeParse(query.get('side') ?? 'target');
  if (asked.success) return asked.data;
  throw new ServiceError('unknown_query', 'side is source or target');
}
