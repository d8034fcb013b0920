import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { evaluationReceipt } from '../../../contract/evaluation.ts';
import { contentIdOfBytes } from '../../../formats/canonical-json.ts';
import { type Ended, repository, runBuilt, startBuilt } from '../../cli/command.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { packFolder } from './labeled-packs.ts';

const sample = join(repository, 'fixtures/sample');
const acceptedFile = join(sample, 'baseline.json');

/** Runs the command as npm does, with a temporary folder of its own, which has to be empty of studies afterwards. */
async function evaluate(
  t: ExecutionContext,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const TMPDIR = await scratchFolder(t);
  const ended = await runBuilt('build/media-study.js', ['evaluate', ...args], { ...environment, TMPDIR });
  t.deepEqual(await studiesIn(TMPDIR), []);
  return ended;
}

const studiesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('media-study-evaluation-'));

/** An ffmpeg that is the real one but for a line of shell before it. */
async function ffmpegThat(folder: string, does: string) {
  const path = join(folder, 'ffmpeg');
  const real = process.env.MEDIA_STUDY_FFMPEG ?? 'ffmpeg';
  await writeFile(path, `#!/bin/bash\n${does}\nexec '${real}' "$@"\n`);
  await chmod(path, 0o755);
  return { MEDIA_STUDY_FFMPEG: path };
}

/** Data roots of their own for the evaluations by the real tools and for those by the dull one: what is measured there is kept. */
const roots = { folder: '', dull: {} };

test.before(async () => {
  roots.folder = await mkdtemp(join(tmpdir(), 'evaluate-test-'));
  // Blurs the last pictures with those before them, so that the last cut disappears.
  roots.dull = await ffmpegThat(
    roots.folder,
    `set -- "\${@//flags=area,format=rgb24/flags=area,tmix=frames=12:enable=gte(t\\\\,40),format=rgb24}"`,
  );
});

test.after.always(() => rm(roots.folder, { recursive: true, force: true }));

const measured = (...args: string[]) => [sample, '--data-root', join(roots.folder, 'measured'), ...args];
const dullyMeasured = (...args: string[]) => [sample, '--data-root', join(roots.folder, 'dull'), ...args];

// In turn: an evaluation finds what an earlier one has measured on its data root.
test.serial('the sample is found as well as it was accepted', async (t) => {
  // The sample is the pack that is evaluated unless another is named.
  const ending = await evaluate(t, measured().slice(1));
  t.is(ending.exit, 0, `${ending.stdout}${ending.stderr}`);
  const lines = ending.stdout.trimEnd().split('\n');
  t.regex(lines.at(-1) ?? '', /^(equal|better): baseline evaluation:[0-9a-f]{64}$/);
  t.true(lines.some((line) => /^ok +cuts\.within_0_frames\.f1 +1\.0000$/.test(line)));
  t.false(lines.some((line) => line.startsWith('DOWN')));
});

test.serial('a detector that has become worse is a regression, and its measures are named', async (t) => {
  const receipts = await scratchFolder(t);
  const ending = await evaluate(t, dullyMeasured('--json', '--receipts', receipts), roots.dull);
  t.is(ending.exit, 1, ending.stderr);
  const { verdict, receipt, receiptContentId, baselineReceiptId, measures } = JSON.parse(ending.stdout);
  t.is(verdict, 'regression');
  t.is(baselineReceiptId, JSON.parse(await readFile(acceptedFile, 'utf8')).receiptId);
  const worse = measures.filter(({ change }: { change: string }) => change === 'worse');
  const names = worse.map(({ name }: { name: string }) => name);
  const expected = [0, 1, 2].flatMap((frames) => [
    `cuts.within_${frames}_frames.recall`,
    `cuts.within_${frames}_frames.f1`,
  ]);
  t.deepEqual(names, expected);
  t.like(worse[0], { unit: 'micro', value: 800_000, baseline: 1_000_000, better: 'higher', tolerance: 0 });
  const [name = ''] = await readdir(receipts);
  const stored = await readFile(join(receipts, name));
  t.is(name, `${receiptContentId.slice('sha256:'.length)}.json`);
  t.is(contentIdOfBytes(stored), receiptContentId);
  t.deepEqual(evaluationReceipt.parse(JSON.parse(stored.toString('utf8'))), receipt);
});

