import test, { type ExecutionContext } from 'ava';
import { type FlagTable, parseFlags, repeated, single, toggle } from '../../cli/options/flags.ts';

const table: FlagTable = {
  port: single('PORT', '1', 'where to listen'),
  'data-root': single('DIR', null, 'where things lie'),
  'allowed-origin': repeated('ORIGIN', null, 'who may ask'),
  check: toggle('looks only'),
};

const refused = (t: ExecutionContext, args: readonly string[], message: string): void => {
  t.throws(() => parseFlags(args, table), { name: 'StartError', code: 'invalid_flags', message }, args.join(' '));
};

test('a value follows its flag, or an equals sign', (t) => {
  const given = parseFlags(['--port', '1', '--data-root=a=b', '--check'], table);
  t.is(given.single('port'), '1');
  t.is(given.single('data-root'), 'a=b');
  t.true(given.has('check'));
  t.false(given.has('allowed-origin'));
  t.is(given.single('allowed-origin'), undefined);
  t.deepEqual(given.all('allowed-origin'), []);
});

test('a repeated flag keeps its values in order', (t) => {
  const given = parseFlags(['--allowed-origin', 'b', '--port=1', '--allowed-origin=a'], table);
  t.deepEqual(given.all('allowed-origin'), ['b', 'a']);
});

test('a value may look like an option only behind an equals sign', (t) => {
  t.is(parseFlags(['--data-root=--check'], table).single('data-root'), '--check');
  t.is(parseFlags(['--data-root', '-x'], table).single('data-root'), '-x');
  refused(t, ['--data-root', '--check'], '--data-root needs a value');
});

test('behind two dashes nothing is a flag, so that an argument may look like one', (t) => {
  const given = parseFlags(['--check', '--', '--port', '--', '-x.mp4'], table, 3);
  t.true(given.has('check'));
  t.false(given.has('port'));
  t.deepEqual(given.positional, ['--port', '--', '-x.mp4']);
});

test('a flag without its value is refused, an empty one as well', (t) => {
  for (const args of [['--port'], ['--port='], ['--port', ''], ['--port', '--check']]) {
    refused(t, args, '--port needs a value');
  }
  refused(t, ['--check=yes'], '--check takes no value');
});

test('a single flag may be given once', (t) => {
  refused(t, ['--port', '1', '--port=1'], '--port may be given once');
  refused(t, ['--check', '--check'], '--check may be given once');
});

test('an unknown flag is refused with the nearest one that there is', (t) => {
  refused(t, ['--prot', '1'], 'unknown flag --prot, did you mean --port?');
  refused(t, ['--data-rooot=x'], 'unknown flag --data-rooot, did you mean --data-root?');
  refused(t, ['--allow-origin', 'x'], 'unknown flag --allow-origin, did you mean --allowed-origin?');
  refused(t, ['--unsafe-development-bind'], 'unknown flag --unsafe-development-bind');
  refused(t, ['--constructor', '1'], 'unknown flag --constructor');
});

test('what is no flag is refused', (t) => {
  for (const word of ['port', '-p', '', '—port']) refused(t, [word], `unexpected argument '${word}'`);
});
