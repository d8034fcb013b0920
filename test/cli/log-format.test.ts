import test from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const key = 'sk-a-key-that-nobody-may-see';

test('in a whole run no format of the log holds the token, the secret of a grant or the key of a provider', async (t) => {
  for (const format of ['text', 'json']) {
    const flags = ['--port', '0', '--data-root', await scratchFolder(t), '--log-format', format];
    const running = new RunningHost({ flags, environment: { OPENAI_API_KEY: key } });
    t.teardown(() => running.kill());
    const { listening, authorizationToken, pid: ownPid } = await running.announced();
    const [baseUrl, token] = [String(listening), String(authorizationToken)];
    const client = StudyHost.connect({ baseUrl, token });
    t.like(await client.health(), { status: 'ok' });
    const [source] = await client.sources();
    if (source === undefined) throw new Error('the sample is not listed');
    const study = client.study(source, {
      range: { startMs: 0, endMs: 1000 },
      requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
      targetLanguage: 'en',
      outputDepth: 'evidence',
    });
    const { runtimeId } = await study.started;
    await study.ended();
    const { url } = await client.playbackUrl(runtimeId, baseUrl);
    t.is((await fetch(url, { headers: { Origin: baseUrl } })).status, 200);
    await fetch(`${baseUrl}/v1/health`, { headers: { Origin: 'http://evil.example' } });
    const named = await fetch(`${baseUrl}/v1/runtimes/${token}?after=1`, {
      headers: { Authorization: `Bearer ${token}`, 'X-Request-ID': 'asked-by-hand' },
    });
    t.is(named.headers.get('x-request-id'), 'asked-by-hand');
    const unnamed = await fetch(`${baseUrl}/v1/health`, { headers: { 'X-Request-ID': token } });
    t.true((await client.metrics()).includes('media_study_actors'));
    t.is((await running.stop()).code, 0);
    const lines = running.stderr.trimEnd().split('\n');
    t.true(lines.length >= 4, running.stderr);
    for (const secret of [token, url.split('/').at(-1) ?? token, key]) t.false(running.stderr.includes(secret));
    if (format === 'text') continue;
    const documents = lines.map((line) => JSON.parse(line));
    for (const { level, time, pid, message, ...request } of documents) {
      t.deepEqual([level, pid, typeof message, new Date(time).toISOString()], ['info', ownPid, 'string', time]);
      if (Object.keys(request).length > 0) {
        t.deepEqual(Object.keys(request), ['requestId', 'method', 'path', 'status', 'durationMs'], message);
      }
    }
    t.regex(documents[0].message, /^Local Media Study Service /);
    const logged = (requestId: string | null) => documents.filter((document) => document.requestId === requestId);
    t.is(logged('asked-by-hand').length, 1);
    t.like(logged('asked-by-hand')[0], { method: 'GET', path: '/v1/runtimes/:runtimeId', status: 400 });
    t.like(logged(unnamed.headers.get('x-request-id'))[0], { method: 'GET', path: '/v1/health', status: 200 });
    t.true(documents.some(({ path }) => path === '/v1/private-source-media/:grantId/:secret'));
  }
});

test('a start that is refused says so in the format that was asked for', async (t) => {
  const root = await scratchFolder(t);
  const flags = ['--port', '0', '--log-format', 'json'];
  const running = new RunningHost({ flags: [...flags, '--data-root', root, '--token-file', root] });
  t.is((await running.ended).code, 1);
  const last = JSON.parse(running.stderr.trimEnd().split('\n').at(-1) ?? '');
  t.like(last, { level: 'fatal' });
  t.regex(last.message, /^invalid_host_token: /);
});
