import type { Exports } from '../../actors/exports/exports.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import { captionSide } from '../../contract/captions/caption-side.ts';
import { type ExportName, editRate, exportName, exportNames } from '../../contract/exports/export-name.ts';
import { runtimeId } from '../../contract/study/runtime-start.ts';
import { contentIdOfBytes } from '../../receipts/core/canonical-json.ts';
import { type Answer, jsonHeaders } from '../exchange/answer.ts';
import { type Call, type Route, read } from '../exchange/route.ts';
import { refusalsOfReopening } from './refusals.ts';

const types: Readonly<Record<ExportName, string>> = {
  'cuts.edl': 'text/plain; charset=utf-8',
  'cuts.otio': 'application/vnd.opentimelineio+json',
  'chapters.vtt': 'text/vtt; charset=utf-8',
  'chapters.ffmetadata': 'text/plain; charset=utf-8',
  'labels.txt': 'text/plain; charset=utf-8',
  'facts.csv': 'text/csv; charset=utf-8',
  'captions.srt': 'application/x-subrip; charset=utf-8',
  'captions.vtt': 'text/vtt; charset=utf-8',
  'captions.ass': 'text/x-ssa; charset=utf-8',
};

/** The route of a runtime as files for other programs. */
export const exportRoutes = (exported: Exports): readonly Route[] => [
  {
    path: '/v1/runtimes/:runtimeId/exports/:name',
    room: 'exports',
    params: { runtimeId, name: exportName },
    methods: {
      GET: read(
        {
          id: 'readExport',
          summary: 'a study as a file for another program',
          details:
            'The same study gives the same bytes; `ETag` is their digest, and `Studio-Export-Of` names the stored receipts and evidence that they were made of. `side` is for captions, of which only accepted ones are a file and withheld lines are in none; `rate` is for the edit decision list.',
          query: {
            side: captionSide.default('target').describe('which text of each caption line'),
            rate: editRate.default('25').describe('frames a second of the edit decision list'),
          },
          answers: [
            {
              status: 200,
              types: [...new Set(Object.values(types))],
              fields: ['ETag', 'Studio-Export-Of', 'Access-Control-Expose-Headers'],
            },
          ],
          refusals: [
            ...refusalsOfReopening,
            'not_found',
            'export_unavailable',
            'illegal_caption_qc_transition',
            'caption_authority_required',
          ],
        },
        (call) => fileAnswer(exported, call),
      ),
    },
  },
];

async function fileAnswer(exported: Exports, { params, query }: Call<null>): Promise<Answer> {
  const name = exportName.safeParse(params.name);
  if (!name.success) throw new ServiceError('not_found', `an export is one of ${exportNames.join(', ')}`);
  const side = captionSide.safeParse(query.get('side') ?? 'target');
  if (!side.success) throw new ServiceError('unknown_query', 'side is source or target');
  const rate = editRate.safeParse(query.get('rate') ?? '25');
  if (!rate.success) throw new ServiceError('unknown_query', `rate is one of ${editRate.options.join(', ')}`);
  const options = { side: side.data, rate: rate.data };
  const { text, madeOf } = await exported.file(params.runtimeId ?? '', name.data, options);
  const body = Buffer.from(text, 'utf8');
  const headers = {
    ...jsonHeaders,
    'Content-Type': types[name.data],
    ETag: `"${contentIdOfBytes(body)}"`,
    'Studio-Export-Of': madeOf.join(', '),
    'Access-Control-Expose-Headers': 'ETag, Studio-Export-Of',
  };
  return { status: 200, headers, body };
}
