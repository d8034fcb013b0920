import test from 'ava';
import { captionLine } from '../../../contract/captions/caption-line.ts';
import { structuralDecisionOf } from '../../../receipts/captions/caption-structure.ts';
import { defectiveCaptions, lineDefects } from '../../../receipts/evaluation/caption-defects.ts';
import { captionsOf, threeLines } from '../captions/checkable-captions.ts';

const whole = captionsOf(threeLines);
const planted = [...defectiveCaptions(whole)];

test('every defect is planted in every line that can have it, one at a time', (t) => {
  // The first line has none before it to overlap with or to share a name with.
  t.is(planted.length, Object.keys(lineDefects).length * threeLines.length - 2);
  for (const { captions, at } of planted) {
    t.deepEqual(captions.artifact.lines.toSpliced(at, 1), whole.artifact.lines.toSpliced(at, 1));
    t.notDeepEqual(captions.artifact.lines[at], whole.artifact.lines[at]);
    t.deepEqual(captions.receipt, whole.receipt);
  }
});

test('a defective line still has the form of a line, so that only its meaning is wrong', (t) => {
  for (const { captions, at } of planted) t.true(captionLine.safeParse(captions.artifact.lines[at]).success);
});

test('the check withholds each of them', (t) => {
  t.is(structuralDecisionOf(whole).outcome, 'accepted');
  for (const { captions, at } of planted) {
    const { outcome, lines } = structuralDecisionOf(captions);
    t.is(outcome, 'withheld');
    t.is(lines[at]?.outcome, 'withheld');
  }
});
