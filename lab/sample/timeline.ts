/** Times of the speech, sounds and pictures of the sample: the one source of both the media and its gold labels. */

export const frameRate = 25;
export const frameCount = 1250;
export const width = 640;
export const height = 360;

export type Language = 'ko' | 'en';

export interface Line {
  readonly startMs: number;
  /** The language that is spoken; both renderings become subtitles. */
  readonly spoken: Language;
  readonly ko: string;
  readonly en: string;
}

/** The end of a line is measured from the synthesised speech. */
export const lines: readonly Line[] = [
  {
    startMs: 800,
    spoken: 'en',
    ko: '열람실에 오신 것을 환영합니다.',
    en: 'Good morning and welcome to the reading room.',
  },
  {
    startMs: 4400,
    spoken: 'ko',
    ko: '오늘은 짧은 이야기를 함께 듣겠습니다.',
    en: 'Today we will listen to a short story together.',
  },
  { startMs: 8600, spoken: 'en', ko: '비가 오기 전에 강은 조용했습니다.', en: 'The river was quiet before the rain.' },
  {
    startMs: 12300,
    spoken: 'ko',
    ko: '할머니는 창문을 닫고 차를 끓였습니다.',
    en: 'Grandmother closed the window and made tea.',
  },
  {
    startMs: 23600,
    spoken: 'ko',
    ko: '음악이 멈추자 아이가 물었습니다.',
    en: 'When the music stopped, a child asked a question.',
  },
  { startMs: 27300, spoken: 'en', ko: '바람은 밤에 어디로 가나요?', en: 'Where does the wind go at night?' },
  {
    startMs: 36600,
    spoken: 'ko',
    ko: '바람은 산을 넘어 바다로 갑니다.',
    en: 'The wind goes over the mountain to the sea.',
  },
  {
    startMs: 40600,
    spoken: 'en',
    ko: '그때 등불이 꺼지고 모두 웃었습니다.',
    en: 'Then the lamp went out and everyone laughed.',
  },
  { startMs: 44800, spoken: 'ko', ko: '이야기는 여기에서 끝이 납니다.', en: 'The story ends here.' },
];

export interface Passage {
  readonly kind: 'tone' | 'noise';
  readonly startMs: number;
  readonly endMs: number;
}

export const passages: readonly Passage[] = [
  { kind: 'tone', startMs: 16800, endMs: 22600 },
  { kind: 'noise', startMs: 30800, endMs: 35800 },
];

interface Scene {
  readonly firstFrame: number;
  /** An ffmpeg source without size, rate and length. */
  readonly picture: string;
  readonly textColor: string;
}

/** Every scene but the first begins with a hard cut. */
export const scenes: readonly Scene[] = [
  {
    firstFrame: 0,
    picture: 'gradients=c0=0x10243e:c1=0x2f6690:x0=0:y0=0:x1=640:y1=360:seed=1:speed=0.002',
    textColor: 'white',
  },
  { firstFrame: 194, picture: 'color=c=0xf2e8cf', textColor: 'black' },
  {
    firstFrame: 405,
    picture: 'gradients=c0=0x3c096c:c1=0x9d4edd:x0=640:y0=0:x1=0:y1=360:seed=2:speed=0.004',
    textColor: 'white',
  },
  { firstFrame: 580, picture: 'color=c=0xd8f3dc', textColor: 'black' },
  {
    firstFrame: 763,
    picture: 'gradients=c0=0x0b0b0b:c1=0x7f5539:x0=0:y0=360:x1=640:y1=0:seed=3:speed=0.003',
    textColor: 'white',
  },
  { firstFrame: 1008, picture: 'color=c=0xffd6a5', textColor: 'black' },
];

export interface ScreenText {
  readonly firstFrame: number;
  readonly endFrame: number;
  readonly language: Language;
  readonly text: string;
  /** Distance of the text from the upper edge, in pixels. */
  readonly y: number;
}

export const screenTexts: readonly ScreenText[] = [
  { firstFrame: 25, endFrame: 180, language: 'en', text: 'Reading room', y: 90 },
  { firstFrame: 50, endFrame: 180, language: 'ko', text: '열람실', y: 200 },
  { firstFrame: 205, endFrame: 300, language: 'en', text: 'Chapter one', y: 90 },
  { firstFrame: 310, endFrame: 395, language: 'ko', text: '첫째 이야기', y: 140 },
  { firstFrame: 420, endFrame: 560, language: 'en', text: 'Music only', y: 140 },
  { firstFrame: 595, endFrame: 750, language: 'ko', text: '바람의 길', y: 140 },
  { firstFrame: 780, endFrame: 890, language: 'en', text: 'Noise only', y: 90 },
  { firstFrame: 905, endFrame: 995, language: 'ko', text: '산과 바다', y: 140 },
  { firstFrame: 1020, endFrame: 1110, language: 'en', text: 'Lamp out', y: 140 },
  { firstFrame: 1125, endFrame: 1240, language: 'ko', text: '끝', y: 90 },
  { firstFrame: 1125, endFrame: 1240, language: 'en', text: 'The end', y: 200 },
];

export const frameToMs = (frame: number): number => (frame * 1000) / frameRate;
