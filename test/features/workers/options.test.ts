import test from 'ava';
import {
  demandObjectSource,
  workerFlags,
  workQueueFlags,
  workQueueNotice,
  workQueueOf,
} from '../../../features/workers/options.ts';
import { failureLine, StartError } from '../../../options/failures.ts';
import { parseFlags } from '../../../options/flags.ts';

const flagsOf = (args: readonly string[]) => workerFlags(args, [], {});

/** The queue of a host. */
const queueOf = (args: readonly string[]) => workQueueOf(parseFlags(args, workQueueFlags));

test('a host without workers names neither queue nor folder, and one with workers names both', (t) => {
  t.is(queueOf([]), null);
  for (const flag of [
    '--object-source=/srv/objects',
    '--work-queue=redis://127.0.0.1:6379',
    '--work-queue=127.0.0.1:6379',
    '--work-queue=http://127.0.0.1:6379',
    '--work-queue=redis:///0',
  ]) {
    const error = t.throws(() => queueOf([flag]), { instanceOf: StartError, code: 'invalid_work_queue' }, flag);
    t.is(error?.exitCode, 2);
  }
});

const place = ['--work-queue', 'redis://user:secret@queue.example:6380/1', '--object-source', '/srv/objects'];

test('a worker gets the addresses of its queue and its objects', (t) => {
  t.deepEqual(flagsOf(place), {
    workQueue: { address: 'redis://user:secret@queue.example:6380/1', objectSource: '/srv/objects' },
    leaseMs: 15_000,
    recognizer: null,
    notices: [],
    logFormat: 'text',
  });
  t.like(flagsOf([...place, '--lease-ms', '1000', '--log-format=json']), { leaseMs: 1000, logFormat: 'json' });
  t.notRegex(workQueueNotice(flagsOf(place).workQueue), /user|secret/);
});

test('bug: a part of an unencoded Redis password was taken for the host, printed and looked up', (t) => {
  const passwords = ['12/34', '12?34', '12#34', '12/34@56', '12%zz', '/34', '#34'];
  for (const password of passwords) {
    const address = `redis://me:${password}@queue.example:6379/1`;
    for (const read of [flagsOf, queueOf]) {
      const error = t.throws(() => read(['--work-queue', address, '--object-source', '/srv']), {
        instanceOf: StartError,
        code: 'invalid_work_queue',
      });
      t.notRegex(failureLine(error), /12|34|56|zz/, address);
    }
  }
  const taken = `redis://me:${encodeURIComponent('12/3?4#5%6@7')}@queue.example:6379/1?family=6`;
  const { workQueue } = flagsOf(['--work-queue', taken, '--object-source', '/srv']);
  t.is(workQueue.address, taken);
  t.is(workQueueNotice(workQueue), 'work queue: queue.example:6379; media is measured by workers, who read it in /srv');
});

test('a wrong call of a worker names the missing part, without the address of the queue', (t) => {
  const refused = (code: string, ...args: readonly string[]) =>
    t.throws(() => flagsOf(args), { instanceOf: StartError, code });
  refused('invalid_work_queue');
  refused('invalid_work_queue', ...place.slice(0, 2));
  const wrong = refused('invalid_work_queue', '--work-queue', 'rediss//user:secret@queue', '--object-source', '/srv');
  t.is(
    failureLine(wrong),
    'invalid_work_queue: --work-queue is not an address of the form redis://HOST:PORT; give --work-queue redis://HOST:PORT and --object-source DIR together; a host without workers needs neither',
  );
  for (const lease of ['999', '0x400', '1e4', '600001']) refused('invalid_flags', ...place, '--lease-ms', lease);
  refused('invalid_flags', ...place, '--log-format', 'xml');
});

test('an object source that is not a folder is refused at the start', async (t) => {
  const objectSource = '/no/such/folder';
  const error = await t.throwsAsync(demandObjectSource({ address: 'redis://a', objectSource }), {
    instanceOf: StartError,
    code: 'object_source_unavailable',
  });
  t.regex(failureLine(error), /not a reachable folder; make or mount the folder/);
});
