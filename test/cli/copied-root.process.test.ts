import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { completedCommands } from '../../cli/completed-commands.ts';
import { StudyHost } from '../../client/study-host.ts';
import { studyUntil } from '../client/asked-study.ts';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { repository, runOn, startBuilt } from './command.ts';

// A copy of a data root has the host.json of the original. No command on the copy may reach the host of the original.

const run = promisify(execFile);
const sample = join(repository, 'fixtures/sample/source/media/sample.mp4');
const subtitles = '1\n00:00:01,000 --> 00:00:02,000\nA line\n';

/** The names in the calls. */
interface Names {
  readonly runtimeId: string;
  readonly sourceSessionId: string;
  readonly scratch: string;
}

/** A call of a command; `stays` for one that runs until it is interrupted, once it has printed its first line. */
interface Call {
  readonly args: readonly string[];
  readonly stays?: true;
}

const rights = ['--rights-holder', 'Me', '--attest-rights'];

/** A call of each command, each with what it would change if it reached the wrong host. */
const callsOf = ({ runtimeId, sourceSessionId, scratch }: Names): Readonly<Record<string, readonly Call[]>> => ({
  serve: [{ args: ['--port', '0'], stays: true }],
  caption: [{ args: [sample, '--to', 'en', ...rights] }],
  ingest: [{ args: [join(repository, 'fixtures/golden-store/releases/clip.mp4'), ...rights] }],
  study: [{ args: [sample, '--to', '1', '--again', 'copy', ...rights] }],
  watch: [{ args: [runtimeId] }],
  cancel: [{ args: [runtimeId] }],
  sources: [{ args: [] }],
  subtitles: [
    { args: [sourceSessionId, join(scratch, 'lines.srt'), ...rights] },
    { args: ['check', runtimeId, '--file', join(scratch, 'lines.srt')] },
  ],
  runtimes: [{ args: [] }],
  search: [{ args: ['boat'] }],
  evidence: [{ args: [runtimeId] }],
  review: [{ args: ['approve', runtimeId] }],
  captions: [{ args: [runtimeId, '--produce'] }, { args: ['edit', runtimeId, '--file', join(scratch, 'lines.srt')] }],
  export: [{ args: [runtimeId, 'bundle', '--output', join(scratch, 'bundle.tar')] }],
  gc: [{ args: [] }],
  disk: [{ args: [] }],
  'signing-keys': [{ args: [] }],
  open: [{ args: ['--print'], stays: true }],
  pair: [{ args: [], stays: true }],
  doctor: [{ args: [] }],
  settings: [{ args: ['set', 'study-workers=1'] }, { args: ['unset', 'study-workers'] }],
  backup: [{ args: [join(scratch, 'backup')] }],
  restore: [{ args: [join(scratch, 'backup')] }],
  verify: [{ args: ['--store'] }, { args: [runtimeId] }],
  evaluate: [{ args: [] }],
  engines: [{ args: [] }, { args: ['remove', 'none'] }],
  mcp: [{ args: [] }],
  worker: [{ args: [] }],
  completions: [{ args: ['bash'] }],
  // Last: they take away what the others name.
  delete: [{ args: ['runtime', runtimeId, '--yes'] }, { args: ['source', sourceSessionId, '--yes'] }],
});

/** The digest of each file below a folder, by its path. */
async function bytesOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const digests = files.sort().map(async (path) => {
    const digest = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    return [path.slice(folder.length), digest] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}

/** Runs a call to its end; one that stays is interrupted once it has printed a line. What it said on stderr. */
async function said(root: string, name: string, { args, stays }: Call): Promise<string> {
  if (stays !== true) return (await runOn(root, [name, ...args])).stderr;
  const command = startBuilt('build/media-study.js', [name, ...args, '--data-root', root]);
  let text = '';
  command.stderr.on('data', (chunk) => {
    text += chunk;
  });
  const ended = once(command, 'close');
  await Promise.race([once(command.stdout, 'data'), ended]);
  command.kill('SIGINT');
  await ended;
  return text;
}

/** A data root with an own source, a study and a page of the console, whose host runs; and a copy of it. */
async function copied(t: ExecutionContext) {
  const scratch = await scratchFolder(t);
  const [root, copy] = [join(scratch, 'root'), join(scratch, 'copy')];
  await writeFile(join(scratch, 'lines.srt'), subtitles);
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', root] });
  t.teardown(() => host.stop());
  const client = StudyHost.connect(JSON.stringify(await host.announced()));
  const source = await client.ingestFile(join(repository, 'fixtures/golden-store/releases/clip.mp4'), {
    label: 'Own',
    rightsHolder: 'Me',
    ownershipAttested: true,
  });
  const { runtimeId } = await client.study(source, studyUntil(1_000, 'captions')).ended();
  await run('sh', ['-c', `BROWSER=true node build/media-study.js open --data-root '${root}'`], { cwd: repository });
  await run('cp', ['-a', root, copy]);
  return { root, copy, client, names: { runtimeId, sourceSessionId: source.sourceSessionId, scratch } };
}

test('bug: every command on a copy of a data root worked on the host of the original', async (t) => {
  const { root, copy, client, names } = await copied(t);
  const calls = callsOf(names);
  t.deepEqual(Object.keys(calls).toSorted(), Object.keys(completedCommands).toSorted(), 'every command has a call');
  const before = await bytesOf(root);
  t.true('/console.html' in before);
  const silent: string[] = [];
  for (const [name, each] of Object.entries(calls)) {
    for (const call of each) {
      for (const file of ['host.json', 'console.html']) await copyFile(join(root, file), join(copy, file));
      const text = await said(copy, name, call);
      t.deepEqual(await bytesOf(root), before, `${name} ${call.args.join(' ')}: ${text}`);
      const isSaid = /host\.json in .*copy is stale: it names the host of another data root/.test(text);
      if (!isSaid) silent.push(name);
    }
  }
  // These look for no host: the host of the copy writes its own file, and the others read stored data or none.
  const lookForNone = [
    'serve',
    'engines',
    'review',
    'settings',
    'restore',
    'verify',
    'evaluate',
    'worker',
    'completions',
  ];
  t.deepEqual(
    silent.filter((name) => !lookForNone.includes(name)),
    [],
  );
  t.is((await client.runtimes()).runtimes.length, 1);
  await rm(copy, { recursive: true });
});
