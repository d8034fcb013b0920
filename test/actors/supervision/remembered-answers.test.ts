import test from 'ava';
import { RememberedAnswers } from '../../../actors/supervision/remembered-answers.ts';

/** Answers of the form `a1`: the id, and how often something was made. */
function answers(limit = 8) {
  let made = 0;
  const remembered = new RememberedAnswers<string>(limit, async (id) => {
    made += 1;
    return `${id}${made}`;
  });
  return { remembered, made: () => made };
}

test('changes of other resources leave an answer known', async (t) => {
  const { remembered } = answers();
  t.is(await remembered.get('a'), 'a1');
  const other = remembered.get('b');
  remembered.forget('c');
  remembered.forget('a');
  t.is(await other, 'b2');
  // Not a promise: it is given in the same turn.
  t.is(remembered.get('b'), 'b2');
  t.is(await remembered.get('a'), 'a3');
});

test('readers that come together share one making', async (t) => {
  const { remembered, made } = answers();
  t.deepEqual(await Promise.all([remembered.get('a'), remembered.get('a'), remembered.get('a')]), ['a1', 'a1', 'a1']);
  t.is(made(), 1);
});

test('what was made while the resource changed is not kept', async (t) => {
  const { remembered } = answers();
  const before = remembered.get('a');
  remembered.forget('a');
  const after = remembered.get('a');
  t.is(await before, 'a1');
  t.is(await after, 'a2');
  t.is(remembered.get('a'), 'a2');
});

test('a making that failed is tried again', async (t) => {
  let fails = true;
  const remembered = new RememberedAnswers<string>(8, async (id) => {
    if (fails) throw new Error('not now');
    return id;
  });
  await t.throwsAsync(async () => remembered.get('a'), { message: 'not now' });
  fails = false;
  t.is(await remembered.get('a'), 'a');
});

test('one answer too many costs the one used longest ago, and not all', async (t) => {
  const { remembered } = answers(2);
  await remembered.get('a');
  await remembered.get('b');
  await remembered.get('c');
  t.is(remembered.get('b'), 'b2');
  t.is(remembered.get('c'), 'c3');
  t.is(await remembered.get('a'), 'a4');
});
