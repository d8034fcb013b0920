import { type Operation, type ReadableDocument, responseOf, schemaObject } from './openapi/read-document.ts';
import { fieldsOf, wordsOf } from './schema-words.ts';
import { accessOf, codesOf, SharedCodes } from './shared-codes.ts';

const intro = `# Endpoints

\`npm run docs\` writes this page from [openapi.json](openapi.json), the description of the wire in OpenAPI 3.1; a test compares them. The host serves
that document at \`GET /v1/openapi.json\`, for tools and generators of clients. It has every schema, every header field, and an example of each
exchange.

Paths begin with the origin of the [start line](guides/operating.md#the-line-on-stdout). HEAD works wherever GET does, and OPTIONS works
everywhere. [Errors](errors.md#answers) explains every code.

| access | a request needs |
| --- | --- |
| *token* | the header \`Authorization: Bearer …\` |
| *token and origin* | the token and an allowed Origin header |
| *origin* | an allowed Origin header |
| *grant* | the secret of a playback grant, in the path instead of the token |
| *anyone* | the right Host; if it has an Origin, an allowed one |

Bodies and answers are closed: the host refuses a field that is not described, and never sends one.

These codes apply to many endpoints. The sections below do not repeat them:

`;

const longestExample = 1200;

type Placed = { readonly path: string; readonly method: string; readonly operation: Operation };

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |\n`)
    .join('');

const jsonOf = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;

function index(operations: readonly Placed[]): string {
  const rows = operations.map(({ path, method, operation }) => {
    const query = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => `\`${name}\``);
    const link = `[\`${path}\`](#${operation.operationId.toLowerCase()})`;
    return [link, method, query.join(', '), accessOf(operation), operation.summary];
  });
  return table(['path', 'method', 'query', 'access', 'purpose'], rows);
}

function parametersOf({ parameters }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, schema, required, description = '' }) => {
    const { default: preset } = schemaObject.parse(schema);
    const need = required === true ? 'required' : preset === undefined ? '' : `\`${JSON.stringify(preset)}\``;
    return [`\`${name}\``, place, wordsOf(schema), need, description];
  });
  return `${table(['parameter', 'in', 'value', 'default', 'meaning'], rows)}\n`;
}

function bodyOf(document: ReadableDocument, { requestBody }: Operation): string {
  return Object.entries(requestBody?.content ?? {})
    .map(([type, { schema, example }]) => {
      if (schema === undefined) return `The body is \`${type}\`.\n\n`;
      const { properties = {}, required = [] } = fieldsOf(document, schema);
      const rows = Object.entries(properties).map(([name, value]) => [
        `\`${name}\``,
        required.includes(name) ? wordsOf(value) : `${wordsOf(value)}, optional`,
      ]);
      const fields = rows.length === 0 ? 'The body is `{}`.\n' : table(['field', 'value'], rows);
      return `${fields}\n${rows.length === 0 || example === undefined ? '' : `${jsonOf(example)}\n`}`;
    })
    .join('');
}

function answersOf(document: ReadableDocument, operation: Operation, shared: SharedCodes): string {
  const rows = Object.entries(operation.responses).flatMap(([status, answer]) => {
    const { description, content = {} } = responseOf(document, answer);
    const codes = codesOf(description).filter((code) => !shared.hasFor(operation, code));
    if (status >= '400') return codes.length === 0 ? [] : [[status, codes.join(', ')]];
    const bodies = Object.entries(content).map(([type, { schema }]) =>
      type === 'application/json' ? wordsOf(schema) : `\`${type}\``,
    );
    return [[status, bodies.length === 0 ? 'nothing' : bodies.join(', ')]];
  });
  return table(['status', 'answer or codes'], rows);
}

function exampleOf(document: ReadableDocument, { responses }: Operation): string {
  const examples = Object.entries(responses).flatMap(([status, answer]) =>
    status < '400' ? Object.values(responseOf(document, answer).content ?? {}).map(({ example }) => example) : [],
  );
  const [example] = examples.filter((each) => each !== undefined);
  if (typeof example === 'string') return `\n\`\`\`\n${example.trimEnd()}\n\`\`\`\n`;
  const text = example === undefined ? '' : jsonOf(example);
  return text === '' || text.length > longestExample ? '' : `\n${text}`;
}

const sectionOf = (document: ReadableDocument, { path, method, operation }: Placed, shared: SharedCodes): string => `
### ${operation.operationId}

\`${method} ${path}\`: ${operation.summary}. ${operation.description ?? ''}

${parametersOf(operation)}${bodyOf(document, operation)}${answersOf(document, operation, shared)}${exampleOf(document, operation)}`;

/** The page of all endpoints, in Markdown, from the description of the wire. */
export function endpointsPage(document: ReadableDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const shared = new SharedCodes(document);
  const common = table(['an endpoint that is', 'may also refuse with'], shared.rows());
  const rooms = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `\n## ${name}\n\n${description}\n${own.map((placed) => sectionOf(document, placed, shared)).join('')}`;
  });
  return `${intro}${common}\n${index(operations)}${rooms.join('')}`.replaceAll(/ +$/gm, '');
}
