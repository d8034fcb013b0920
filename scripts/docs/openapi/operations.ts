import type { z } from 'zod';
import { eventStreamType } from '../../../contract/journal.ts';
import type { Description } from '../../../http/exchange/description.ts';
import { type Endpoint, endpointsOf, type Route } from '../../../http/exchange/route.ts';
import { refusalsOfChecks } from '../../../http/exchange/serve-exchange.ts';
import type { Components } from './components.ts';
import type { RecordedExchange, RecordedRun } from './examples.ts';
import { fieldsOfAnswers, fieldsOfProtocol, type HeaderField, headersOf } from './header-fields.ts';
import type { Json } from './json.ts';
import type { Refusals } from './refusals.ts';

/** The parts from which operations are built. */
interface Workshop {
  readonly components: Components;
  readonly refusals: Refusals;
  readonly run: RecordedRun;
}

/** `/v1/runtimes/:runtimeId/files/:jobId.vtt` as `/v1/runtimes/{runtimeId}/files/{jobId}.vtt`. */
export const templateOf = ({ path }: Route): string => path.replace(/:([^./]+)/g, '{$1}');

const namesIn = ({ path }: Route): string[] => [...path.matchAll(/:([^./]+)/g)].map(([, name = '']) => name);

/** All operations of a route, by method in lower case. */
export const operationsOf = (route: Route, workshop: Workshop): Json =>
  Object.fromEntries(
    endpointsOf(route).map(([method, endpoint]) => [method.toLowerCase(), operationOf(route, endpoint, workshop)]),
  );

function operationOf(route: Route, endpoint: Endpoint, workshop: Workshop): Json {
  const { description } = endpoint;
  const recorded = workshop.run.operations[description.id];
  const ownFields = route.protocol === undefined ? [] : fieldsOfProtocol;
  const parameters = parametersOf(route, description, workshop, recorded);
  return {
    operationId: description.id,
    tags: [route.room],
    summary: description.summary,
    ...(description.details === undefined ? {} : { description: description.details }),
    ...(route.access === 'grant' || route.access === 'anyone' || route.access === 'origin' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(endpoint, workshop, recorded),
    responses: {
      ...Object.fromEntries(
        [...new Set(description.answers.map(({ status }) => status))].map((status) => [
          status,
          grantedOf(
            description.answers.filter((answer) => answer.status === status),
            ownFields,
            workshop,
            recorded,
          ),
        ]),
      ),
      ...workshop.refusals.of([...refusalsOfChecks(route, endpoint), ...description.refusals], ownFields),
    },
  };
}

function parametersOf(
  route: Route,
  { query = {}, headers = {} }: Description,
  { components }: Workshop,
  recorded: RecordedExchange | undefined,
): Json[] {
  const parameter = (name: string, place: string, schema: z.ZodType, others: Json): Json => ({
    name,
    in: place,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    ...others,
    schema: components.schemaOf(schema, 'input'),
  });
  const { params = {}, access = 'token' } = route;
  if (namesIn(route).join() !== Object.keys(params).join()) throw new Error(`${route.path} lacks schemas of its names`);
  return [
    ...Object.entries(params).map(([name, schema]) => {
      const example = recorded?.params[name];
      return parameter(name, 'path', schema, { required: true, ...(example === undefined ? {} : { example }) });
    }),
    ...Object.entries(query).map(([name, schema]) =>
      parameter(name, 'query', schema, schema.safeParse(undefined).success ? {} : { required: true }),
    ),
    ...Object.entries(headers).map(([name, schema]) => parameter(name, 'header', schema, {})),
    ...(access === 'token' || access === 'anyone' ? [] : [originOf(access)]),
  ];
}

const originOf = (access: 'grant' | 'origin' | 'token-and-origin'): Json => ({
  name: 'Origin',
  in: 'header',
  description:
    access === 'grant'
      ? 'The origin of the grant. Browsers send it, or say that the page is one of the host itself.'
      : 'The origin of the page, which the host must allow. Browsers send it.',
  required: access !== 'grant',
  schema: { type: 'string' },
});

function bodyOf(endpoint: Endpoint, { components }: Workshop, recorded: RecordedExchange | undefined): Json {
  if (endpoint.body === 'none') return {};
  if (endpoint.body === 'stream') {
    return { requestBody: { required: endpoint.mayLackBody !== true, content: contentOf(endpoint.types) } };
  }
  const schema = components.schemaOf(endpoint.request, 'input');
  const example = recorded?.request === undefined ? {} : { example: recorded.request };
  return { requestBody: { required: true, content: { 'application/json': { schema, ...example } } } };
}

/** The content of the granted answers with one status, in one media type or in several. */
function grantedOf(
  answers: Description['answers'],
  ownFields: readonly HeaderField[],
  { components }: Workshop,
  recorded: RecordedExchange | undefined,
): Json {
  const [{ status } = { status: 200 as const }] = answers;
  const isRecorded = recorded?.status === status && recorded.answer !== null;
  const example = isRecorded ? { example: recorded.answer } : {};
  const head = {
    description: meanings[status],
    headers: headersOf([...fieldsOfAnswers, ...ownFields, ...answers.flatMap(({ fields = [] }) => fields)]),
  };
  const contents = answers.flatMap((answer) => {
    if ('isEmpty' in answer) return [];
    if ('schema' in answer) {
      return [{ 'application/json': { schema: components.schemaOf(answer.schema, 'output'), ...example } }];
    }
    return ['events' in answer ? streamOf(answer.events, components) : contentOf(answer.types, example)];
  });
  return contents.length === 0 ? head : { ...head, content: Object.assign({}, ...contents) };
}

/** OpenAPI 3.1 has no words for a stream of events: the schema of its content names each event and what its data is. */
const streamOf = (events: Readonly<Record<string, z.ZodType>>, components: Components): Json => ({
  [eventStreamType]: {
    schema: {
      type: 'string',
      description: `Events with the names ${Object.keys(events).join(', ')}; their data is JSON, described by the property of each name.`,
      contentMediaType: eventStreamType,
      contentSchema: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(events).map(([name, schema]) => [name, components.schemaOf(schema, 'output')]),
        ),
      },
    },
  },
});

const contentOf = (types: readonly string[], example: Json = {}): Json =>
  Object.fromEntries(
    types.map((type) => [
      type.split(';', 1)[0],
      type.startsWith('text/')
        ? { schema: { type: 'string' }, ...example }
        : { schema: { type: 'string', format: 'binary' } },
    ]),
  );

const meanings = {
  200: 'Granted.',
  201: 'Done, and stored.',
  202: 'Accepted, and stored; the work goes on after the answer.',
  204: 'Done, and stored; the answer has no body.',
  206: 'The requested range.',
  304: 'The client has the current one: `If-None-Match` names its entity tag.',
} as const;
