import test from 'ava';
import { HostError, HostUnreachable } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { addressFinder, Transport } from '../../client/transport.ts';
import { patienceMs, within } from '../patience.ts';
import { typesOf } from './event-types.ts';

/** A client whose host gives the nth answer to the nth request, and the queries of these requests. */
function answering(answer: (nth: number) => Response) {
  const asked: string[] = [];
  const client = StudyHost.connect(
    { baseUrl: 'http://127.0.0.1:1', token: '' },
    { fetch: async (url) => answer(asked.push(new URL(String(url)).search)) },
  );
  return { client, asked };
}

test('a request is sent again if its connection was refused, and not if it may have reached a host', async (t) => {
  const failing = (code: string) => {
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      if (asked === 1) throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
      return Response.json({ asked });
    };
    return new Transport({ baseUrl: 'http://127.0.0.1:1', token: '' }, { fetch }).json('/v1/any', { method: 'POST' });
  };
  t.deepEqual(await failing('ECONNREFUSED'), { asked: 2 });
  await t.throwsAsync(failing('ECONNRESET'), { instanceOf: HostUnreachable });
});

test('a host without streams is followed page by page', async (t) => {
  const { client: old, asked } = answering((nth) => {
    const page = { runtimeId: 'runtime:1', lifecycle: 'terminal', reason: null, terminal: true, journalHead: 2 };
    return Response.json({ ...page, events: [{ seq: nth, type: `event ${nth}` }], reachedHead: nth === 2 });
  });
  t.deepEqual(await typesOf(old.follow('runtime:1')), ['event 1', 'event 2'] as never[]);
  t.deepEqual(asked, ['?after=0&limit=200&wait=8000', '?after=1&limit=200&wait=8000']);
});

test('bug: a client asked another server for half a minute, and followed a study there for ever', async (t) => {
  const { client, asked } = answering(() => new Response('<!doctype html><title>Another server</title>'));
  const refusal = { instanceOf: HostError, code: 'unknown_answer', message: 'the answer is not one of this service' };
  await t.throwsAsync(client.health(), refusal);
  await t.throwsAsync(typesOf(client.follow('runtime:1')), refusal);
  t.is(asked.length, 2);
});

test('bug: a caller who awaited the end of a study got no progress', async (t) => {
  const status = { runtimeId: 'runtime:1', lifecycle: 'terminal', journalHead: 2 };
  const stream = 'event: progress\ndata: {"stage":"speech"}\n\nevent: ended\ndata: {}\n\n';
  const host = StudyHost.connect(
    { baseUrl: 'http://127.0.0.1:1', token: '' },
    {
      fetch: async (url) =>
        String(url).includes('/events')
          ? new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } })
          : Response.json(status),
    },
  );
  const source = { sourceSessionId: 'source-session:1', sourceRevisionId: 'source-revision:1', durationMs: 1000 };
  const steps: string[] = [];
  const asked = () => host.study(source, { targetLanguage: 'en' }, { onProgress: ({ stage }) => steps.push(stage) });
  t.is((await asked().ended()).lifecycle, 'terminal');
  t.deepEqual(steps, ['speech']);
  const iterated = asked();
  for await (const _ of iterated);
  await iterated.ended();
  t.deepEqual(steps, ['speech', 'speech'], 'an iteration calls it once');
});

test('bug: progress was reported twice if an iteration of the events began while its caller awaited the end', async (t) => {
  const status = { runtimeId: 'runtime:1', lifecycle: 'terminal', journalHead: 2 };
  const stream = 'event: progress\ndata: {"stage":"speech"}\n\nevent: ended\ndata: {}\n\n';
  let asked = 0;
  const host = StudyHost.connect(
    { baseUrl: 'http://127.0.0.1:1', token: '' },
    {
      fetch: async (url) => {
        if (!String(url).includes('/events')) return Response.json(status);
        asked += 1;
        while (asked < 2) await new Promise((resolve) => setTimeout(resolve, 1));
        return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
      },
    },
  );
  const source = { sourceSessionId: 'source-session:1', sourceRevisionId: 'source-revision:1', durationMs: 1000 };
  const steps: string[] = [];
  const study = host.study(source, { targetLanguage: 'en' }, { onProgress: ({ stage }) => steps.push(stage) });
  const end = study.ended();
  while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  for await (const _ of study);
  await end;
  t.deepEqual(steps, ['speech']);
});

const wav = new Blob([new Uint8Array([0x52, 0x49, 0x46, 0x46, 4, 0, 0, 0, 0x57, 0x41, 0x56, 0x45])]);
const sound = { label: 'A', rightsHolder: 'Me', ownershipAttested: true, filename: 'a.wav' } as const;

