import test from 'ava';
import { noEngines } from '../../../actors/engines/engine-choices.ts';
import { evaluateOptions } from '../../../features/evaluation/options.ts';
import { withEnginesOf } from '../../../features/feature.ts';
import { speechRecognition } from '../../../features/recognition/feature.ts';
import { workerFlags } from '../../../features/workers/options.ts';
import { StartError } from '../../../options/failures.ts';

test('an evaluation takes the options of the features that studies use', (t) => {
  const enginesOf = (...flags: string[]) => {
    const { features } = evaluateOptions(flags, [speechRecognition]);
    return withEnginesOf(
      features.map((configure) => configure({})),
      noEngines,
    );
  };
  t.like(enginesOf(), { recognizer: null, recognizesTwice: false });
  const asked = ['--semantic-recognizer', 'pocketsphinx', '--allow-real-semantic-evidence'];
  t.like(enginesOf(...asked, '--semantic-recognizer-second-run'), {
    recognizer: { engine: 'pocketsphinx' },
    recognizesTwice: true,
  });
  t.throws(() => evaluateOptions(['--permit-recognition'], [speechRecognition]), { message: /unknown flag/ });
});

const flagsOf = (args: readonly string[]) => workerFlags(args, [speechRecognition], {});

const place = ['--work-queue', 'redis://user:secret@queue.example:6380/1', '--object-source', '/srv/objects'];

test('a worker takes a recognizer of its machine, and says so', (t) => {
  const asked = ['--semantic-recognizer', 'pocketsphinx', '--allow-real-semantic-evidence'];
  const { recognizer, notices } = flagsOf([...place, ...asked]);
  t.like(recognizer, { engine: 'pocketsphinx', place: 'pocketsphinx', model: null });
  t.deepEqual(notices, ['speech recognition: pocketsphinx, on this machine']);
});

test('a worker refuses a recognizer behind a server that nobody permitted', (t) => {
  const server = [
    '--semantic-recognizer',
    'openai',
    '--semantic-recognizer-model',
    'm',
    '--allow-real-semantic-evidence',
  ];
  t.throws(() => flagsOf([...place, ...server]), { instanceOf: StartError, code: 'executor_not_allowed' });
});
