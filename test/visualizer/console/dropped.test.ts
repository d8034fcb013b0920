import test from 'ava';
import { dropped, keepFromDrops, takeDropped } from '../../../visualizer/console/host/dropped.ts';

/** An event of a drag as a browser sends it, over a field that matches or over none. */
const drag = (
  type: string,
  types: readonly string[],
  files: readonly File[] = [],
  field: string | null = null,
): Event =>
  Object.defineProperties(new Event(type, { cancelable: true }), {
    dataTransfer: { value: { types, files, items: files } },
    target: {
      value: { closest: () => (field === null ? null : { matches: (selector: string) => selector === field }) },
    },
  });

const page = () => {
  const listeners = new Map<string, (event: Event) => void>();
  let led = 0;
  const addEventListener = (type: string, listener: unknown) => listeners.set(type, listener as (event: Event) => void);
  keepFromDrops({ addEventListener }, () => {
    led += 1;
  });
  /** Whether the page kept the browser from doing what it does by itself. */
  const keeps = (event: Event): boolean => {
    listeners.get(event.type)?.(event);
    return event.defaultPrevented;
  };
  return { keeps, led: () => led };
};

const film = new File(['x'], 'film.mp4');
const other = new File(['y'], 'other.mp4');
const fileField = '[type="file"]';

test.serial('files that no view takes wait, and lead to the view that takes them', (t) => {
  const { keeps, led } = page();
  t.true(keeps(drag('dragover', ['Files'])));
  t.true(dropped.getSnapshot().context.isOver);
  t.true(keeps(drag('drop', ['Files'], [film, other])));
  t.is(led(), 1);
  t.deepEqual(dropped.getSnapshot().context, { isOver: false, waiting: [film, other] });
  dropped.send({ type: 'taken' });
});

test.serial('the view that is shown takes all files that are dropped, for as long as it is shown', (t) => {
  const { keeps, led } = page();
  const taken: File[] = [];
  const leave = takeDropped((files) => taken.push(...files));
  t.true(keeps(drag('drop', ['Files'], [film, other])));
  t.deepEqual([taken, led()], [[film, other], 0]);
  leave();
  keeps(drag('drop', ['Files'], [film]));
  t.deepEqual([taken.length, led()], [2, 1]);
  dropped.send({ type: 'taken' });
});

test.serial('a dropped link does not take the place of the page, and text and fields are left to the browser', (t) => {
  const { keeps, led } = page();
  t.true(keeps(drag('drop', ['text/uri-list', 'text/plain'])));
  t.false(keeps(drag('drop', ['text/plain'])));
  t.false(keeps(drag('drop', ['text/uri-list'], [], 'a text field')));
  t.false(keeps(drag('drop', ['Files'], [film], fileField)));
  t.true(keeps(drag('drop', ['Files'], [film, other], fileField)));
  t.true(keeps(drag('drop', ['text/uri-list'], [], fileField)));
  t.true(keeps(drag('drop', ['Files'], [film], 'a text field')));
  t.is(led(), 2);
  dropped.send({ type: 'taken' });
});
