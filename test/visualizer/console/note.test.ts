import test from 'ava';
import { longestNote } from '../../../contract/review/longest-note.ts';
import { reviewDecisionRequest } from '../../../contract/review/publish-review.ts';
import { excessOf } from '../../../visualizer/console/words/excess.ts';

const takesNote = (note: string): boolean =>
  reviewDecisionRequest.shape.decision.options.every((each) => each.shape.note.safeParse(note).success);

test('the page counts a note as the host does: up to its limit, without the space around it, an emoji as one', (t) => {
  const notes = ['a'.repeat(longestNote), 'a'.repeat(longestNote + 1), '🎬'.repeat(longestNote), '🎬'.repeat(281)];
  for (const note of notes) t.is(excessOf(note, longestNote) === 0, takesNote(note), `${note.length}`);
  t.is(excessOf(` ${'a'.repeat(longestNote)} `, longestNote), 0);
  t.is(excessOf('a'.repeat(longestNote + 3), longestNote), 3);
});