/** A client whose host opens an ingest and answers each later request as `next` does; the paths of these requests. */
function ingesting(next: (path: string, method: string) => Response | Promise<Response>, onOpen = () => {}) {
  // A client that waits for a lost host waits longer than a test does.
  const reconnectMs = 2 * patienceMs;
  const asked: string[] = [];
  const fetched: typeof fetch = async (url, init) => {
    const { pathname } = new URL(String(url));
    init?.signal?.throwIfAborted();
    if (pathname.endsWith('/owned-media-ingests')) {
      onOpen();
      await new Promise((resolve) => setTimeout(resolve, 20));
      init?.signal?.throwIfAborted();
      return Response.json({ ingestId: 'owned-ingest:1', status: 'queued', source: null });
    }
    asked.push(pathname.slice(pathname.lastIndexOf('/') + 1));
    return next(pathname, init?.method ?? 'GET');
  };
  return {
    asked,
    client: StudyHost.connect({ baseUrl: 'http://127.0.0.1:1', token: '' }, { fetch: fetched, reconnectMs }),
  };
}

test('bug: an ingest stayed open if its signal was aborted while the host opened it', async (t) => {
  const stop = new AbortController();
  const { asked, client } = ingesting(
    () => Response.json({}),
    () => stop.abort(new Error('stopped')),
  );
  await t.throwsAsync(client.ingestFile(wav, { ...sound, signal: stop.signal }), { message: 'stopped' });
  t.deepEqual(asked, ['cancellations']);
});

test('bug: an ingest stayed open if the host refused a part of its file', async (t) => {
  const { asked, client } = ingesting((path, method) => {
    const error = { code: 'insufficient_storage', message: 'the disk is full' };
    if (method === 'PATCH') return Response.json({ error }, { status: 507 });
    return path.endsWith('/cancellations') ? Response.json({}) : new Promise(() => {});
  });
  await t.throwsAsync(client.ingestFile(wav, sound), { instanceOf: HostError, code: 'insufficient_storage' });
  t.is(asked.at(-1), 'cancellations');
});

test('bug: an aborted ingest ended only after half a minute if its host was gone', async (t) => {
  const stop = new AbortController();
  let isBack = false;
  const { client } = ingesting(() => {
    if (isBack) return Response.json({});
    if (!stop.signal.aborted) setTimeout(() => stop.abort(new Error('stopped')), 10);
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }) });
  });
  const ended = t.throwsAsync(client.ingestFile(wav, { ...sound, signal: stop.signal }), { message: 'stopped' });
  await within('the end of the ingest', ended);
  // The cancellation is still repeated, and would keep this process until it is answered.
  isBack = true;
});

test('the actors of a host are followed behind the last commit after each cut', async (t) => {
  const { client, asked } = answering((nth) => {
    const commit = 4 + nth;
    const events = [
      `id: 3,${commit}\nevent: actors\ndata: {"commit":${commit}}`,
      'event: progress\ndata: {}',
      `id: 3,${commit + 10}\nevent: transition\ndata: {"actorId":"a","seq":1}`,
    ];
    return new Response(`${events.join('\n\n')}\n\n`, { headers: { 'Content-Type': 'text/event-stream' } });
  });
  const seen: unknown[] = [];
  for await (const message of client.watch({ runtimes: { r: 3 }, actors: 'all' })) {
    if (message.event !== 'progress') seen.push(message);
    if (seen.length === 3) break;
  }
  t.deepEqual(asked, ['?runtimes=r@3&actors=all', '?runtimes=r@3&actors=all@15']);
  t.deepEqual(seen[0], { event: 'actors', data: { commit: 5 } });
});

const caption = {
  jobId: 'caption-production:1',
  captionArtifactId: 'artifact:1',
  captionContentId: 'sha256:1',
  receiptArtifactId: 'artifact:2',
  receiptId: 'receipt:2',
  receiptContentId: 'sha256:2',
};

const control = { outcome: 'accepted' };

/** A host with captions that are not checked; it refuses the first requests for their check with these codes, then checks them. */
function unchecked(refusals: readonly (readonly [status: number, code: string])[]) {
  const asked: unknown[] = [];
  // So that a client that asks for no check is not kept waiting by this test.
  let readsLeft = 3;
  const answer: typeof fetch = async (url, init) => {
    if (!String(url).endsWith('/caption-quality-controls')) return Response.json({ captions: [caption] });
    if (init?.method === 'POST') {
      const [status, code] = refusals[asked.push(JSON.parse(String(init.body))) - 1] ?? [201, null];
      const error = { code, message: 'the check could not be written down' };
      return Response.json(code === null ? { qualityControls: [control] } : { error }, { status });
    }
    readsLeft -= 1;
    return Response.json({ qualityControls: readsLeft > 0 ? [] : [control] });
  };
  const address = { baseUrl: 'http://127.0.0.1:1', token: 'any' };
  return { asked, captions: StudyHost.connect(address, { reconnectMs: 0, fetch: answer }).captions };
}

const candidate = {
  jobId: caption.jobId,
  captionArtifactId: caption.captionArtifactId,
  captionContentId: caption.captionContentId,
  captionReceiptId: caption.receiptId,
  captionReceiptContentId: caption.receiptContentId,
};

