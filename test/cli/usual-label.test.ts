import test from 'ava';
import { usualLabel } from '../../cli/commands/usual-label.ts';
import { givenLine } from '../../contract/base/text.ts';

test('a file is called by its name, as far as a host takes that for a label', (t) => {
  t.is(usualLabel('/media/An interview.mp4', '.mp4'), 'An interview');
  t.is(usualLabel('/media/lines.de.srt'), 'lines.de.srt');
  const long = `${'한'.repeat(250)}.mp4`;
  for (const name of [long, 'a name .mp4', ' first.mp4', 'two\nlines.mp4', `${'x'.repeat(159)}😀.mp4`]) {
    t.true(givenLine(160).safeParse(usualLabel(`/media/${name}`, '.mp4')).success, name);
  }
});
