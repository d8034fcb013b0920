import test from 'ava';
import type { HostContract } from '../host/contract.ts';
import { followed, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';

const path = '/v1/metrics';

/** The samples of a text, by what stands before the value. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** What a host measures. */
export function metrics(contract: HostContract): void {
  const read = async () => samplesOf((await contract.get(path)).body.toString());

  test.serial(contract.title('metrics are for holders of the token, as text in the Prometheus format'), async (t) => {
    contract.refused(t, await contract.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
    const answer = await contract.get(path);
    t.is(answer.status, 200);
    t.is(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    const lines = answer.body.toString().trimEnd().split('\n');
    const comment = /^# (HELP|TYPE) [a-z_]+ \S/;
    const sample = /^[a-z_]+(\{([a-z]+="[^"]*",?)+\})? (-?\d+(\.\d+)?(e[+-]\d+)?|\+Inf|NaN)$/;
    for (const line of lines) t.true(comment.test(line) || sample.test(line), line);
  });

  test.serial(contract.title('answers are counted by the pattern of their path, never by an id'), async (t) => {
    const key = 'media_study_http_requests_total{path="/v1/runtimes/:runtimeId",status="404"}';
    const before = (await read()).get(key) ?? 0;
    for (const id of ['a', 'b', 'c']) await contract.get(`/v1/runtimes/runtime:${id}`);
    const after = await read();
    t.is((after.get(key) ?? 0) - before, 3);
    t.deepEqual(
      [...after.keys()].filter((name) => name.includes('runtime:')),
      [],
    );
  });

  test.serial(contract.title('a study shows in steps, commits, bytes, and in the end in no queue'), async (t) => {
    const before = await read();
    const { runtimeId } = await startStudy(t, contract, studyRequest(await sampleRow(t, contract)));
    await followed(t, contract, runtimeId);
    const after = await read();
    const risen = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    t.true(risen('media_study_commit_seconds_count') >= 5);
    t.true(risen('media_study_commit_seconds_sum') > 0);
    t.true(risen('media_study_http_sent_bytes_total') > 1000);
    t.true(risen('media_study_http_received_bytes_total') > 100);
    t.is(risen('media_study_step_seconds_count{actor="runtime",state="running.detect"}'), 1);
    for (const queue of ['probes', 'studies', 'videohosts']) {
      t.is(after.get(`media_study_queue_waiting{queue="${queue}"}`), 0, queue);
    }
    // The detector process waits for more work.
    t.is(after.get('media_study_external_processes'), 1);
    t.true((after.get('media_study_event_loop_delay_seconds{quantile="1"}') ?? 0) > 0);
    t.true((after.get('process_resident_memory_bytes') ?? 0) > 1e7);
  });
}
