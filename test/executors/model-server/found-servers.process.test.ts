import { createServer } from 'node:http';
import test from 'ava';
import { serverFault } from '../../../executors/model-server/found-servers.ts';
import { listening } from '../../../fixtures/hosted-model/listening.ts';

test('bug: a server that refuses a key with 403 was taken for a good one', async (t) => {
  let words = '';
  const server = createServer((_request, response) => void response.writeHead(403).end(words));
  t.teardown(() => void server.close());
  await listening(server, 0);
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`;
  const faultFor = async (apiKey: string | null) => (await serverFault({ baseUrl, apiKey, isLocal: true }))?.detail;
  t.is(await faultFor(null), `the model server at ${baseUrl} needs a key`);
  t.is(await faultFor('sk-wrong-key'), `the model server at ${baseUrl} refuses its key`);
  // A key that may only not list the models is right.
  words =
    '{"error":{"message":"You have insufficient permissions for this operation. Missing scopes: api.model.read."}}';
  t.is(await faultFor('sk-right-key'), undefined);
});
