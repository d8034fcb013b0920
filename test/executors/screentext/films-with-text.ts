import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A film of a few seconds with lines of text on it, by a graph of ffmpeg. */
export interface FilmWithText {
  readonly name: string;
  readonly graph: string;
  readonly texts: readonly string[];
}

const fonts = '/usr/share/fonts/truetype';
const latin = [
  `${fonts}/dejavu/DejaVuSans.ttf`,
  `${fonts}/dejavu/DejaVuSerif.ttf`,
  `${fonts}/dejavu/DejaVuSansMono-Bold.ttf`,
  `${fonts}/liberation/LiberationSans-Regular.ttf`,
  `${fonts}/liberation/LiberationSerif-Italic.ttf`,
  `${fonts}/liberation/LiberationSansNarrow-Bold.ttf`,
];
const korean = [`${fonts}/nanum/NanumGothic.ttf`, `${fonts}/nanum/NanumMyeongjo.ttf`];

/** A ground and the colours of the letters on it. */
const grounds = [
  { ground: 'color=white:s=960x540:r=10', letters: 'black' },
  { ground: 'color=0x102040:s=960x540:r=10', letters: 'white' },
  { ground: 'gradients=s=960x540:r=10:n=3:seed=11:c0=0x203050:c1=0x604020:c2=0x305030', letters: 'white' },
  { ground: 'color=0x508050:s=960x540:r=10,noise=alls=12:allf=t:all_seed=2', letters: 'yellow' },
];

const english = [
  ['The river in winter', 'Episode 12'],
  ['Doctor Helen Marsh', 'Museum of Glass, Room 4'],
  ['Please keep the door closed', 'Platform 9, 14:35'],
  ['Three years later', 'Somewhere near the coast'],
];
const hangul = [
  ['겨울의 강', '제12회'],
  ['김하늘 교수', '유리 박물관'],
  ['문을 닫아 주세요', '오후 두 시'],
  ['삼 년 뒤', '바닷가 마을'],
];

/** Writes the lines below the folder, and draws them in every font on every ground: names and titles, notices and places. */
export async function filmsWithText(folder: string): Promise<FilmWithText[]> {
  const films: FilmWithText[] = [];
  for (const [at, font] of [...latin, ...korean].entries()) {
    for (const [ground, { ground: source, letters }] of grounds.entries()) {
      const lists = korean.includes(font) ? hangul : english;
      const texts = lists[(at + ground) % lists.length] ?? [];
      const drawn = await Promise.all(
        texts.map(async (text, line) => {
          const file = path.join(folder, `text-${at}-${ground}-${line}.txt`);
          await writeFile(file, text);
          const place = `x=(w-tw)/2:y=${160 + 140 * line}:fontsize=${44 - 12 * line}`;
          return `drawtext=fontfile=${font}:textfile=${file}:expansion=none:fontcolor=${letters}:${place}`;
        }),
      );
      films.push({ name: `text-${at}-${ground}`, graph: [source, ...drawn].join(','), texts });
    }
  }
  return films;
}
