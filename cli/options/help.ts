import { version } from '../../contract/base/program-version.ts';
import { endOfFlags, type Flag, type FlagTable } from './flags.ts';

/** What a command says of itself. */
export interface CommandWords {
  /** How it is called, such as `npm run verify -- RUNTIME [flags]`. */
  readonly usage: string;
  /** One sentence. */
  readonly purpose: string;
  readonly flags: FlagTable;
  /** Words that its arguments may be, where these are known; a shell completes them. */
  readonly choices?: readonly string[];
}

const indent = 6;
const widest = 100;

/** The text of `--help`: usage, purpose, and each flag with its value, its meaning and what holds without it. */
export function helpText({ usage, purpose, flags }: CommandWords): string {
  const rows = Object.entries(flags).map(([name, flag]) => `  ${headOf(name, flag)}\n${wrapped(meaningOf(flag))}`);
  const common = ['  --help\n      shows this text', '  --version\n      shows the version'];
  return [`usage: ${usage}`, purpose, '', ...rows, ...common, ''].join('\n');
}

/** Answers `--help` and `--version` on stdout wherever they stand among the flags of a call; false when neither does. */
export function answersQuestion(all: readonly string[], words: CommandWords, print: (text: string) => void): boolean {
  const args = all.includes(endOfFlags) ? all.slice(0, all.indexOf(endOfFlags)) : all;
  if (args.includes('--help') || args.includes('-h')) print(helpText(words));
  else if (args.includes('--version')) print(`${version}\n`);
  else return false;
  return true;
}

const headOf = (name: string, { value, form }: Flag): string =>
  `--${name}${value === null ? '' : ` ${value}`}${form === 'repeated' ? ' (may be repeated)' : ''}`;

const meaningOf = ({ help, preset }: Flag): string => (preset === null ? help : `${help} (default: ${preset})`);

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && indent + line.length + 1 + word.length > widest) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => ' '.repeat(indent) + line).join('\n');
}
