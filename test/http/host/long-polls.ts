import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { maximumWaitMs } from '../../../contract/journal/runtime-events.ts';
import type { HostContract } from './contract.ts';
import { eventsPage, followed, heldStudy, runtimeOf } from './study-steps.ts';

/** Waiting for events. The gate holds a study back while its journal stands still. */
export function longPolls(contract: HostContract): void {
  const timed = async <Value>(work: Promise<Value>): Promise<{ value: Value; ms: number }> => {
    const from = performance.now();
    return { value: await work, ms: performance.now() - from };
  };

  test.serial(contract.title('a long poll at the head of a study that stands still ends with its time'), async (t) => {
    const { runtimeId, head } = await heldStudy(t, contract, 1500);
    const { value, ms } = await timed(eventsPage(t, contract, runtimeId, `?after=${head}&wait=300`));
    t.like(value, { events: [], nextCursor: head, reachedHead: true, terminal: false, lifecycle: 'running' });
    t.true(ms >= 290, `${ms}`);
    const before = await timed(eventsPage(t, contract, runtimeId, `?after=${head - 1}&wait=${maximumWaitMs}`));
    t.is(before.value.events.length, 1);
    t.true(before.ms < maximumWaitMs, `${before.ms}`);
    t.false((await runtimeOf(t, contract, runtimeId)).terminal);
    await contract.gate.open();
    t.like((await followed(t, contract, runtimeId)).last, { lifecycle: 'terminal', reason: null });
  });

  test.serial(contract.title('a long poll answers with the next event, to everyone who waits'), async (t) => {
    const { runtimeId, head } = await heldStudy(t, contract, 1600);
    // On a busy machine the next event may come after the longest wait; then a client asks again.
    const nextEvents = async () => {
      for (;;) {
        const asked = await timed(eventsPage(t, contract, runtimeId, `?after=${head}&wait=${maximumWaitMs}`));
        if (asked.value.events.length > 0) return asked;
        t.true(asked.ms >= maximumWaitMs - 10, `${asked.ms}`);
      }
    };
    const waiting = [nextEvents(), nextEvents(), nextEvents()];
    await setTimeout(50);
    await contract.gate.open();
    for (const { value, ms } of await Promise.all(waiting)) {
      t.is(value.events[0]?.seq, head + 1);
      t.true(ms < maximumWaitMs, `${ms}`);
    }
    t.like((await followed(t, contract, runtimeId)).last, { lifecycle: 'terminal', reason: null });
  });

  test.serial(contract.title('clients that leave their long polls leave the host and the study alone'), async (t) => {
    const { runtimeId, head } = await heldStudy(t, contract, 1700);
    const { client } = contract;
    for (let left = 0; left < 20; left += 1) {
      const socket = client
        .raw()
        .send(client.head(`GET /v1/runtimes/${runtimeId}/events?after=${head}&wait=${maximumWaitMs}`));
      await setTimeout(5);
      socket.destroy();
    }
    t.false((await runtimeOf(t, contract, runtimeId)).terminal);
    await contract.gate.open();
    t.like((await followed(t, contract, runtimeId)).last, { lifecycle: 'terminal', reason: null });
  });
}