test.serial('the next evaluation is compared with the accepted one', async (t) => {
  const baseline = join(await scratchFolder(t), 'accepted.json');
  const missing = await evaluate(t, measured('--baseline', baseline));
  t.is(missing.exit, 2);
  t.is(missing.stderr, `baseline_missing: ${baseline}: --accept writes one\n`);
  const report = join(await scratchFolder(t), 'report.svg');
  const accepted = await evaluate(t, dullyMeasured('--baseline', baseline, '--accept', '--report', report), roots.dull);
  t.regex(await readFile(report, 'utf8'), /^<svg [\s\S]*>cuts\.within_0_frames\.recall<[\s\S]*>0\.800</);
  t.is(accepted.exit, 0, accepted.stderr);
  t.regex(accepted.stdout, /\naccepted: there was no baseline\n$/);
  const better = await evaluate(t, measured('--baseline', baseline));
  t.is(better.exit, 0, better.stderr);
  t.regex(better.stdout, /\nUP +cuts\.within_0_frames\.recall +1\.0000 {2}\(accepted: 0\.8000\)\n/);
  t.regex(better.stdout, /\nbetter: baseline evaluation:/);
  const again = await evaluate(t, measured(`--baseline=${baseline}`, '--accept'));
  t.regex(again.stdout, /\naccepted: baseline evaluation:/);
  t.regex((await evaluate(t, measured('--baseline', baseline))).stdout, /\nequal: baseline evaluation:/);
});

test.serial('an incomplete pack or a foreign baseline ends with code 2 before anything is studied', async (t) => {
  const folder = await packFolder(t);
  const cases: [args: string[], message: RegExp][] = [
    [[await scratchFolder(t)], /^pack_file_missing: pack\.json; name a folder with a whole pack: [^\n]+\n$/],
    [[folder], /^baseline_missing: /],
    [[folder, '--baseline', sample], /^baseline_malformed: baseline: unreadable\n$/],
    [[folder, '--baseline', join(sample, 'gold.json')], /^baseline_malformed: baseline\.\w+\n$/],
  ];
  for (const [args, message] of cases) {
    const ending = await evaluate(t, args);
    t.is(ending.exit, 2);
    t.is(ending.stdout, '');
    t.regex(ending.stderr, message);
  }
  const other = await packFolder(t, {
    ...JSON.parse(await readFile(join(sample, 'pack.json'), 'utf8')),
    name: 'Other',
  });
  const ending = await evaluate(t, [other, '--baseline', acceptedFile]);
  t.is(ending.exit, 2);
  t.regex(ending.stderr, /^baseline_of_other_pack: /);
});

test.serial(
  'bug: a result without a place was refused after the whole pack was studied, without its measures',
  async (t) => {
    const folder = await scratchFolder(t);
    const file = join(folder, 'file');
    await writeFile(file, '');
    const cases: [args: string[], message: RegExp][] = [
      [['--report', join(folder, 'none', 'x.svg')], /^\S+none: a folder in its path does not exist; [^\n]+\n$/],
      [['--report', folder], /^invalid_flags: --report \S+ is a folder; /],
      [['--receipts', file], /^invalid_flags: --receipts \S+ is not a folder; /],
      [['--receipts', join(file, 'x')], /^\S+x: a part of the path to it is not a folder; /],
      [['--accept', '--baseline', join(folder, 'none', 'b.json')], /^\S+none: a folder in its path does not exist; /],
    ];
    for (const [args, message] of cases) {
      const ending = await evaluate(t, args);
      t.is(ending.exit, 2);
      t.regex(ending.stderr, message);
    }
    const gone = await runBuilt('build/media-study.js', ['evaluate'], { TMPDIR: join(folder, 'none') });
    t.is(gone.exit, 2);
    t.regex(gone.stderr, /a folder in its path does not exist; create it first, or correct the path \(ENOENT\)\n$/);
  },
);

for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
  test.serial(`an evaluation that is stopped by ${signal} leaves nothing behind`, async (t) => {
    const started = join(await scratchFolder(t), 'started');
    const environment = await ffmpegThat(
      await scratchFolder(t),
      `case "$*" in *flags=area*) touch '${started}'; exec sleep 600 ;; esac`,
    );
    const TMPDIR = await scratchFolder(t);
    const running = startBuilt('build/media-study.js', ['evaluate'], { ...environment, TMPDIR });
    t.teardown(() => running.kill('SIGKILL'));
    let stderr = '';
    running.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = new Promise<number | null>((resolve) => running.on('exit', resolve));
    while (!(await readdir(join(started, '..'))).includes('started')) await setTimeout(20);
    t.is((await studiesIn(TMPDIR)).length, 1);
    running.kill(signal);
    t.is(await ended, 2);
    t.true(stderr.endsWith(`evaluation_stopped: ${signal}\n`), stderr);
    t.deepEqual(await studiesIn(TMPDIR), []);
  });
}
