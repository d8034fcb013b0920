import { homedir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { evaluateOptions } from '../../../features/evaluation/options.ts';
import { StartError } from '../../../options/failures.ts';
import { repository } from '../../cli/command.ts';

const optionsOf = (args: readonly string[]) => evaluateOptions(args, []);

const sample = join(repository, 'fixtures/sample');
const acceptedFile = join(sample, 'baseline.json');

test('the call is read, and a wrong one refused', (t) => {
  t.deepEqual(optionsOf([]), {
    pack: sample,
    baseline: acceptedFile,
    accept: false,
    receipts: null,
    dataRoot: null,
    json: false,
    report: null,
    features: [],
  });
  const given = optionsOf(['/pack', '--data-root', '/root', '--receipts=/kept', '--accept', '--json']);
  t.deepEqual(given, {
    pack: '/pack',
    baseline: '/pack/baseline.json',
    accept: true,
    receipts: '/kept',
    dataRoot: '/root',
    json: true,
    report: null,
    features: [],
  });
  t.throws(() => optionsOf(['--sample']), { instanceOf: StartError, message: /unknown flag --sample/ });
  t.throws(() => optionsOf(['/pack', '/pack']), { instanceOf: StartError, message: /unexpected argument/ });
  t.throws(() => optionsOf(['--accept=yes']), { instanceOf: StartError, message: /takes no value/ });
});

test('a leading ~/ is the home folder in every option that takes a path', (t) => {
  const paths = ['--baseline=~/b.json', '--receipts=~/r', '--data-root=~/d'];
  t.like(optionsOf(['~/pack', ...paths]), {
    pack: join(homedir(), 'pack'),
    baseline: join(homedir(), 'b.json'),
    receipts: join(homedir(), 'r'),
    dataRoot: join(homedir(), 'd'),
  });
});
