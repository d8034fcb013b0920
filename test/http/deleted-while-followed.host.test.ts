import test, { type ExecutionContext } from 'ava';
import { createParser } from 'eventsource-parser';
import { errorEnvelope } from '../../contract/base/errors.ts';
import { ownedIngestStatus } from '../../contract/ingest.ts';
import { TestHost } from '../host/test-host.ts';
import { eventually, within } from '../patience.ts';

interface Stream {
  /** The names of the events so far. */
  readonly names: string[];
  /** The error envelopes among them. */
  readonly refusals: { readonly code: string; readonly message: string }[];
  readonly ended: Promise<unknown>;
}

/** Follows what a query names until the host ends the stream. */
async function followed(host: TestHost, query: string): Promise<Stream> {
  const answer = await host.begin('GET', `/v1/events?${query}`, { headers: { Accept: 'text/event-stream' } });
  const names: string[] = [];
  const refusals: { readonly code: string; readonly message: string }[] = [];
  const parser = createParser({
    onEvent: ({ event = '', data }) => {
      names.push(event);
      if (event === 'refused') refusals.push(errorEnvelope.parse(JSON.parse(data)).error);
    },
  });
  const ended = (async () => {
    for await (const chunk of answer.chunks) parser.feed(chunk.toString('utf8'));
  })();
  return { names, refusals, ended };
}

async function deleted(t: ExecutionContext, host: TestHost, path: string): Promise<void> {
  const answer = await host.ask('DELETE', path);
  t.is(answer.status, 200, answer.body.toString());
}

test('bug: an open stream of several said nothing when one of its runtimes was deleted', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { oneSecond, tenSeconds } = host.known.studies;
  const stream = await followed(host, `runtimes=${tenSeconds},${oneSecond}`);
  await eventually('both journals', () => stream.names.filter((name) => name === 'ended').length === 2);
  await deleted(t, host, `/v1/runtimes/${oneSecond}`);
  await within('the end of the stream', stream.ended);
  const [refusal] = stream.refusals;
  t.is(refusal?.code, 'runtime_deleted');
  t.true(refusal?.message.startsWith(`${oneSecond}: the runtime was deleted at `), refusal?.message);
  const again = await followed(host, `runtimes=${tenSeconds}`);
  await eventually('the other one', () => again.names.includes('ended'));
});

test('bug: an open stream of the transitions of an actor said nothing when the actor was deleted', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { oneSecond } = host.known.studies;
  const stream = await followed(host, `actors=${oneSecond}`);
  await eventually('its transitions', () => stream.names.includes('transition'));
  await deleted(t, host, `/v1/runtimes/${oneSecond}`);
  await within('the end of the stream', stream.ended);
  t.is(stream.refusals[0]?.code, 'unknown_actor');
  t.true(stream.refusals[0]?.message.startsWith(`${oneSecond}: `));
});

test('bug: an open stream of an ingest said nothing when its source was deleted', async (t) => {
  const host = await TestHost.open(t, { life: 'ingested' });
  const { registered } = host.known.ingests;
  const status = host.granted(t, await host.get(`/v1/owned-media-ingests/${registered}`), 200, ownedIngestStatus);
  const sourceSessionId = status.source?.sourceSessionId;
  const stream = await followed(host, `ingests=${registered}`);
  await eventually('its status', () => stream.names.includes('ingest'));
  await deleted(t, host, `/v1/source-sessions/${sourceSessionId}`);
  await within('the end of the stream', stream.ended);
  t.is(stream.refusals[0]?.code, 'source_deleted');
});

test('an open stream of all actors goes on when one of them is deleted', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const stream = await followed(host, 'actors=all');
  await eventually('its beginning', () => stream.names.includes('actors'));
  await deleted(t, host, `/v1/runtimes/${host.known.studies.oneSecond}`);
  t.deepEqual(stream.refusals, []);
});
