import type { CommandWords, Flag } from '../options/flags.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
type ShellName = (typeof shells)[number];

/** Every command by its name, with its own words. */
export type CompletedCommands = Readonly<Record<string, CommandWords>>;

const isPath = ({ value }: Flag): boolean => value !== null && /^(FILE|DIR|KEYFILE|PATH)$/.test(value);
const takesOther = (flag: Flag): boolean => flag.value !== null && !isPath(flag);

const flagNames = ({ flags }: CommandWords): string[] => [...Object.keys(flags), 'help'].map((name) => `--${name}`);

/** Flags of any command whose value is neither a path nor in a list: nothing is proposed behind them. */
const valued = (commands: CompletedCommands, isOne: (flag: Flag) => boolean): string[] =>
  [
    ...new Set(
      Object.values(commands).flatMap(({ flags }) =>
        Object.entries(flags).flatMap(([name, flag]) => (isOne(flag) ? [`--${name}`] : [])),
      ),
    ),
  ].sort();

function bash(commands: CompletedCommands): string {
  const cases = Object.entries(commands).map(
    ([name, words]) => `    ${name}) words='${[...(words.choices ?? []), ...flagNames(words)].join(' ')}' ;;`,
  );
  return `# bash completion for media-study
_media_study() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${Object.keys(commands).join(' ')} --help --version' -- "$current"))
    return
  fi
  case $before in
    ${valued(commands, takesOther).join(' | ')}) return ;;
    ${valued(commands, isPath).join(' | ')}) compopt -o default; return ;;
  esac
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  ((\${#COMPREPLY[@]})) || compopt -o default
}
complete -F _media_study media-study
`;
}

const helpText = 'prints what the command does';

/** Text between single quotes of a shell. */
const quoted = (text: string): string => text.replaceAll("'", "'\\''");
/** The same for fish, which escapes inside of quotes. */
const quotedForFish = (text: string): string => text.replaceAll(/[\\']/g, '\\$&');
/** Help between the brackets of a specification of zsh. */
const bracketed = (text: string): string => quoted(text.replaceAll(/[[\]:\\]/g, '\\$&'));

function zsh(commands: CompletedCommands): string {
  const list = Object.entries(commands).map(([name, { purpose }]) => `    '${name}:${bracketed(purpose)}'`);
  const cases = Object.entries(commands).map(([name, { flags, choices }]) => {
    const specs = Object.entries(flags).map(([flag, each]) => {
      const value = each.value === null ? '' : `:${each.value}:${isPath(each) ? '_files' : ''}`;
      return `'${each.form === 'repeated' ? '*' : ''}--${flag}[${bracketed(each.help)}]${value}'`;
    });
    const others = choices === undefined ? "'*:file:_files'" : `'*:word:(${choices.join(' ')})'`;
    return `    ${name}) _arguments ${[...specs, `'--help[${helpText}]'`, others].join(' ')} ;;`;
  });
  return `#compdef media-study
_media_study() {
  local -a commands=(
${list.join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local name=$words[2]
  shift words
  ((CURRENT -= 1))
  case $name in
${cases.join('\n')}
  esac
}
# A file of fpath is run by the first completion itself; one that is sourced only registers the completion.
if [[ $funcstack[1] == _media-study ]]; then _media_study "$@"; else compdef _media_study media-study; fi
`;
}

function fish(commands: CompletedCommands): string {
  const lines = Object.entries(commands).flatMap(([name, { purpose, flags, choices }]) => {
    const inside = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c media-study -n __fish_use_subcommand -f -a ${name} -d '${quotedForFish(purpose)}'`,
      ...(choices === undefined ? [] : [`complete -c media-study ${inside} -f -a '${choices.join(' ')}'`]),
      `complete -c media-study ${inside} -l help -d '${helpText}'`,
      ...Object.entries(flags).map(([flag, each]) => {
        const value = each.value === null ? '' : isPath(each) ? ' -r -F' : ' -x';
        return `complete -c media-study ${inside} -l ${flag}${value} -d '${quotedForFish(each.help)}'`;
      }),
    ];
  });
  return `# fish completion for media-study\n${lines.join('\n')}\n`;
}

const writers: Readonly<Record<ShellName, (commands: CompletedCommands) => string>> = { bash, zsh, fish };

/** The script that completes calls of `media-study` in a shell, made of what the commands declare. */
export const completionScript = (shell: ShellName, commands: CompletedCommands): string => writers[shell](commands);

export const completionsWords: CommandWords = {
  usage: 'media-study completions SHELL',
  purpose: `Prints the completions of a shell: ${shells.join(', ')}.`,
  flags: {},
  choices: shells,
};
