import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LabeledScreenTexts, PackItem } from '../../contract/evaluation.ts';
import { ffmpeg, lengthMs } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';

const dejavu = '/usr/share/fonts/truetype/dejavu';
const fonts = {
  sans: `${dejavu}/DejaVuSans.ttf`,
  serif: `${dejavu}/DejaVuSerif-Bold.ttf`,
  mono: `${dejavu}/DejaVuSansMono.ttf`,
  korean: '/usr/share/fonts/truetype/nanum/NanumGothic.ttf',
  koreanSerif: '/usr/share/fonts/truetype/nanum/NanumMyeongjo.ttf',
  light: `${dejavu}/DejaVuSans-ExtraLight.ttf`,
  italic: `${dejavu}/DejaVuSerif-Italic.ttf`,
  narrow: `${dejavu}/DejaVuSansCondensed-Bold.ttf`,
} as const;

interface DrawnText {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly font: keyof typeof fonts;
  readonly size: number;
  /** Expressions of ffmpeg. */
  readonly x: string;
  readonly y: string;
  readonly color?: string;
  /** A box under the letters. */
  readonly boxed?: boolean;
}

interface Film {
  readonly name: string;
  /** A source of ffmpeg. */
  readonly ground: string;
  readonly texts: readonly DrawnText[];
}

const size = '640x360';
const seconds = 12;
const center = '(w-text_w)/2';

const title = (text: string, font: DrawnText['font'], more: Partial<DrawnText> = {}): DrawnText => ({
  text,
  font,
  startMs: 1000,
  endMs: 5000,
  size: 44,
  x: center,
  y: '(h-text_h)/2',
  ...more,
});

const lower = (text: string, font: DrawnText['font'], more: Partial<DrawnText> = {}): DrawnText =>
  title(text, font, { startMs: 6000, endMs: 11_000, size: 26, y: 'h-70', ...more });

/** Lines below each other, all at once. */
const rows = (texts: readonly string[], font: DrawnText['font'], more: Partial<DrawnText> = {}): DrawnText[] =>
  texts.map((text, row) => title(text, font, { endMs: 11_000, size: 24, x: '60', y: String(60 + 34 * row), ...more }));

