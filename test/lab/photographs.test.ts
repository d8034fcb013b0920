import test from 'ava';
import { photographs, titles } from '../../lab/packs/photograph-items.ts';

test('no package of photographs and no title is in both halves, and each half has four titles in turn', (t) => {
  const packages = (half: 'tuning' | 'held-out') => photographs[half].map((each) => each.package);
  t.deepEqual(
    packages('tuning').filter((name) => packages('held-out').includes(name)),
    [],
  );
  t.deepEqual(
    titles.tuning.filter((title) => titles['held-out'].includes(title)),
    [],
  );
  for (const list of Object.values(titles)) {
    t.is(new Set(list).size, list.length);
    for (const [at, title] of list.entries()) t.is(/\p{Script=Hangul}/u.test(title), at % 4 === 3, title);
  }
});
