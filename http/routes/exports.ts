import type { Bundles } from '../../actors/exports/bundles.ts';
import type { Exports } from '../../actors/exports/exports.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import {
  bundledMediaChoice,
  type ExportArgument,
  type ExportName,
  editRate,
  exportName,
  exportNames,
  signingKeys,
  strayArgument,
  uncertainChoice,
} from '../../contract/exports.ts';
import { askedKind } from '../../contract/study/runtime-evidence.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import {
  type Answer,
  conditionFields,
  entityTag,
  isKnownToClient,
  jsonHeaders,
  namedValues,
  notModified,
  taggedFields,
} from '../exchange/answer.ts';
import { json, notModifiedAnswer, refusalsOfReopening } from '../exchange/description.ts';
import { type Call, type Route, read, route } from '../exchange/route.ts';
import { MediaPart } from '../exchange/sent-bodies.ts';
import { kindAsked } from './audit.ts';
import { fileAsked, fileQuery } from './captions.ts';

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
  'transcript.srt': 'application/x-subrip; charset=utf-8',
  'transcript.vtt': 'text/vtt; charset=utf-8',
  'transcript.labels.txt': 'text/plain; charset=utf-8',
  'transcript.csv': 'text/csv; charset=utf-8',
  'screen-text.labels.txt': 'text/plain; charset=utf-8',
  'screen-text.csv': 'text/csv; charset=utf-8',
};

/** The routes of a runtime as files: for other programs, and as a whole. */
export const exportRoutes = (exported: Exports, bundles: Bundles): readonly Route[] => [
  {
    // Before the route of the other names, which would take it.
    path: '/v1/runtimes/:runtimeId/exports/bundle',
    room: 'exports',
    params: { runtimeId },
    GET: read({
      id: 'readBundle',
      summary: 'an ended study as a whole in one signed archive, which `media-study verify` checks without a host',
      details:
        'A tar archive (POSIX ustar) with journal, receipts, evidence, sealed records of the source, JSON schemas and a signature. The same study gives the same bytes; `ETag` is the digest of their signed envelope.',
      query: {
        media: bundledMediaChoice.default('exclude').describe('whether the bytes of the media are in it, too'),
      },
      headers: conditionFields,
      answers: [
        {
          status: 200,
          types: ['application/x-tar'],
          fields: ['ETag', 'Access-Control-Expose-Headers', 'Vary'],
        },
        notModifiedAnswer,
      ],
      refusals: [...refusalsOfReopening, 'export_unavailable', 'source_revalidation_failed', 'signing_key_unusable'],
      handle: (call) => bundleAnswer(bundles, call),
    }),
  },
  route('/v1/signing-keys', {
    room: 'exports',
    GET: read({
      id: 'readSigningKeys',
      summary: 'the public keys with which this host signs bundles',
      answers: [json(200, signingKeys)],
      refusals: ['signing_key_unusable'],
      handle: async () => ({ status: 200, body: await bundles.keys() }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/exports/:name', {
    room: 'exports',
    params: { runtimeId, name: exportName },
    GET: read({
      id: 'readExport',
      summary: 'a study as a file for another program',
      details:
        'The same study gives the same bytes. `ETag` is their digest, and `Studio-Export-Of` names the stored receipts and evidence that they were made of. A transcript has the lines that passed every gate, and a file of screen text the texts that did. `side` and `lines` are for captions. Only accepted captions are a file, and withheld lines are in none. `corrections` is for captions and transcripts; `rate` is for cuts, and `kind` for labels and the table of facts. An argument that is not for the file is refused. Cuts count in frames of the film. A film of a variable rate, and a study of an earlier version, need a `rate`. Cuts and transitions with the grade `uncertain` are in no file without `uncertain=include`.',
      query: {
        ...fileQuery,
        rate: editRate.optional().describe('of cuts: frames a second, if not those of the film'),
        kind: askedKind
          .optional()
          .describe(
            'of labels.txt and facts.csv: the kind of their facts, or all; by default speech, silence and cuts',
          ),
        uncertain: uncertainChoice
          .default('exclude')
          .describe('whether uncertain cuts and transitions are in the file'),
      },
      headers: conditionFields,
      answers: [
        {
          status: 200,
          types: [...new Set(Object.values(types))],
          fields: ['ETag', 'Studio-Export-Of', 'Access-Control-Expose-Headers'],
        },
        notModifiedAnswer,
      ],
      refusals: [
        ...refusalsOfReopening,
        'not_found',
        'export_unavailable',
        'frame_rate_required',
        'illegal_caption_qc_transition',
        'caption_authority_required',
      ],
      handle: (call) => fileAnswer(exported, call),
    }),
  }),
];

async function bundleAnswer(bundles: Bundles, { params, query, client }: Call<null, 'runtimeId'>): Promise<Answer> {
  const media = bundledMediaChoice.safeParse(query.get('media') ?? 'exclude');
  if (!media.success) throw new ServiceError('unknown_query', 'media is exclude or include');
  const options = { media: media.data === 'include' };
  const { reader, signatureContentId } = await bundles.open(params.runtimeId, options);
  const tag = entityTag(signatureContentId);
  if (isKnownToClient(client.head, tag)) {
    reader.close();
    return notModified(tag);
  }
  const headers = { ...jsonHeaders, 'Content-Type': 'application/x-tar', ...taggedFields(tag) };
  return { status: 200, headers, body: new MediaPart({ reader, onEnd: never }, { start: 0, end: reader.bytes }) };
}

/** No eviction takes a bundle back while it is sent. */
const never = () => () => undefined;

const fileArguments: readonly ExportArgument[] = ['side', 'lines', 'corrections', 'rate', 'kind', 'uncertain'];

async function fileAnswer(
  exported: Exports,
  { params, query, client }: Call<null, 'runtimeId' | 'name'>,
): Promise<Answer> {
  const name = exportName.safeParse(params.name);
  if (!name.success)
    throw new ServiceError('not_found', `an export is one of ${namedValues(['bundle', ...exportNames])}`);
  const stray = strayArgument(
    name.data,
    fileArguments.filter((each) => query.has(each)),
  );
  if (stray !== null) throw new ServiceError('unknown_query', `${name.data} has no ${stray}: leave it out`);
  const form = fileAsked({ query });
  const rate = editRate.optional().safeParse(query.get('rate') ?? undefined);
  if (!rate.success) throw new ServiceError('unknown_query', `rate is one of ${editRate.options.join(', ')}`);
  const uncertain = uncertainChoice.safeParse(query.get('uncertain') ?? 'exclude');
  if (!uncertain.success) throw new ServiceError('unknown_query', 'uncertain is exclude or include');
  const options = { ...form, rate: rate.data, kind: kindAsked({ query }) ?? undefined, uncertain: uncertain.data };
  const { text, madeOf } = await exported.file(params.runtimeId, name.data, options);
  const body = Buffer.from(text, 'utf8');
  const tag = entityTag(contentIdOfBytes(body));
  if (isKnownToClient(client.head, tag)) return notModified(tag);
  const headers = {
    ...jsonHeaders,
    'Content-Type': types[name.data],
    ...taggedFields(tag, ['Studio-Export-Of']),
    'Studio-Export-Of': madeOf.join(', '),
  };
  return { status: 200, headers, body };
}
