import test from 'ava';
import { StartError } from '../../cli/options/start-error.ts';
import { failureLine } from '../../cli/options/start-remedies.ts';
import { demandObjectSource, workQueueNotice } from '../../cli/options/work-queue.ts';
import { workerFlags } from '../../cli/options/worker-options.ts';

const place = ['--work-queue', 'redis://user:secret@queue.example:6380/1', '--object-source', '/srv/objects'];

test('a worker is told where its queue and its objects are', (t) => {
  t.deepEqual(workerFlags(place), {
    workQueue: { address: 'redis://user:secret@queue.example:6380/1', objectSource: '/srv/objects' },
    leaseMs: 15_000,
    recognizer: null,
    logFormat: 'text',
  });
  t.like(workerFlags([...place, '--lease-ms', '1000', '--log-format=json']), { leaseMs: 1000, logFormat: 'json' });
  t.notRegex(workQueueNotice(workerFlags(place).workQueue), /user|secret/);
});

test('a worker that is called wrongly says what is missing, without the address of the queue', (t) => {
  const refused = (code: string, ...args: readonly string[]) =>
    t.throws(() => workerFlags(args), { instanceOf: StartError, code });
  refused('invalid_work_queue');
  refused('invalid_work_queue', ...place.slice(0, 2));
  const wrong = refused('invalid_work_queue', '--work-queue', 'rediss//user:secret@queue', '--object-source', '/srv');
  t.is(
    failureLine(wrong),
    'invalid_work_queue: --work-queue is not an address of the form redis://HOST:PORT; give --work-queue redis://HOST:PORT and --object-source DIR together, or neither',
  );
  for (const lease of ['999', '0x400', '1e4', '600001']) refused('invalid_flags', ...place, '--lease-ms', lease);
  refused('invalid_flags', ...place, '--log-format', 'xml');
  const server = [
    '--semantic-recognizer',
    'openai',
    '--semantic-recognizer-model',
    'm',
    '--allow-real-semantic-evidence',
  ];
  refused('executor_not_allowed', ...place, ...server);
});

test('an object source that is no folder is refused at the start', async (t) => {
  const objectSource = '/no/such/folder';
  const error = await t.throwsAsync(demandObjectSource({ address: 'redis://a', objectSource }), {
    instanceOf: StartError,
    code: 'object_source_unavailable',
  });
  t.regex(failureLine(error), /no folder that can be reached; make or mount the folder/);
});