/** Titles, names, signs, a moving line and small print on grounds from plain to busy; and pictures without any text. */
const films: readonly Film[] = [
  {
    name: 'titles',
    ground: `color=c=0x182838:s=${size}:r=10`,
    texts: [title('The Harbour at Night', 'serif'), lower('Clara Berger, Reporter', 'sans')],
  },
  {
    name: 'korean',
    ground: `color=c=0x202020:s=${size}:r=10`,
    texts: [title('우리 동네 이야기', 'korean'), lower('서울 중앙 도서관', 'korean', { size: 32 })],
  },
  {
    name: 'boxes',
    ground: `smptehdbars=s=${size}:r=10`,
    texts: [
      title('Closed until Monday', 'sans', { boxed: true, size: 36 }),
      lower('Platform 3 to Lisbon', 'mono', { boxed: true }),
    ],
  },
  {
    name: 'gradient',
    ground: `gradients=s=${size}:r=10:c0=0x405060:c1=0x90a0b0:seed=5:speed=0.00001`,
    texts: [title('Winter Season 1897', 'serif'), lower('Written and directed by', 'sans', { y: 'h-110' })],
  },
  {
    name: 'moving',
    ground: `color=c=0x103010:s=${size}:r=10`,
    texts: [
      title('Weather warning for the coast', 'sans', { startMs: 2000, endMs: 10_000, size: 30, x: '40+8*t', y: '60' }),
    ],
  },
  {
    name: 'small',
    ground: `color=c=white:s=${size}:r=10`,
    texts: [
      title('Terms and conditions apply', 'sans', { size: 12, color: 'black' }),
      lower('All rights reserved', 'sans', { size: 16, color: 'black' }),
    ],
  },
  {
    name: 'faint',
    ground: `color=c=0x808080:s=${size}:r=10`,
    texts: [title('Barely visible letters', 'sans', { color: '0x909090' }), lower('Clearly visible', 'sans')],
  },
  {
    name: 'busy',
    ground: `mandelbrot=s=${size}:r=10`,
    texts: [title('Chapter Two', 'serif'), lower('The Machine', 'serif', { size: 34 })],
  },
  {
    name: 'slide',
    ground: `color=c=0xf4f4ee:s=${size}:r=10`,
    texts: rows(
      ['Why bridges sing', 'Wind meets a cable', 'The cable answers', 'Both keep time', 'Questions at the end'],
      'sans',
      { color: '0x202020' },
    ),
  },
  {
    name: 'columns',
    ground: `color=c=0x101820:s=${size}:r=10`,
    texts: [
      ...rows(['Camera', 'Sound', 'Light'], 'narrow', { x: '90' }),
      ...rows(['Ana Prieto', 'Jonas Lind', 'Mei Tanaka'], 'sans', { x: '340' }),
    ],
  },
  {
    name: 'two-rows',
    ground: `testsrc2=s=${size}:r=10`,
    texts: [
      lower('We left before the rain', 'sans', { y: 'h-96', boxed: true }),
      lower('and came back after it.', 'sans', { y: 'h-52', boxed: true }),
    ],
  },
  {
    name: 'roll',
    ground: `color=c=black:s=${size}:r=10`,
    texts: rows(['Edited by Lea Novak', 'Music by Tom Asare', 'Filmed in Trieste'], 'serif').map((row, at) => ({
      ...row,
      x: center,
      y: `${180 + 50 * at}-10*t`,
    })),
  },
  {
    name: 'italic',
    ground: `gradients=s=${size}:r=10:c0=0x203020:c1=0x507050:seed=11:speed=0.00001`,
    texts: [title('A letter from the sea', 'italic'), lower('Part one of three', 'italic', { y: '40' })],
  },
  {
    name: 'light',
    ground: `color=c=0x303848:s=${size}:r=10`,
    texts: [title('Open every day', 'light'), lower('from ten to six', 'light', { size: 30 })],
  },
  {
    name: 'korean-serif',
    ground: `color=c=0xe8e0d0:s=${size}:r=10`,
    texts: [
      title('바람이 머문 자리', 'koreanSerif', { color: '0x302010' }),
      lower('다음 이야기는 내일', 'koreanSerif', { color: '0x302010', size: 32 }),
    ],
  },
  {
    name: 'crossed',
    ground: `mandelbrot=s=${size}:r=10:start_scale=0.05`,
    texts: [title('Road closed ahead', 'narrow'), lower('Follow the signs', 'sans', { boxed: true })],
  },
  // In languages that an engine for English and Korean was not given, and English that has names of many languages.
  {
    name: 'german',
    ground: `color=c=0x182030:s=${size}:r=10`,
    texts: [
      title('Das Mädchen und der Fluß', 'serif', { size: 36 }),
      lower('Nach einer wahren Geschichte', 'sans'),
      lower('Straße wegen Überflutung gesperrt', 'narrow', { y: '40' }),
    ],
  },
  {
    name: 'german-slide',
    ground: `color=c=0xf0f0f0:s=${size}:r=10`,
    texts: rows(
      ['Warum wir später schlafen', 'Die Nächte werden kürzer', 'Licht stört die Müdigkeit', 'Wer früh aufsteht, lügt'],
      'sans',
      { color: 'black' },
    ),
  },
  {
    name: 'french',
    ground: `gradients=s=${size}:r=10:c0=0x302030:c1=0x604860:seed=3:speed=0.00001`,
    texts: [
      title("L'été où la mer s'est retirée", 'serif', { size: 34 }),
      lower('Réalisé par une équipe de bénévoles', 'sans'),
      lower("Fermé jusqu'à la fin de la journée", 'narrow', { y: '40' }),
    ],
  },
  {
    name: 'english-names',
    ground: `color=c=0x102030:s=${size}:r=10`,
    texts: rows(
      [
        'Camera: Bjørn Østergaard',
        'Sound by Françoise Lefèvre',
        'Filmed in Düsseldorf and Kraków',
        'Thanks to José Muñoz',
        'Produced by Giulia Conti',
        'Zürich to Málaga, 1962',
      ],
      'sans',
    ),
  },
  { name: 'no-text-noise', ground: `nullsrc=s=${size}:r=10,geq=random(1)*255:128:128`, texts: [] },
  { name: 'no-text-cells', ground: `cellauto=s=${size}:r=10:rule=110:seed=3`, texts: [] },
  { name: 'no-text-life', ground: `life=s=${size}:r=10:mold=10:ratio=0.1:seed=4`, texts: [] },
  { name: 'no-text-fractal', ground: `sierpinski=s=${size}:r=10:seed=6`, texts: [] },
];

async function drawn(folder: string, film: string, at: number, text: DrawnText): Promise<string> {
  const file = path.join(folder, 'work', `${film}-${at}.txt`);
  await writeFile(file, text.text);
  const { font, size: points, x, y, color = 'white', boxed = false, startMs, endMs } = text;
  return [
    `drawtext=fontfile=${fonts[font]}:textfile=${file}:fontsize=${points}:fontcolor=${color}`,
    `x=${x}:y=${y}${boxed ? ':box=1:boxcolor=black:boxborderw=10' : ''}`,
    `enable='between(t,${startMs / 1000},${endMs / 1000 - 0.05})'`,
  ].join(':');
}

/** Films with text that is drawn at known times, and films without any. */
export async function screenTextItems(folder: string): Promise<PackItem[]> {
  const items: PackItem[] = [];
  for (const { name, ground, texts } of films) {
    const file = path.join(folder, 'screen', `${name}.mkv`);
    const filters = await Promise.all(texts.map((text, at) => drawn(folder, name, at, text)));
    const graph = [ground, ...filters, 'format=yuv420p'].join(',');
    const encoded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '20'];
    ffmpeg('-f', 'lavfi', '-i', graph, '-t', String(seconds), ...encoded, file);
    const screenTexts: LabeledScreenTexts = texts.map(({ text, startMs, endMs }) => ({ startMs, endMs, text }));
    items.push(await itemOf(folder, file, lengthMs(file), { screenTexts }));
  }
  return items;
}
