import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { SimulatedClock } from 'xstate';
import { heartbeatMs } from '../../contract/journal/event-stream.ts';
import { EventStream, type Feed } from '../../http/streams/event-stream.ts';
import { Heart } from '../../http/streams/heart.ts';
import { sseFrame } from '../../http/streams/sse-frame.ts';
import { atRest, eventually, within } from '../patience.ts';
import { adapters, head, listen, signal } from './listener/adapters.ts';

/** A clock that is moved by hand. */
function handClock() {
  const simulated = new SimulatedClock();
  return {
    advance: (ms: number) => simulated.increment(ms),
    clock: {
      now: () => simulated.now(),
      setTimeout: (run: () => void, ms: number) => simulated.setTimeout(run, ms),
      clearTimeout: (timer: unknown) => simulated.clearTimeout(timer as never),
    },
  };
}

test('one timer beats for all streams, each after its own pause, and none is left when they are gone', (t) => {
  const { clock, advance } = handClock();
  let timers = 0;
  const counted = {
    now: clock.now,
    setTimeout: (run: () => void, ms: number) => {
      timers += 1;
      return clock.setTimeout(() => {
        timers -= 1;
        run();
      }, ms);
    },
    clearTimeout: (timer: unknown) => {
      timers -= 1;
      clock.clearTimeout(timer);
    },
  };
  const heart = new Heart(counted, clock.now);
  const beats: string[] = [];
  const add = (name: string) => heart.add(() => beats.push(name));
  const forget = [add('a')];
  advance(200);
  forget.push(add('b'));
  advance(5000);
  forget.push(add('c'));
  t.is(timers, 1);
  advance(heartbeatMs - 5200);
  // What is due half a second later is not worth a second awakening.
  t.deepEqual(beats, ['a', 'b']);
  advance(5200);
  t.deepEqual(beats, ['a', 'b', 'c']);
  forget[0]?.();
  advance(heartbeatMs);
  t.deepEqual(beats, ['a', 'b', 'c', 'b', 'c']);
  t.is(timers, 1);
  for (const each of forget) each();
  t.is(timers, 0);
  add('d');
  advance(heartbeatMs);
  t.is(beats.at(-1), 'd');
});

test('bug: streams fell silent for an hour where the clock was set back by one', (t) => {
  const { clock, advance } = handClock();
  let set = 0;
  const wall = { ...clock, now: () => clock.now() + set };
  const heart = new Heart(wall, clock.now);
  let beats = 0;
  heart.add(() => {
    beats += 1;
  });
  set = -3_600_000;
  advance(heartbeatMs);
  t.is(beats, 1);
  advance(heartbeatMs);
  t.is(beats, 2);
});

const silent: Feed = { read: () => null, watch: () => () => undefined };

for (const adapter of adapters) {
  const { name } = adapter;

  test.serial(
    `${name}: a silent stream gets a comment after each pause, and none once its client has left`,
    async (t) => {
      const { clock, advance } = handClock();
      const left = signal();
      const { port, traffic } = await listen(t, adapter, (exchange) => {
        exchange.onAbort(() => left.fire());
        new EventStream({ heart: new Heart(clock, clock.now), report: t.log }, [silent])
          .send(exchange, 200, {})
          .catch(t.fail);
      });
      let text = '';
      const socket = connect({ port, host: '127.0.0.1' }).setEncoding('utf8');
      socket.on('data', (piece: string) => {
        text += piece;
      });
      const heard = async (beats: number) => {
        const count = () => text.split('\r\n:\n\n').length - 1;
        await eventually(`${beats} beats`, () => count() >= beats);
        t.is(count(), beats, text);
      };
      socket.write(head('GET /'));
      await eventually('the head and the pause', () => text.includes('retry: 1000\n\n'));
      advance(heartbeatMs - 1);
      await setTimeout(10);
      await heard(0);
      advance(1);
      await heard(1);
      advance(heartbeatMs);
      await heard(2);
      const { sent } = traffic;
      socket.resetAndDestroy();
      await within('the abort', left.promise);
      advance(10 * heartbeatMs);
      await setTimeout(10);
      t.is(traffic.sent, sent);
    },
  );

  test.serial(
    `${name}: a reader that stands still is not read for, and its feed is let go when it leaves`,
    async (t) => {
      const frame = sseFrame({ event: 'journal' }, Buffer.alloc(50_000, 'x'));
      const left = signal();
      let [reads, watched] = [0, 0];
      const feed: Feed = {
        read: () => {
          reads += 1;
          return frame;
        },
        watch: () => {
          watched += 1;
          return () => {
            watched -= 1;
            left.fire();
          };
        },
      };
      const { clock, advance } = handClock();
      const { port } = await listen(t, adapter, (exchange) => {
        new EventStream({ heart: new Heart(clock, clock.now), report: t.log }, [feed])
          .send(exchange, 200, {})
          .catch(t.fail);
      });
      const socket = connect({ port, host: '127.0.0.1' });
      socket.pause();
      socket.write(head('GET /'));
      await eventually('the first read', () => reads > 0);
      const before = await atRest(() => reads);
      // Whatever the feed has to say and however often the heart beats, no more is taken from it.
      advance(5 * heartbeatMs);
      await setTimeout(200);
      t.is(reads, before);
      t.true(before * frame.length < 32 * 2 ** 20, `${before} frames were read`);
      socket.resetAndDestroy();
      await within('the end', left.promise);
      t.is(watched, 0);
    },
  );
}
