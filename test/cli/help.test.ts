import test from 'ava';
import { commands } from '../../cli/commands.ts';
import { repeated, single, toggle } from '../../cli/options/flags.ts';
import { answersQuestion, helpText } from '../../cli/options/help.ts';
import { version } from '../../contract/base/program-version.ts';

const words = {
  usage: 'npm start -- [flags]',
  purpose: 'Runs the host.',
  flags: {
    port: single('PORT', '4312', '0 takes a free one'),
    'allowed-origin': repeated('ORIGIN', null, 'a web origin that may call the host, '.repeat(4).trim()),
    check: toggle('looks only'),
  },
};

const answered = (args: readonly string[]): string | null => {
  let said = '';
  const isQuestion = answersQuestion(args, words, (text) => {
    said += text;
  });
  return isQuestion ? said : null;
};

test('help names usage, purpose and every flag with its value, its meaning and its default', (t) => {
  t.is(
    helpText(words),
    `usage: npm start -- [flags]
Runs the host.

  --port PORT
      0 takes a free one (default: 4312)
  --allowed-origin ORIGIN (may be repeated)
      a web origin that may call the host, a web origin that may call the host, a web origin that
      may call the host, a web origin that may call the host,
  --check
      looks only
  --help
      shows this text
  --version
      shows the version
`,
  );
});

test('help and version are answered wherever they stand, and nothing else is', (t) => {
  t.is(answered(['--help']), helpText(words));
  t.is(answered(['-h']), helpText(words));
  t.is(answered(['--port', 'x', '--unknown', '--help']), helpText(words));
  t.is(answered(['--version']), `${version}\n`);
  t.is(answered([]), null);
  t.is(answered(['--port', '1']), null);
});

test('the help of every command says of each flag what it means', (t) => {
  for (const { flags, purpose } of Object.values(commands)) {
    t.regex(purpose, /^[A-Z].*\.$/);
    for (const [name, flag] of Object.entries(flags)) {
      t.regex(flag.help, /^[^.].*[^.]$/, name);
      t.is(flag.form === 'switch', flag.value === null, name);
    }
  }
});
