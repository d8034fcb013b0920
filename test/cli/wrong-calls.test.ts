import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the built command as a shell would, with no terminal; its exit code and stderr. */
const run = (...args: readonly string[]): Promise<readonly [number, string]> =>
  new Promise((resolve) => {
    const options = { cwd: repository };
    const child = execFile(process.execPath, ['build/media-study.js', ...args], options, (error, _stdout, stderr) =>
      resolve([typeof error?.code === 'number' ? error.code : 0, stderr]),
    );
    child.stdin?.end();
  });

test('what is wrong with a call is said before a host is started for it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'wrong-calls-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const root = ['--data-root', join(folder, 'data')];
  const [media, empty, none, nameless] = ['a.wav', 'empty.wav', 'none.wav', 'recording'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  await writeFile(media, 'x');
  await writeFile(nameless, 'x');
  await writeFile(empty, '');
  for (const [args, message] of [
    [['ingest', none], `there is no file ${none}`],
    [['ingest', folder], `${folder} is a folder: name the files in it, such as ${folder}/*`],
    [['ingest', empty], `${empty} is empty: nothing is in it that could be taken in`],
    [['ingest', media, '--subtitles', none], `there is no subtitle file ${none}`],
    [['study', media, '--subtitles', none], `there is no subtitle file ${none}`],
    [['study', media, '--language', 'korean'], '--language: korean is no tag of a language, did you mean ko (Korean)?'],
    [
      ['study', media, '--again', 'a/b'],
      '--again a/b: a name has letters, digits and . _ : - alone, begins with a letter or a digit, and is at most 160 long',
    ],
    [
      ['study', media, '--target-language', 'jp'],
      '--target-language: jp is no tag of a language, did you mean ja (Japanese)?',
    ],
    [
      ['ingest', nameless],
      `${nameless}: the name of a file that is taken in must end with an extension; rename it, or name a link to it`,
    ],
    [['ingest', media], '--rights-holder is missing: name who holds the rights in a.wav'],
    [['study', media], '--rights-holder is missing: name who holds the rights in a.wav'],
    [
      ['study', media, '--rights-holder', 'Me'],
      'nothing was taken in: it was not attested that you may process a.wav on this machine (--attest-rights)',
    ],
    [['study', media, '--from', '20', '--to', '0:10'], '--to is not after --from: the range is empty'],
    [['study', media, '--to', 'ten'], '--to ten: a time is needed, such as 90, 1:30 or 1:02:03.250'],
  ] as const) {
    t.deepEqual(await run(...args, ...root), [2, `${message}\n`], args.join(' '));
  }
});

test('what is wrong with a review or an export is said before a host is looked for, and nobody attests to it', async (t) => {
  const root = ['--data-root', join(tmpdir(), 'no-such-data-root')];
  const rejections =
    'evidence_requires_additional_review, source_scope_not_approved, rights_or_policy_concern, other_review_concern';
  const revocations = 'approval_entered_in_error, new_review_required, source_scope_changed, rights_or_policy_concern';
  for (const [args, message] of [
    [['review', 'maybe', 'runtime:any'], 'maybe: one of approve, reject, revoke'],
    [['review', 'approve'], 'RUNTIME is missing'],
    [['review', 'approve', 'runtime:any', '--reason', 'good'], '--reason is for reject and revoke'],
    [['review', 'reject', 'runtime:any'], `reject needs at least one --reason: ${rejections}`],
    [['review', 'reject', 'runtime:any', '--reason', 'bad'], `--reason bad: one of ${rejections}`],
    [['review', 'revoke', 'runtime:any', '--reason', 'bad'], `--reason bad: one of ${revocations}`],
    [['export', 'runtime:any', 'facts.csv', '--side', 'source'], '--side is for captions'],
    [['export', 'runtime:any', 'bundle', '--side', 'source'], '--side is for captions'],
    [['export', 'runtime:any', 'captions.srt', '--side', 'both'], '--side both: one of source, target'],
    [['export', 'runtime:any', 'captions.srt', '--rate', '25'], '--rate is for cuts.edl'],
    [
      ['export', 'runtime:any', 'cuts.edl', '--rate', '23'],
      '--rate 23: one of 24, 25, 30, 50, 60, 23.976, 29.97, 59.94',
    ],
    [['export', 'runtime:any', 'cuts.edl', '--media'], '--media is for a bundle'],
  ] as const) {
    t.deepEqual(await run(...args, ...root), [2, `${message}\n`], args.join(' '));
  }
});

test('a command that is named to be pasted names a data root as a shell reads it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'wrong calls-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const said = `no host has ever kept its data in ${folder}; node build/media-study.js study FILE --data-root '${folder}' takes media in and studies it\n`;
  t.deepEqual(await run('sources', '--data-root', folder), [3, said]);
});
