import test from 'ava';
import { structuralDecisionOf } from '../../../receipts/captions/caption-structure.ts';
import { captionsOf, threeLines } from './checkable-captions.ts';

test('bug: a check of long captions compared each line with all lines before it', (t) => {
  const count = 200;
  const captions = captionsOf(threeLines);
  const [line] = threeLines;
  if (line === undefined) throw new RangeError('there are lines');
  let looks = 0;
  const lines = Array.from({ length: count }, (_, at) =>
    Object.defineProperty({ ...line }, 'id', {
      enumerable: true,
      get: () => {
        looks += 1;
        return `${line.id}-${at}`;
      },
    }),
  );
  const decided = structuralDecisionOf({ ...captions, artifact: { ...captions.artifact, lines } });
  // Only the first does not overlap another.
  t.is(decided.lines.filter(({ outcome }) => outcome === 'accepted').length, 1);
  t.true(looks <= 5 * count, `${looks} looks`);
});