test('bug: a client waited for ever for a check of captions that could not be written down', async (t) => {
  const { asked, captions } = unchecked([[500, 'internal_failure']]);
  const error = await t.throwsAsync(captions.checked('runtime:1'), { instanceOf: HostError });
  t.like(error, { code: 'internal_failure', message: 'the check could not be written down' });
  t.deepEqual(asked, [{ candidate }]);
});

test('a client has captions checked whose check is missing', async (t) => {
  const { asked, captions } = unchecked([]);
  t.deepEqual(await captions.checked('runtime:1'), control as never);
  t.is(asked.length, 1);
});

test('a client waits for a check that is under way', async (t) => {
  const { asked, captions } = unchecked([
    [409, 'illegal_caption_qc_transition'],
    [409, 'illegal_caption_qc_transition'],
  ]);
  t.deepEqual(await captions.checked('runtime:1'), control as never);
  t.is(asked.length, 2);
});

const review = { state: 'approved_for_caption_production', reviewId: 'review' };
const ofRuntime = (path: string) => `/v1/runtimes/runtime%3Aa/${path}`;

test('a client waits for the work of a model, however long it takes', async (t) => {
  const waitedFor: string[] = [];
  const host = StudyHost.connect(
    { baseUrl: 'http://127.0.0.1:1', token: 'token' },
    {
      fetch: async (url) => Response.json(String(url).includes('review') ? { reviews: [review] } : { captions: [{}] }),
      patientFetch: async (url, { method }) => {
        waitedFor.push(`${method} ${new URL(url).pathname}`);
        return Response.json({});
      },
    },
  );
  await host.captions.produce('runtime:a');
  await host.captions.explain('runtime:a', {} as Parameters<typeof host.captions.explain>[1]);
  t.deepEqual(waitedFor, [`POST ${ofRuntime('caption-productions')}`, `POST ${ofRuntime('language-explanations')}`]);
});

// It sets the clock of the process back: no other test may run beside it.
test.serial('bug: a clock that was set back kept a caller waiting for a host that was gone', async (t) => {
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  let asked = 0;
  const setBack: typeof fetch = async () => {
    asked += 1;
    Date.now = () => now() - 3_600_000;
    // A caller that still waits now would do so for an hour.
    if (asked === 4) return Response.json({});
    throw new TypeError('fetch failed');
  };
  const host = StudyHost.connect({ baseUrl: 'http://127.0.0.1:1', token: 'token' }, { reconnectMs: 1, fetch: setBack });
  await t.throwsAsync(host.health(), { instanceOf: HostUnreachable });
});

test('bug: the error of a request named the next address of the host, and looked for it a second time', async (t) => {
  let found = 0;
  const place = () => {
    found += 1;
    return { baseUrl: `http://127.0.0.1:${found}`, token: 'token' };
  };
  const refused: typeof fetch = async () => {
    throw new TypeError('fetch failed');
  };
  const host = StudyHost.connect(place, { reconnectMs: 0, fetch: refused });
  await t.throwsAsync(host.health(), { instanceOf: HostUnreachable, message: 'no host answers at http://127.0.0.1:1' });
  t.is(found, 1);
});

test('a place that finds no host says why, once', async (t) => {
  let found = 0;
  const host = StudyHost.connect(() => {
    found += 1;
    throw new Error(`no host, ${found}`);
  });
  await t.throwsAsync(host.health(), { message: 'no host, 1' });
  t.is(found, 1);
});

test('bug: a client asked at an address without a scheme for half a minute, and then said that no host answers', async (t) => {
  const wrong = { baseUrl: '127.0.0.1:4312', token: 'token' };
  const refusal = {
    instanceOf: TypeError,
    message: 'the address of a host is needed, such as http://127.0.0.1:4312, and not "127.0.0.1:4312"',
  };
  t.throws(() => StudyHost.connect(wrong), refusal);
  await t.throwsAsync(StudyHost.connect(() => wrong).health(), refusal);
  for (const baseUrl of ['localhost:4312', 'http:/127.0.0.1', 'http://127.0.0.1:port', '']) {
    t.throws(() => StudyHost.connect({ baseUrl, token: '' }), { instanceOf: TypeError }, baseUrl);
  }
});

test('bug: a client with a token that no header can carry asked for half a minute, and then said that no host answers', async (t) => {
  for (const token of ['\u1100', 't\u00f6ken', 'two\nlines']) {
    const wrong = { baseUrl: 'http://127.0.0.1:4312', token };
    const refusal = { instanceOf: TypeError, message: /ASCII characters only/ };
    t.throws(() => StudyHost.connect(wrong), refusal);
    await t.throwsAsync(StudyHost.connect(() => wrong).health(), refusal);
  }
});

const line = { listening: 'http://127.0.0.1:4312/', authorizationToken: 'token' };
const hostAddress = { baseUrl: 'http://127.0.0.1:4312', token: 'token' };

test('a slash at the end of an address is left out, however the address is given', async (t) => {
  const given = { ...hostAddress, baseUrl: `${hostAddress.baseUrl}/` };
  for (const place of [line, JSON.stringify(line), given, () => given, async () => given]) {
    t.deepEqual(await addressFinder(place)(), hostAddress);
  }
});
