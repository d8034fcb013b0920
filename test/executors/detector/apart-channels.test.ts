import test from 'ava';
import { BLOCK_SAMPLES, channelsApart } from '../../../executors/detector/apart-channels.ts';
import { SIGNALS, type SignalBlock } from '../../../executors/detector/sound-signals.ts';

type Wave = (sample: number) => number;

const silent: Wave = () => 0;
const tone =
  (hertz: number, amplitude = 0.2): Wave =>
  (sample) =>
    amplitude * Math.sin((2 * Math.PI * hertz * sample) / 16_000);

/** A block as ffmpeg mixes stereo: half of each side. */
const stereo = (left: Wave, right: Wave): SignalBlock =>
  blockOf((at) => (left(at) + right(at)) / 2, left, right, silent);

const blockOf = (...waves: readonly Wave[]): SignalBlock =>
  waves.map((wave) => Float32Array.from({ length: BLOCK_SAMPLES }, (_none, at) => wave(at)));

const namesOf = (block: SignalBlock): string[] =>
  channelsApart(block, BLOCK_SAMPLES).map((channel) => SIGNALS[channel] ?? '');

test('mono, equal channels and a voice between the sides are measured as the mix alone', (t) => {
  const voice = tone(200);
  t.deepEqual(namesOf(blockOf(voice, silent, silent, voice)), []);
  t.deepEqual(namesOf(stereo(voice, voice)), []);
  t.deepEqual(namesOf(stereo(voice, tone(200, 0.1))), []);
  const room = (hertz: number) => tone(hertz, 0.1);
  t.deepEqual(
    namesOf(
      stereo(
        (at) => voice(at) + room(310)(at),
        (at) => voice(at) + room(470)(at),
      ),
    ),
    [],
  );
});

test('opposite channels are the same content, so that one of them is enough', (t) => {
  t.deepEqual(namesOf(stereo(tone(200), tone(200, -0.2))), ['left']);
  t.deepEqual(namesOf(stereo(tone(200), tone(200, -0.15))), ['left']);
});

test('channels of different content are each measured', (t) => {
  t.deepEqual(namesOf(stereo(tone(200), tone(330))), ['left', 'right']);
  t.deepEqual(namesOf(stereo(tone(200, 0.02), tone(330))), ['left', 'right']);
});

test('a voice on one side alone is measured there', (t) => {
  t.deepEqual(namesOf(stereo(silent, tone(200))), ['right']);
  t.deepEqual(namesOf(stereo(tone(330, 0.0001), tone(200))), ['right']);
});

test('the centre of a film is measured apart from the music around it', (t) => {
  const [voice, left, right] = [tone(200), tone(330), tone(470)];
  const mix: Wave = (at) => 0.3 * voice(at) + 0.2 * (left(at) + right(at));
  t.deepEqual(namesOf(blockOf(mix, left, right, voice)), ['centre', 'left', 'right']);
  t.deepEqual(namesOf(blockOf(mix, left, left, voice)), ['centre', 'left']);
});

test('what is below the gate in every channel is left to the mix', (t) => {
  t.deepEqual(namesOf(stereo(tone(200, 0.0002), tone(330, 0.0002))), []);
  t.deepEqual(namesOf(stereo(silent, silent)), []);
});
