import test from 'ava';
import { Pairings } from '../../../actors/operation/pairings.ts';
import { pairedPages, pairingCode, pairingCodeMs, pairingGuesses } from '../../../contract/operation/pairing.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

const refusal = { name: 'ServiceError', code: 'pairing_refused' };

function opened() {
  const clock = new SimulatedClock(0);
  let drawn = 0;
  const pairings = new Pairings({
    clock,
    elapsed: clock.elapsed,
    randomBytes: (count) => {
      drawn += 1;
      return Buffer.alloc(count, drawn);
    },
  });
  return { clock, pairings };
}

test('a code is for one page, for five minutes, and until the next code', (t) => {
  const { clock, pairings } = opened();
  const { code, expiresAt } = pairings.issue();
  t.notThrows(() => pairingCode.parse(code));
  t.is(Date.parse(expiresAt), pairingCodeMs);
  const { authorizationToken } = pairings.exchange(code);
  t.true(pairings.holds(authorizationToken));
  t.false(pairings.holds(''));
  t.throws(() => pairings.exchange(code), refusal);
  const first = pairings.issue();
  const second = pairings.issue();
  t.throws(() => pairings.exchange(first.code), refusal);
  clock.advance(pairingCodeMs);
  t.throws(() => pairings.exchange(second.code), refusal);
});

test('bug: a code lasted an hour longer where the clock was set back by one', (t) => {
  const { clock, pairings } = opened();
  const { code } = pairings.issue();
  clock.set(-3_600_000);
  clock.advance(pairingCodeMs - 1);
  t.notThrows(() => pairings.exchange(code));
  const late = pairings.issue();
  clock.set(-3_600_000);
  clock.advance(pairingCodeMs);
  t.throws(() => pairings.exchange(late.code), refusal);
});

test('five wrong codes end the one that is open', (t) => {
  const { pairings } = opened();
  const { code } = pairings.issue();
  for (let guess = 0; guess < pairingGuesses; guess += 1) {
    t.throws(() => pairings.exchange('0000000000'), refusal);
  }
  t.throws(() => pairings.exchange(code), refusal);
});

test('the page that was paired first loses its token when too many are', (t) => {
  const { pairings } = opened();
  const tokens = Array.from(
    { length: pairedPages + 1 },
    () => pairings.exchange(pairings.issue().code).authorizationToken,
  );
  t.deepEqual(
    tokens.map((token) => pairings.holds(token)),
    [false, ...Array<boolean>(pairedPages).fill(true)],
  );
});
