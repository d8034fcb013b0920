import { openApiDocument } from '../../contract/operation.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import {
  conditionFields,
  entityTag,
  isKnownToClient,
  jsonHeaders,
  notModified,
  taggedFields,
} from '../exchange/answer.ts';
import { json, notModifiedAnswer } from '../exchange/description.ts';
import { type Route, read, route } from '../exchange/route.ts';

/** The bytes of the description of the wire. */
export type ReadDocument = () => Promise<Uint8Array>;

/** The route of the description of all routes. It is read on request: a start neither makes nor loads it. */
export const descriptionRoutes = (readDocument: ReadDocument): readonly Route[] => [
  route('/v1/openapi.json', {
    room: 'description',
    GET: read({
      id: 'readDescription',
      summary: 'this description, in OpenAPI 3.1',
      headers: conditionFields,
      answers: [json(200, openApiDocument, ['ETag', 'Access-Control-Expose-Headers']), notModifiedAnswer],
      refusals: [],
      handle: async ({ client }) => {
        const body = await readDocument();
        const tag = entityTag(contentIdOfBytes(body));
        if (isKnownToClient(client.head, tag)) return notModified(tag);
        return { status: 200, headers: { ...jsonHeaders, ...taggedFields(tag) }, body };
      },
    }),
  }),
];
