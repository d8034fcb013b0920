import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { runCommand } from './command.ts';
import { type CompletedCommands, completionScript } from '../../cli/completions.ts';
import { repeated, single, toggle } from '../../cli/options/flags.ts';

const run = promisify(execFile);
const commands: CompletedCommands = {
  export: {
    usage: 'media-study export',
    purpose: "Writes a study, the host's own.",
    flags: {
      output: single('FILE', null, 'the file [that] is written: here'),
      rate: single('RATE', '25', 'frames'),
      media: toggle('with media'),
    },
    choices: ['bundle', 'cuts.edl'],
  },
  watch: { usage: 'media-study watch', purpose: 'Watches.', flags: { only: repeated('KIND', null, 'a kind') } },
};

/** What bash proposes for the last of these words, asked as its completion asks. */
async function proposed(script: string, ...words: readonly string[]): Promise<string[]> {
  const asked = `${script}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
compopt() { echo "compopt $*"; }
_media_study
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', asked, 'bash', 'media-study', ...words]);
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash proposes commands, then the words and flags of one, and files where a path belongs', async (t) => {
  const script = completionScript('bash', commands);
  t.deepEqual(await proposed(script, ''), ['export', 'watch', '--help', '--version']);
  t.deepEqual(await proposed(script, 'w'), ['watch']);
  t.deepEqual(await proposed(script, 'export', ''), ['bundle', 'cuts.edl', '--output', '--rate', '--media', '--help']);
  t.deepEqual(await proposed(script, 'export', '--m'), ['--media']);
  t.deepEqual(await proposed(script, 'export', '--output', ''), ['compopt -o default']);
  t.deepEqual(await proposed(script, 'export', '--rate', ''), []);
  t.deepEqual(await proposed(script, 'watch', './a'), ['compopt -o default']);
});

test('the command prints completions of its own commands, which bash can use', async (t) => {
  const { stdout } = await runCommand(['completions', 'bash']);
  const names = await proposed(stdout, '');
  for (const name of ['serve', 'study', 'verify', 'export', 'doctor', 'mcp', 'completions'])
    t.true(names.includes(name));
  t.true((await proposed(stdout, 'export', 'runtime:x', 'b')).includes('bundle'));
  t.deepEqual(await proposed(stdout, 'verify', '--tr'), ['--trust']);
  t.deepEqual(await proposed(stdout, 'completions', 'z'), ['zsh']);
  const wrong = await runCommand(['completions', 'sh']);
  t.true(wrong.exit !== 0);
  t.regex(wrong.stderr, /SHELL is one of bash, zsh, fish/);
});

test('words of people are quoted for zsh and fish', (t) => {
  const zsh = completionScript('zsh', commands);
  t.regex(zsh, /\[\[ \$funcstack\[1\] == _media-study \]\]; then _media_study "\$@"; else compdef/);
  t.true(zsh.includes("'--help[says what the command does]'"));
  t.true(zsh.includes("'--output[the file \\[that\\] is written\\: here]:FILE:_files'"));
  t.true(zsh.includes("'*--only[a kind]:KIND:'"));
  t.true(zsh.includes("'export:Writes a study, the host'\\''s own.'"));
  const fish = completionScript('fish', commands);
  t.true(fish.includes("-f -a export -d 'Writes a study, the host\\'s own.'"));
  t.true(fish.includes("-l output -r -F -d 'the file [that] is written: here'"));
});
