import test from 'ava';
import { cueSettings } from '../../../executors/evidence/cue-settings.ts';
import { cueTextOf } from '../../../executors/evidence/cue-text.ts';
import { scriptReaderOf, TrackScript } from '../../../executors/evidence/track-script.ts';

const script = (format: 'ass' | 'webvtt', ...lines: readonly string[]): TrackScript => {
  const read = new TrackScript(format);
  const bytes = Buffer.from(lines.join('\n'));
  // A chunk ends anywhere.
  for (let at = 0; at < bytes.length; at += 7) read.add(bytes.subarray(at, at + 7));
  read.end();
  return read;
};

const styles = script(
  'ass',
  '[V4+ Styles]',
  'Format: Name, PrimaryColour, Bold, Italic, Underline, Alignment',
  'Style: Default,&H00FFFFFF,0,0,0,2',
  'Style: Thought, &H00FFFFFF, 0, -1, 0, 8',
  'Style: Loud,&H0000FFFF,-1,0,1,2',
  '[Events]',
  'Style: Event,&H0,0,-1,0,2',
);

const shown = (style: string, text: string) => {
  const read = cueTextOf('ass', Buffer.from(`3,0,${style},,0,0,0,,${text}`), {
    styleNamed: (name) => styles.styleNamed(name),
  });
  if (read.text === null) throw new Error(read.reasonCode);
  const { styled = null, placement } = read;
  return [read.text, styled, placement?.alignment ?? null];
};

test('bug: italics, bold, underline and the place of an ASS style were lost', (t) => {
  t.deepEqual(shown('Thought', 'Is it you?'), ['Is it you?', '<i>Is it you?</i>', 8]);
  t.deepEqual(shown('*Loud', 'Stop\\Nthere'), ['Stop\nthere', '<b><u>Stop\nthere</u></b>', null]);
  t.deepEqual(shown('Default', 'Plain'), ['Plain', null, null]);
  t.deepEqual(shown('Event', 'Plain'), ['Plain', null, null], 'a line behind the styles is none');
});

test('an override comes before the style, and a reset goes back to it or to another one', (t) => {
  t.deepEqual(shown('Thought', '{\\i0}Up{\\i1} and on')[1], '<i></i>Up<i> and on</i>');
  t.deepEqual(shown('Thought', '{\\an2}Is it you?')[2], 2);
  t.deepEqual(shown('Default', 'He {\\rThought}thinks{\\r} aloud')[1], 'He </u></b></i><i>thinks</u></b></i> aloud');
});

test('styles of SSA have its own alignments', (t) => {
  const old = script(
    'ass',
    '[V4 Styles]',
    'Format: Name, Bold, Italic, Alignment',
    'Style: Th,0,-1,6',
    'Style: Mid,0,0,10',
  );
  t.deepEqual(old.styleNamed('Th'), { styles: ['italic'], alignment: 8 });
  t.is(old.styleNamed('Mid')?.alignment, 5);
  t.is(old.styleNamed('absent'), undefined);
});

test('settings of cues of one time are those of their places among these', (t) => {
  const read = script(
    'webvtt',
    'WEBVTT',
    '',
    '00:01.000 --> 00:02.000 line:0',
    'One',
    '',
    '00:01.000 --> 00:02.000',
    'Two',
    '',
    '01:00:01.000 --> 01:00:02.500 align:end size:40%',
    'Three',
  );
  t.is(read.settingsOf({ startMs: 1000, endMs: 2000 }, 0), 'line:0');
  t.is(read.settingsOf({ startMs: 1000, endMs: 2000 }, 1), '');
  t.is(read.settingsOf({ startMs: 3_601_000, endMs: 3_602_500 }, 0), 'align:end size:40%');
  t.is(scriptReaderOf('subrip'), null);
});

test('bug: position, line, align and vertical of a cue of WebVTT were lost', (t) => {
  const at = (settings: string) => {
    const found = cueSettings(settings);
    return found === null ? null : [found.alignment, found.isExact, found.isVertical];
  };
  t.is(at(''), null);
  t.deepEqual(at('line:0'), [8, false, false]);
  t.deepEqual(at('line:50%'), [5, false, false]);
  t.deepEqual(at('line:-1 align:center'), [2, false, false]);
  t.deepEqual(at('line:0 position:0% align:start'), [7, false, false]);
  t.deepEqual(at('position:100% align:end'), [3, false, false]);
  t.deepEqual(at('align:left'), [1, false, false]);
  t.deepEqual(at('line:84% position:20%,line-left size:35% align:start'), [1, true, false]);
  t.deepEqual(at('region:fred'), [2, true, false]);
  t.deepEqual(at('vertical:rl line:0'), [2, false, true]);
});

test('colors, speakers beside the text, own places and vertical text are named as what no caption has', (t) => {
  const unkept = (codec: string, text: string, settings = '') => {
    const read = cueTextOf(codec, Buffer.from(text), { settings });
    return read.text === null ? null : (read.unkept ?? []);
  };
  t.deepEqual(unkept('webvtt', '<v Anna>Hello <c.yellow>you</c>', 'vertical:rl'), ['color', 'speaker', 'vertical']);
  t.deepEqual(unkept('webvtt', 'Hello <c>you</c>', 'line:0'), []);
  t.deepEqual(unkept('webvtt', 'Hello', 'position:31%'), ['place']);
  t.deepEqual(unkept('subrip', '<font color="#ff0000">Hello</font>'), ['color']);
  t.deepEqual(unkept('subrip', '<font size="3">Hello</font> {\\an8}'), []);
  t.deepEqual(unkept('ass', '3,0,Default,,0,0,0,,{\\c&HFF00&}Hello'), ['color']);
  t.deepEqual(unkept('ass', '3,0,Default,,0,0,0,,{\\pos(10,20)}Hello'), ['place']);
});
