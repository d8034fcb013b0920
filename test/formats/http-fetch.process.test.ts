import { getEventListeners, once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createConnections } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { modelsAt, serverFault } from '../../executors/model-server/found-servers.ts';
import { boundedFetch, isAbsent } from '../../executors/model-server/hosted-provider.ts';
import { directFetch, type HttpRequest, heldFetch, httpFetch } from '../../formats/http-fetch.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

async function serverOf(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** An answer without an end, as fast as its reader takes it. */
const floods: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = () => {
    while (response.write(chunk));
    response.once('drain', more);
  };
  more();
};

/** An answer without an end, a byte at a time. */
const drips: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 5);
  response.once('close', () => clearInterval(timer));
};

/** Both ways to send a request. */
const senders = {
  directFetch,
  heldFetch: (address: string, request: HttpRequest) => heldFetch(fetch, address, request),
};

for (const [what, answer] of Object.entries({ floods, drips })) {
  test(`bug: the search for engines read an answer that ${what} without a bound, and lost its limit of time`, async (t) => {
    const server = await serverOf(t, answer);
    t.is(await modelsAt(server), null);
    // They need the head alone.
    t.is(await serverFault({ baseUrl: server, apiKey: null, isLocal: true }), null);
    t.false(await isAbsent({ baseUrl: server }));
  });

  test(`an answer that ${what} ends with its signal, over a direct connection and by fetch`, async (t) => {
    const server = await serverOf(t, answer);
    for (const [name, send] of Object.entries(senders)) {
      const stop = new AbortController();
      const response = await send(server, { signals: [stop.signal] });
      const reading = (async () => {
        let bytes = 0;
        for await (const chunk of response.body ?? []) {
          bytes += chunk.length;
          if (bytes > 20) stop.abort(new Error('enough'));
        }
      })();
      await t.throwsAsync(reading, { message: 'enough' }, name);
      t.is(getEventListeners(stop.signal, 'abort').length, 0, name);
    }
  });
}

test('a list of models that is too long, or no list, counts as no server', async (t) => {
  const lists: unknown[] = [{ data: [{ id: 'a'.repeat(2 ** 20) }] }, { data: 'all' }, { data: null }, 'no'];
  const server = await serverOf(t, (_, response) => response.end(JSON.stringify(lists.pop())));
  while (lists.length > 0) t.is(await modelsAt(server), null);
  const usual = await serverOf(t, (_, response) =>
    response.end('{"data":[{"id":"small"},{"id":7},{"id":"a b"},{"id":"a\\nb"}]}'),
  );
  t.deepEqual(await modelsAt(usual), ['small', 'a b'], 'names without breaks of lines');
  t.deepEqual(await modelsAt(await serverOf(t, (_, response) => response.end('{"object":"list"}'))), []);
});

test('a request to this machine has a body, a type and a length, and an answer as fetch gives it', async (t) => {
  const asked: (readonly unknown[])[] = [];
  const server = await serverOf(t, ({ method, headers }, response) => {
    response.writeHead(207, { 'x-two': ['a', 'b'] }).end('answer');
    asked.push([method, headers['content-type']?.split(';')[0], headers['content-length']]);
  });
  const form = new FormData();
  form.set('file', new Blob(['12345']), 'five');
  for (const body of [null, '', 'text', new Blob(['blob'], { type: 'a/b' }), form]) {
    const answer = await httpFetch(server, { method: 'POST', body });
    t.deepEqual([answer.status, answer.headers.get('x-two'), await answer.text()], [207, 'a, b', 'answer']);
  }
  t.deepEqual(asked.slice(0, 4), [
    ['POST', undefined, '0'],
    ['POST', 'text/plain', '0'],
    ['POST', 'text/plain', '4'],
    ['POST', 'a/b', '4'],
  ]);
  t.is(asked[4]?.[1], 'multipart/form-data');
});

