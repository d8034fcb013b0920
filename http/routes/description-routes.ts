import { openApiDocument } from '../../contract/base/openapi-document.ts';
import { json } from '../exchange/description.ts';
import { type Route, read } from '../exchange/route.ts';

/** The bytes of the description of the wire. */
export type ReadDocument = () => Promise<Uint8Array>;

/** The route of the description of all routes. It is read when it is asked for: a start neither makes nor loads it. */
export const descriptionRoutes = (readDocument: ReadDocument): readonly Route[] => [
  {
    path: '/v1/openapi.json',
    room: 'description',
    methods: {
      GET: read(
        {
          id: 'readDescription',
          summary: 'this description, in OpenAPI 3.1',
          answers: [json(200, openApiDocument)],
          refusals: [],
        },
        async () => ({ status: 200, body: await readDocument() }),
      ),
    },
  },
];
