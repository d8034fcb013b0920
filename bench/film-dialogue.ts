import { chanceOf, oneOf, whole } from '../fixtures/chance.ts';
import { translationLabels } from '../fixtures/translations/labels.ts';

/** A line of a film in Korean, with its right translation. */
interface FilmLine {
  readonly korean: string;
  readonly english: string;
}

/** Lines that every film has again and again. */
const short: readonly FilmLine[] = [
  ['네.', 'Yes.'],
  ['아니요.', 'No.'],
  ['뭐라고요?', 'What did you say?'],
  ['고마워요.', 'Thank you very much.'],
  ['미안해요.', 'I am sorry about that.'],
  ['잠깐만요.', 'Wait a moment, please.'],
  ['어디 가요?', 'Where are you going?'],
  ['괜찮아요?', 'Are you all right?'],
  ['모르겠어요.', 'I really do not know.'],
  ['빨리 와요!', 'Come quickly!'],
].map(([korean = '', english = '']) => ({ korean, english }));

const names = [
  ['토머스', 'Thomas'],
  ['클라라', 'Clara'],
  ['빅토르', 'Viktor'],
  ['마르틴', 'Martin'],
  ['소피아', 'Sofia'],
  ['마리아', 'Maria'],
] as const;

const things = [
  ['큰 램프', 'big lamps'],
  ['낡은 책', 'old books'],
  ['빨간 상자', 'red boxes'],
  ['나무 의자', 'wooden chairs'],
  ['차가운 맥주', 'cold beers'],
  ['깨진 접시', 'broken plates'],
] as const;

const places = [
  ['지하실', 'the cellar'],
  ['역', 'the station'],
  ['할머니 집', 'the house of my grandmother'],
  ['강가', 'the river'],
  ['시장', 'the market'],
] as const;

type Filled = (
  name: (typeof names)[number],
  thing: (typeof things)[number],
  place: (typeof places)[number],
  count: number,
) => readonly [korean: string, english: string];

/** Many lines of a film are alike but for a name, a thing or a number. */
const sentences: readonly Filled[] = [
  (name, thing, place, count) => [
    `${name[0]}가 ${place[0]}에서 ${thing[0]} ${count}개를 봤어요.`,
    `At ${place[1]}, ${name[1]} saw ${count} ${thing[1]}.`,
  ],
  (name, thing, place, count) => [
    `${place[0]}까지 ${thing[0]} ${count}개를 가져와 줘, ${name[0]}.`,
    `Bring ${count} ${thing[1]} to ${place[1]}, please, ${name[1]}.`,
  ],
  (name, thing, _place, count) => [
    `${name[0]}는 ${thing[0]}를 사려고 ${count}원을 냈습니다.`,
    `For the ${thing[1]}, our friend ${name[1]} paid ${count} won.`,
  ],
  (name, _thing, place, count) => [
    `${count}번 버스가 ${place[0]}에 서면 ${name[0]}가 내려요.`,
    `When bus ${count} stops at ${place[1]}, our friend ${name[1]} gets off.`,
  ],
  (_name, thing, place, count) => [
    `왜 ${place[0]}에 ${thing[0]}가 ${count}개나 있어요?`,
    `Why are there ${count} ${thing[1]} at ${place[1]}?`,
  ],
];

const scenes: readonly FilmLine[] = translationLabels()
  .filter(({ sourceLanguage, targetLanguage }) => sourceLanguage === 'ko' && targetLanguage === 'en')
  .flatMap(({ lines }) => lines.map(({ source, translation }) => ({ korean: source, english: translation })));

/** The dialogue of a film: three of ten lines are short ones that repeat, two are of a scene, and five have names and numbers. */
export function filmDialogue(count: number): FilmLine[] {
  const chance = chanceOf(45);
  return Array.from({ length: count }, () => {
    const kind = whole(chance, 1, 10);
    if (kind <= 3) return oneOf(chance, short);
    if (kind <= 5) return oneOf(chance, scenes);
    const fill = oneOf(chance, sentences);
    const [korean, english] = fill(
      oneOf(chance, names),
      oneOf(chance, things),
      oneOf(chance, places),
      whole(chance, 2, 2000),
    );
    return { korean, english };
  });
}