/** A server that answers each request with the same bytes, whatever they are. */
async function serverOfBytes(t: ExecutionContext, head: string, body: Uint8Array = Buffer.alloc(0)): Promise<string> {
  const server = createConnections((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(`HTTP/1.1 ${head}\r\n\r\n`);
      socket.write(body);
    });
    t.teardown(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

for (const status of ['999 Odd', '600 Odd'])
  test(`bug: an answer with the status ${status} ended the process`, async (t) => {
    const { signal } = new AbortController();
    const server = await serverOfBytes(t, `${status}\r\ncontent-length: 0`);
    await t.throwsAsync(httpFetch(server, { signals: [signal] }), { instanceOf: RangeError });
    t.is(getEventListeners(signal, 'abort').length, 0);
  });

test('bug: a request that a server answered with 101 never ended', async (t) => {
  const { signal } = new AbortController();
  const server = await serverOfBytes(t, '101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other');
  await t.throwsAsync(httpFetch(server, { signals: [signal] }), { message: /answered 101/ });
  t.is(getEventListeners(signal, 'abort').length, 0);
});

test('bug: a file that changed while it was sent failed as a connection that closed', async (t) => {
  const file = join(await scratchFolder(t), 'film');
  await writeFile(file, 'a film');
  const body = await openAsBlob(file);
  await writeFile(file, 'other');
  const server = await serverOf(t, (request) => request.resume());
  for (const [name, send] of Object.entries(senders)) {
    // `fetch` gives its reason as a cause.
    const reason = await send(server, { method: 'PATCH', body }).catch((error) => error.cause ?? error);
    t.is(reason.name, 'NotReadableError', name);
  }
});

test('bug: a request that Node refuses stayed on its signal', async (t) => {
  const { signal } = new AbortController();
  await t.throwsAsync(httpFetch('http://127.0.0.1:1/', { method: 'A B', signals: [signal] }));
  t.is(getEventListeners(signal, 'abort').length, 0);
});

test('bug: an answer of this machine that was compressed was read as it came', async (t) => {
  const text = '{"text":"answer"}';
  const bodies: readonly (readonly [string, Buffer])[] = [
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity, gzip, br', brotliCompressSync(gzipSync(text))],
  ];
  const answerOf = async (coding: string, body: Buffer) =>
    httpFetch(
      await serverOfBytes(t, `200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${body.length}`, body),
      {},
    );
  for (const [coding, body] of bodies) t.is(await (await answerOf(coding, body)).text(), text, coding);
  const broken = await answerOf('gzip', Buffer.from('no gzip'));
  await t.throwsAsync(broken.text(), { code: 'Z_DATA_ERROR' });
  await t.throwsAsync(answerOf('compress', Buffer.from('x')), { message: /coding compress/ });
  await t.throwsAsync(answerOf(Array(9).fill('gzip').join(), Buffer.from('x')), { message: /9 codings/ });
  // The bound of an answer is one of what it says, not of what the connection carried.
  const bomb = gzipSync(Buffer.alloc(2 ** 21));
  const head = `200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}`;
  const ask = boundedFetch({ apiKey: null, maximumBytes: 2 ** 20 });
  await t.throwsAsync(ask(await serverOfBytes(t, head, bomb)), { message: /^too_large/ });
});

test('nothing stays on a signal that lives long, however its requests end', async (t) => {
  const { signal } = new AbortController();
  const server = await serverOf(t, ({ url }, response) => {
    if (url === '/v1/breaks') response.destroy();
    else if (url === '/v1/none') response.writeHead(204).end();
    else response.end('whole');
  });
  const signals = [signal];
  const count = () => getEventListeners(signal, 'abort').length;
  for (const [name, send] of Object.entries(senders)) {
    t.is(await (await send(`${server}/whole`, { signals })).text(), 'whole');
    await (await send(`${server}/whole`, { signals })).body?.cancel();
    t.is((await send(`${server}/none`, { signals })).body, null);
    await t.throwsAsync(send(`${server}/breaks`, { signals }));
    // A connection closes behind the end of its answer.
    while (count() > 0) await new Promise((resolve) => setImmediate(resolve));
    t.pass(name);
  }
  const over = AbortSignal.abort(new Error('over'));
  await t.throwsAsync(httpFetch(server, { signals: [signal, over] }), { message: 'over' });
});

// It puts another `fetch` in the place of the platform's: no other test may run beside it.
test.serial('requests to every spelling of an address of this machine go there directly', async (t) => {
  const server = createServer((_, response) => response.end('direct'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { fetch: platform } = globalThis;
  t.teardown(() => {
    globalThis.fetch = platform;
  });
  globalThis.fetch = async () => new Response('by fetch');
  const asked = async (host: string, scheme = 'http') =>
    (await httpFetch(`${scheme}://${host}:${port}/`, {}).catch((error) => new Response(error.code))).text();
  for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST', '127.1', '0x7f.0.0.1', '2130706433', '[::ffff:127.0.0.1]'])
    t.is(await asked(host), 'direct', host);
  // Nothing takes these connections, and no request goes to fetch in their place.
  for (const [host, scheme] of [['[::1]'], ['127.0.0.2'], ['127.0.0.1', 'https']] as const)
    t.not(await asked(host, scheme), 'by fetch', host);
  for (const host of ['127.0.0.1.example.org', 'localhost.example.org', '10.0.0.1', '[::2]', 'models.example.org'])
    t.is(await asked(host), 'by fetch', host);
});

test('the answer of a model server is bounded in bytes, whatever carries it', async (t) => {
  const server = await serverOf(t, floods);
  const ask = boundedFetch({ apiKey: null, maximumBytes: 100_000 });
  await t.throwsAsync(ask(server), { message: 'too_large: the answer passes 100000 bytes' });
});

test('bug: in Chromium, whose fetch gives 204 an empty body, the answer to each upload was lost', async (t) => {
  let canceled = 0;
  const cancel = () => {
    canceled += 1;
  };
  const body = new ReadableStream({ cancel });
  // No constructor makes such an answer.
  const answer = { status: 204, statusText: '', headers: new Headers({ 'upload-offset': '7' }), body };
  const response = await heldFetch(async () => answer as Response, 'http://127.0.0.1:9/v1', { method: 'PATCH' });
  t.deepEqual([response.status, response.headers.get('upload-offset'), response.body], [204, '7', null]);
  t.is(canceled, 1);
});
