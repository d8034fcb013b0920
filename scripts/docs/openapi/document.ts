import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { version } from '../../../contract/base/program-version.ts';
import type { Feature } from '../../../features/feature.ts';
import { features } from '../../../features/features.ts';
import { rooms } from '../../../http/exchange/description.ts';
import { routeTable, type ServerOptions } from '../../../http/server.ts';
import { Keepalive } from '../../../http/streams/event-stream.ts';
import { Components } from './components.ts';
import type { RecordedRun } from './examples.ts';
import { headerFields } from './header-fields.ts';
import type { Json } from './json.ts';
import { namedSchemas } from './named-schemas.ts';
import { operationsOf, templateOf } from './operations.ts';
import { Refusals } from './refusals.ts';

const introduction = `A host that studies media files on one machine, for one person. It listens on the loopback interface only.

Every request needs the header \`Authorization: Bearer\` with the token of the host's start line; only media is read by the secret
of a grant, a page is paired by its code, and the health of the host is read by anyone. HEAD is answered wherever GET is, OPTIONS everywhere, and another method of a path with 405 \`method_not_allowed\` and
an Allow header. A path that is not described here is answered with 404 \`not_found\`.

A request is checked in this order, and the first fault is the answer: host, origin, token, target, path, required origin, method,
query, framing, type and length of the body, body, schema; then the endpoint decides about resources and state. An error is an
envelope with a code of a closed set; each status lists its codes, each with what can be done.

JSON answers are objects that are closed: they have no field beside those that are described. Times are integer milliseconds, and
ranges \`[startMs, endMs)\` do not contain their end.`;

const purposes: Readonly<Record<(typeof rooms)[number], string>> = {
  sources: 'What can be studied.',
  ingest: 'How media becomes a source.',
  study: 'Plans, starts, statuses and journals.',
  evidence: 'What a study found, claimed and decided.',
  review: 'What a person decided about a study.',
  captions: 'Captions that were made under an approval, and their checks.',
  explanations: 'Explanations of captions by a hosted model.',
  exports: 'A study as files for other programs.',
  playback: 'Leave for a page to play a source.',
  lifecycles: 'The state machines of a host, the actors that run them, and every state that they were in.',
  deletion: 'What removes runtimes, sources and what no record reaches, and what takes space.',
  operation: 'What the operator of a host asks of it.',
  description: 'This document.',
};

/** Every route of a host whose services are all on, with these features. Routes ask their services nothing before a request comes. */
export function describedRoutes(of: readonly Feature[] = features) {
  const described = of.map(({ paths }) => (paths === undefined ? {} : { routes: paths }));
  const services: unknown = { features: described };
  const streams = { keepalive: new Keepalive(systemClock), report: () => undefined };
  return routeTable(services as ServerOptions['services'], { streams });
}

/** The description of the wire, in OpenAPI 3.1: made from the route table and the schemas by which it checks and answers. */
export async function openApiDocument(run: RecordedRun): Promise<Json> {
  const components = new Components(await namedSchemas());
  const refusals = new Refusals(components, run);
  const workshop = { components, refusals, run };
  const paths = Object.fromEntries(
    describedRoutes().map((route) => [templateOf(route), operationsOf(route, workshop)]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Local Media Study Service',
      version,
      summary: 'A local HTTP API for evidence-backed media understanding.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The host that serves this document.' }],
    security: [{ token: [] }],
    tags: rooms.map((name) => ({ name, description: purposes[name] })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The `authorizationToken` of the start line.' },
      },
      headers: headerFields,
      responses: refusals.shared(),
      schemas: components.used(),
    },
  };
}

/** The document as it is stored and served: a line for each operation and each component. */
export const documentText = (document: Json): string => `${lines(document, '', 3)}\n`;

function lines(value: unknown, indent: string, depth: number): string {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const inner = `${indent}  `;
  const entries = Object.entries(value).map(
    ([key, each]) => `${inner}${JSON.stringify(key)}: ${lines(each, inner, depth - 1)}`,
  );
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n${indent}}`;
}
