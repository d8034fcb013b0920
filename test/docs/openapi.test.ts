import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import { errorCodes, reservedErrorCodes } from '../../contract/base/error-codes.ts';
import { allowedMethods } from '../../http/exchange/route.ts';
import { describedRoutes } from '../../scripts/docs/openapi/document.ts';
import { type Operation, readableDocument, responseOf } from '../../scripts/docs/openapi/read-document.ts';
import { textOf } from './markdown.ts';

const source = await textOf('docs/openapi.json');
const document = readableDocument.parse(JSON.parse(source));

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

test('the description has no fault that a linter finds', async (t) => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  t.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  );
});

test('every route of the table is described with its methods, and none besides', (t) => {
  const described = operations.map(({ path, method }) => `${method} ${path}`);
  const routes = describedRoutes().flatMap((route) =>
    allowedMethods(route)
      .split(', ')
      .filter((method) => method !== 'OPTIONS' && (method !== 'HEAD' || route.HEAD !== undefined))
      .map((method) => `${method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`),
  );
  t.deepEqual(described.sort(), routes.sort());
});

const codesOf = ({ responses }: Operation): string[] =>
  Object.values(responses).flatMap((answer) =>
    [...responseOf(document, answer).description.matchAll(/^`(\w+)`: /gm)].map(([, code = '']) => code),
  );

test('every code that is sent is described for the operations that may end with it', (t) => {
  const described = new Set(operations.flatMap(({ operation }) => codesOf(operation)));
  // Said of all paths, in the introduction: it is of methods that are no operations.
  const elsewhere = ['method_not_allowed', 'owned_ingest_unavailable', ...reservedErrorCodes];
  t.deepEqual(
    Object.keys(errorCodes).filter((code) => !described.has(code)),
    Object.keys(errorCodes).filter((code) => elsewhere.includes(code)),
  );
});

/** What a run of a host cannot leave an example of, and why. */
const withoutExample: Readonly<Record<string, string>> = {
  checkCaptions: 'captions are checked at once, and a check that is missing takes a crash',
  readOwnedUpload: 'the answer is a head alone',
  sendOwnedUploadPart: 'the answer is a head alone',
  endOwnedUpload: 'the answer is a head alone',
  readEvidenceObject: 'a picture is bytes',
  readCaptionChunk: 'the captions of the sample are within one record',
  readBundle: 'an archive is bytes',
  readPrivateMedia: 'media is bytes',
  followEvents: 'it ends with its client',
  readDescription: 'it would hold itself',
  collectGarbage: 'what it finds differs from run to run',
  readDiskUse: 'what is measured differs from run to run',
  readHostChecks: 'it says what this machine has',
  readMetrics: 'what is measured differs from run to run',
};

test('every operation shows an exchange of a real run, and each fits its schema', (t) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false });
  ajv.addSchema(document, 'wire');
  const shown = operations.flatMap(({ path, method, operation }) => {
    const place = `/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`;
    const contents = Object.entries(operation.responses).flatMap(([status, answer]) => {
      const pointer = '$ref' in answer ? String(answer.$ref).slice(1) : `${place}/responses/${status}`;
      return Object.entries(responseOf(document, answer).content ?? {}).map((each) => [pointer, ...each] as const);
    });
    const bodies = Object.entries(operation.requestBody?.content ?? {});
    const all = [...contents, ...bodies.map((each) => [`${place}/requestBody`, ...each] as const)];
    for (const [pointer, type, { example, examples = {} }] of all) {
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map(({ value }) => value),
      ];
      const schema = `${pointer}/content/${type.replace('/', '~1')}/schema`;
      for (const value of values) {
        const validate = ajv.compile({ $ref: `wire#${encodeURI(schema)}` });
        t.true(validate(value), `${pointer}: ${ajv.errorsText(validate.errors)}`);
      }
    }
    return contents.some(([, , { example }]) => example !== undefined) ? [operation.operationId] : [];
  });
  t.deepEqual(
    operations.map(({ operation }) => operation.operationId).filter((id) => !shown.includes(id)),
    operations.map(({ operation }) => operation.operationId).filter((id) => id in withoutExample),
  );
});
