import test from 'ava';
import type { ReadText } from '../../../contract/screentext/read-pictures.ts';
import { type GreyPicture, pictureOf } from '../../../executors/screentext/grey-picture.ts';
import { lookedAgain, stripOf } from '../../../executors/screentext/second-look.ts';
import { type DetectionBench, openDetectionBench } from '../evidence/detection-for-tests.ts';
import { filmOf, openFilmReader } from './read-film.ts';

let bench: DetectionBench;
test.before(async () => {
  bench = await openDetectionBench();
});
test.after.always(() => bench.close());

/** Each pixel is the number of its column, so that a strip shows where it was cut. */
const ruler = pictureOf(200, 100, Buffer.from(Array.from({ length: 20_000 }, (_, at) => at % 200)));

const line = (
  text: string,
  [leftMilli, topMilli, rightMilli, bottomMilli]: readonly [number, number, number, number],
) => ({ text, box: { leftMilli, topMilli, rightMilli, bottomMilli }, confidenceMilli: 950 }) satisfies ReadText;

const columnsOf = ({ pixels, width }: GreyPicture) => [pixels[0], pixels[width - 1]];

const around = (...others: readonly ReadText[]) => ({ picture: ruler, others });

test('a strip reaches so many heights to both sides and a quarter up and down, and not out of its picture', (t) => {
  const strip = stripOf(line('Pier', [500, 400, 600, 480]), around(), 5);
  // A line of 8 pixels: 40 to each side, 2 above and below.
  t.deepEqual(strip?.box, { leftMilli: 300, topMilli: 380, rightMilli: 800, bottomMilli: 500 });
  t.like(strip?.picture, { width: 100, height: 12 });
  t.deepEqual(columnsOf(strip?.picture ?? ruler), [60, 159]);
  const corner = stripOf(line('Pier', [0, 0, 990, 200]), around(), 5);
  t.deepEqual(corner?.box, { leftMilli: 0, topMilli: 0, rightMilli: 1000, bottomMilli: 250 });
});

test('a strip ends at the other readings of its rows, so that two columns do not become one line', (t) => {
  const others = [
    line('Sound', [100, 410, 420, 470]),
    line('Lind', [650, 400, 900, 480]),
    line('far', [0, 0, 1000, 90]),
  ];
  const strip = stripOf(line('by', [500, 400, 600, 480]), around(...others), 5);
  t.deepEqual(strip?.box, { leftMilli: 420, topMilli: 380, rightMilli: 650, bottomMilli: 500 });
});

test('a place of no pixels has no strip', (t) => {
  t.is(stripOf(line('', [500, 400, 500, 400]), around(), 5), null);
});

const reading = line('nd directed by', [500, 400, 600, 480]);
const again = (text: string, confidenceMilli = 960) => ({ ...line(text, [100, 200, 900, 800]), confidenceMilli });

/** Looks at narrow strips and at wide ones; what each answers, time after time. */
const looks = (near: readonly ReadText[][], wide: readonly ReadText[][] = []) => {
  const [narrow, broad] = [near.values(), wide.values()];
  return [async ({ width }: GreyPicture) => (width < 60 ? narrow : broad).next().value ?? []];
};

test('a line that reads the same letters by itself agrees, whatever its spaces and signs', async (t) => {
  t.deepEqual(await lookedAgain(reading, around(), looks([[again('nd, directed  by', 300)]])), {
    ...reading,
    secondLook: 'agrees',
  });
});

test('a wider look that is sure of three letters more sees what was cut off, at its place in the whole picture', async (t) => {
  const near = [[again('nd directed by')]];
  const whole = [[again('Written and directed by')], [again('Written and directed by')]];
  t.deepEqual(await lookedAgain(reading, around(), looks(near, whole)), {
    text: 'Written and directed by',
    box: { leftMilli: 350, topMilli: 404, rightMilli: 750, bottomMilli: 476 },
    confidenceMilli: 960,
    secondLook: 'agrees',
  });
});

test('a wider look that adds a sign or two, or is not sure, has read the ground beside the line', async (t) => {
  for (const wide of [again('Bl nd directed by'), again('Written and directed by', 849), again('something else')]) {
    const looked = await lookedAgain(reading, around(), looks([[again('nd directed by')]], [[wide]]));
    t.deepEqual(looked, { ...reading, secondLook: 'agrees' }, wide.text);
  }
});

test('where one look differs the next one may agree; where none does, the line stays and is marked', async (t) => {
  const other = async () => [again('nd divided by')];
  const [same] = looks([[again('nd directed by')]]);
  t.is((await lookedAgain(reading, around(), [other, same ?? other])).secondLook, 'agrees');
  for (const answer of [[again('nd divided by')], [], [again('nd directed by'), again('x')]]) {
    t.deepEqual(await lookedAgain(reading, around(), looks([answer])), { ...reading, secondLook: 'disagrees' });
  }
});

test('a line that grows with every look is none', async (t) => {
  let more = 'nd directed by';
  const growing = async () => {
    more = `o${more}`;
    return [again(more)];
  };
  t.is((await lookedAgain(reading, around(), [growing])).secondLook, 'disagrees');
  t.is(more, `oooo${reading.text}`);
});

const drawn = (words: string, rest: string) =>
  `drawtext=fontfile=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:text='${words}':fontcolor=white:x=(w-text_w)/2:${rest}`;

test('of a title whose beginning fades into its ground nothing passes, and one that is clear passes whole', async (t) => {
  t.timeout(180_000, 'an engine on a busy machine');
  const ground = 'gradients=s=640x360:r=10:c0=0x405060:c1=0x90a0b0:seed=5:speed=0.00001';
  const faded = [ground, drawn('Weather tomorrow in Porto', 'y=h-110:fontsize=30')].join(',');
  const clear = ['color=c=0x203040:s=640x360:r=10', drawn('Weather tomorrow in Porto', 'y=h-110:fontsize=30')].join(
    ',',
  );
  const reader = await openFilmReader(bench, ['eng']);
  const passedIn = async (name: string, graph: string) => {
    const { texts } = await reader.read(await filmOf(bench, name, graph, 2), 2);
    return texts.filter(({ outcome }) => outcome === 'passed').map(({ text }) => text);
  };
  t.deepEqual(await passedIn('faded-title', faded), []);
  t.deepEqual(await passedIn('clear-title', clear), ['Weather tomorrow in Porto']);
  await reader.close();
});
