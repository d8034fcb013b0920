import { screenTextEngines } from '../../contract/screentext/screen-text-operation.ts';
import { DEFAULT_LANGUAGES, type ScreenTextChoice } from '../../executors/screentext/tesseract.ts';
import { choice } from './closed-values.ts';
import { type FlagTable, type GivenFlags, single } from './flags.ts';
import { StartError } from './start-error.ts';

const engineFlag = 'screen-text';
const languagesFlag = 'screen-text-languages';

// Each takes memory in the process that reads, and makes it slower and less sure of the others.
const mostLanguages = 8;

/** The flags that choose who reads text on the screen. */
export const screenTextFlags: FlagTable = {
  [engineFlag]: single(
    'NAME',
    'unavailable',
    'who reads text on the screen: unavailable; or tesseract, on this machine, from packages of npm',
  ),
  [languagesFlag]: single(
    'CODES',
    DEFAULT_LANGUAGES.join('+'),
    'the languages that tesseract reads, by its own codes with + between them; the package @tesseract.js-data/CODE of each must be installed',
  ),
};

/** The reader of text on the screen of a host; null where there is none. Throws `StartError` unless the flags agree. */
export function screenTextOf(given: GivenFlags): ScreenTextChoice | null {
  const engine = choice(given, engineFlag, ['unavailable', ...screenTextEngines]);
  const languages = given.single(languagesFlag);
  if (engine === 'unavailable') {
    if (languages === undefined) return null;
    throw new StartError('executor_not_allowed', `--${languagesFlag} needs --${engineFlag} tesseract`);
  }
  return { engine, languages: languages === undefined ? DEFAULT_LANGUAGES : codesOf(languages) };
}

function codesOf(text: string): readonly string[] {
  const codes = text.split('+');
  const areCodes = codes.every((code) => /^[a-z]{3}(_[a-z]{3,8})*$/.test(code));
  if (areCodes && codes.length <= mostLanguages && new Set(codes).size === codes.length) return codes;
  throw new StartError('invalid_flags', `--${languagesFlag} ${text}: up to ${mostLanguages} codes such as eng+kor`);
}

/** What people have to know of a host that reads text on the screen. */
export const screenTextNotice = ({ engine, languages }: ScreenTextChoice): string =>
  `text on the screen: ${engine} with ${languages.join(', ')}, on this machine`;
