import { screenTextEngines } from '../../contract/screentext.ts';
import { StartError } from '../../options/failures.ts';
import { type FlagTable, type GivenFlags, oneOf, text, valuesOf } from '../../options/flags.ts';
import { option, worded } from '../../options/start-text.ts';
import { DEFAULT_LANGUAGES, type ScreenTextChoice } from './engine/tesseract.ts';

const screenTextFlag = 'screen-text';
const screenTextLanguagesFlag = 'screen-text-languages';

// Each takes memory in the process that reads, and makes it slower and less sure of the others.
const mostLanguages = 8;

const screen = { setting: { room: 'screen_text', change: 'restart', isGrouped: true } } as const;

/** The flags that choose who reads text on the screen. */
export const screenTextFlags = {
  [screenTextFlag]: {
    ...screen,
    ...oneOf(
      'NAME',
      ['unavailable', ...screenTextEngines],
      'the engine for text on the screen: unavailable (none); or tesseract, on this machine, from npm packages',
    ),
  },
  [screenTextLanguagesFlag]: {
    ...screen,
    ...text(
      'CODES',
      DEFAULT_LANGUAGES.join('+'),
      'the languages that tesseract reads, as its codes joined by +; each needs the package @tesseract.js-data/CODE',
    ),
  },
} satisfies FlagTable;

/** The reader of text on the screen of a host; null if there is none. Throws `StartError` unless the flags agree. */
export function screenTextOf(given: GivenFlags): ScreenTextChoice | null {
  const { [screenTextFlag]: engine, [screenTextLanguagesFlag]: languages } = valuesOf(given, screenTextFlags);
  if (engine === 'unavailable') {
    if (!given.has(screenTextLanguagesFlag)) return null;
    throw new StartError(
      'executor_not_allowed',
      worded`${option(screenTextLanguagesFlag)} needs ${option(screenTextFlag)} tesseract`,
    );
  }
  return { engine, languages: codesOf(languages) };
}

function codesOf(text: string): readonly string[] {
  const codes = text.split('+');
  const areCodes = codes.every((code) => /^[a-z]{3}(_[a-z]{3,8})*$/.test(code));
  if (areCodes && codes.length <= mostLanguages && new Set(codes).size === codes.length) return codes;
  throw new StartError(
    'invalid_flags',
    worded`${option(screenTextLanguagesFlag)} ${text}: up to ${mostLanguages} codes such as eng+kor`,
  );
}

/** The notice for people if a host reads text on the screen. */
export const screenTextNotice = ({ engine, languages }: ScreenTextChoice): string =>
  `text on the screen: ${engine} with ${languages.join(', ')}, on this machine`;
