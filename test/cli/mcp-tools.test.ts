import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { DEFAULT_REQUEST_TIMEOUT_MSEC } from '@modelcontextprotocol/sdk/shared/protocol.js';
import test from 'ava';
import { ExportFolder, studyTools } from '../../cli/mcp-tools.ts';
import { StudyHost } from '../../client/study-host.ts';

test('bug: a call that follows a quiet study for a minute ended after its agent had given it up', async (t) => {
  let waitedMs = 0;
  const quiet = { events: [], lifecycle: 'running', terminal: false, reason: null, journalHead: 5 };
  // A host that answers each request at once; the wait is in its address.
  const host = StudyHost.connect(
    { baseUrl: 'http://127.0.0.1:1', token: 'any' },
    {
      fetch: async (url) => {
        waitedMs += Number(new URL(String(url)).searchParams.get('wait'));
        return Response.json(quiet);
      },
    },
  );
  const [end, other] = InMemoryTransport.createLinkedPair();
  const agent = new Client({ name: 'an agent', version: '1' });
  await Promise.all([studyTools(host, new ExportFolder(null)).connect(other), agent.connect(end)]);
  t.teardown(() => agent.close());
  const asked = { runtimeId: 'runtime:x', cursor: 5, waitMs: 60_000 };
  const { isError } = await agent.callTool({ name: 'follow_study', arguments: asked });
  t.falsy(isError);
  t.true(waitedMs >= 40_000 && waitedMs < DEFAULT_REQUEST_TIMEOUT_MSEC - 5_000, String(waitedMs));
});

test('bug: the overview for an agent named flags of the host, which no agent can give', async (t) => {
  const part = { state: 'done', text: 'x', causes: [], reasonCodes: [], receiptIds: [], path: '/v1/x' };
  const text = 'this host does not make captions; restart it with --caption-executor grouped-subtitles';
  const captions = { ...part, state: 'never', text, causes: [{ code: 'no_caption_executor', params: {} }] };
  const host = StudyHost.connect(
    { baseUrl: 'http://127.0.0.1:1', token: 'any' },
    { fetch: async () => Response.json({ captions, check: part, explanations: part }) },
  );
  const [end, other] = InMemoryTransport.createLinkedPair();
  const agent = new Client({ name: 'an agent', version: '1' });
  await Promise.all([studyTools(host, new ExportFolder(null)).connect(other), agent.connect(end)]);
  t.teardown(() => agent.close());
  const answer = await agent.callTool({ name: 'read_overview', arguments: { runtimeId: 'runtime:x' } });
  const [content] = answer.content as readonly { readonly text: string }[];
  const seen = JSON.parse(content?.text ?? '{}');
  t.is(
    seen.captions.text,
    'this host does not make captions; read_caption_methods has the methods of a study, and produce_captions makes captions by one',
  );
  t.deepEqual(seen.captions.causes, captions.causes);
});
