import type { IncomingMessage } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { HostError } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { serving } from '../cli/foreign-host.ts';

const caption = {
  jobId: 'caption-production:1',
  captionArtifactId: 'artifact:1',
  captionContentId: 'sha256:1',
  receiptArtifactId: 'artifact:2',
  receiptId: 'receipt:2',
  receiptContentId: 'sha256:2',
};
const control = { outcome: 'accepted' };

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** A host with captions that are not checked; it refuses the first requests for their check with these codes, then checks them. */
async function unchecked(t: ExecutionContext, refusals: readonly (readonly [status: number, code: string])[]) {
  const asked: unknown[] = [];
  // So that a client that asks for no check is not kept waiting by this test.
  let readsLeft = 3;
  const baseUrl = await serving(t, async (request, response) => {
    const { method, url = '' } = request;
    if (!url.endsWith('/caption-quality-controls')) {
      response.end(JSON.stringify({ captions: [caption] }));
      return;
    }
    if (method === 'POST') {
      const [status, code] = refusals[asked.push(await bodyOf(request)) - 1] ?? [201, null];
      response.statusCode = status;
      const error = { code, message: 'the check could not be written down' };
      response.end(JSON.stringify(code === null ? { qualityControls: [control] } : { error }));
      return;
    }
    readsLeft -= 1;
    response.end(JSON.stringify({ qualityControls: readsLeft > 0 ? [] : [control] }));
  });
  return { asked, captions: StudyHost.connect({ baseUrl, token: 'any' }, { reconnectMs: 0 }).captions };
}

const candidate = {
  jobId: caption.jobId,
  captionArtifactId: caption.captionArtifactId,
  captionContentId: caption.captionContentId,
  captionReceiptId: caption.receiptId,
  captionReceiptContentId: caption.receiptContentId,
};

test('bug: a client waited for ever for a check of captions that could not be written down', async (t) => {
  const { asked, captions } = await unchecked(t, [[500, 'internal_failure']]);
  const error = await t.throwsAsync(captions.checked('runtime:1'), { instanceOf: HostError });
  t.like(error, { code: 'internal_failure', message: 'the check could not be written down' });
  t.deepEqual(asked, [{ candidate }]);
});

test('a client has captions checked whose check is missing', async (t) => {
  const { asked, captions } = await unchecked(t, []);
  t.deepEqual(await captions.checked('runtime:1'), control as never);
  t.is(asked.length, 1);
});

test('a client waits for a check that is under way', async (t) => {
  const { asked, captions } = await unchecked(t, [
    [409, 'illegal_caption_qc_transition'],
    [409, 'illegal_caption_qc_transition'],
  ]);
  t.deepEqual(await captions.checked('runtime:1'), control as never);
  t.is(asked.length, 2);
});
