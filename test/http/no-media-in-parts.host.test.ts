import test from 'ava';
import { TestHost } from '../host/test-host.ts';
import { holdsOnly, ingestRequest, ingests, openIngest, statusOf, storedFiles } from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';

const part = { 'Tus-Resumable': '1.0.0', 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': 0 };

test('bug: a text was taken to its last byte before its ingest failed', async (t) => {
  const host = await TestHost.open(t);
  const before = await storedFiles(host);
  const ingestId = await openIngest(t, host, ingestRequest(8_000_000_000));
  const answer = await host.ask('PATCH', `${ingests}/${ingestId}/upload`, {
    headers: part,
    body: Buffer.from('a letter, '.repeat(900)),
  });
  t.is(answer.status, 410);
  t.regex(answer.body.toString(), /upload_gone.*the file is text, and no media/);
  const { status, failure } = await statusOf(t, host, ingestId);
  t.is(status, 'failed');
  t.deepEqual(failure, { code: 'upload_failed', message: 'the file is text, and no media' });
  await holdsOnly(t, host, before);
});

test('the beginning of media is taken, and so is a text that is here as a whole', async (t) => {
  const host = await TestHost.open(t);
  const media = humWav(1);
  const first = await openIngest(t, host, ingestRequest(media.length));
  const taken = await host.ask('PATCH', `${ingests}/${first}/upload`, {
    headers: part,
    body: media.subarray(0, 5000),
  });
  t.is(taken.headers['upload-offset'], '5000');
  const text = Buffer.from('a letter');
  const second = await openIngest(t, host, ingestRequest(text.length));
  const whole = await host.ask('PATCH', `${ingests}/${second}/upload`, { headers: part, body: text });
  t.is(whole.status, 204);
});
