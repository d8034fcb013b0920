import { PassThrough } from 'node:stream';
import test from 'ava';
import { countedProgress } from '../../cli/backup.ts';
import { usualLabel } from '../../cli/commands/given-file.ts';
import { millisecondsOf } from '../../cli/commands/ingest.ts';
import { warnedRange } from '../../cli/commands/study.ts';
import { completionScript } from '../../cli/completions.ts';
import { asTyped, type ProcessCall, programAsTyped, typedAgain } from '../../cli/terminal/call.ts';
import { causeIn } from '../../cli/terminal/own-host.ts';
import { nextLine, summaryLines, warningLine, withheldLine } from '../../cli/terminal/summary.ts';
import { answerTo, Interrupted, progressLine } from '../../cli/terminal/terminal.ts';
import { HostError } from '../../client/host-error.ts';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import { givenLine } from '../../contract/base/grammar.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import type { PlanWarningList } from '../../contract/study/start.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import { defaultCaptionAllowance } from '../../receipts/captions/allowance.ts';
import { runtimeOverviewBySteps } from '../../receipts/overview/overview.ts';
import { contentOf, storedRuntimeOf } from '../receipts/core/stored-content-in-memory.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import { reopened } from '../receipts/reopening/reopened.ts';
import { completedCommands as commands } from './completed-commands.ts';

const nothing: WorkProgress = {
  schema: 'studio.local-work-progress.v1',
  id: 'runtime:1',
  stage: 'queued',
  completed: null,
  total: null,
  unit: null,
  bytes: null,
  bytesPerSecond: null,
  queuePosition: null,
  etaMs: null,
};

test('a line shows the known facts about the work, and nothing else', (t) => {
  t.is(progressLine('clip', nothing), 'clip: queued');
  t.is(progressLine('clip', { ...nothing, queuePosition: 3 }), 'clip: queued place 3');
  const upload = { stage: 'upload', completed: 40, total: 100, unit: 'bytes' } as const;
  t.is(progressLine('clip', { ...nothing, ...upload }), 'clip: upload [########............] 40 %');
  t.is(
    progressLine('clip', { ...nothing, ...upload, completed: 100, bytesPerSecond: 2_340_000, etaMs: 1001 }),
    'clip: upload [####################] 100 % 2.3 MB/s 2 s left',
  );
});

/** A terminal at which a person presses these keys. */
function pressed(keys: string) {
  const output = Object.assign(new PassThrough(), { isTTY: true });
  output.resume();
  const input = new PassThrough();
  input.write(keys);
  return { input, output };
}

test('a question gets the line that a person types', async (t) => {
  const { input, output } = pressed(' yes \r');
  t.is(await answerTo('Sure? ', input, output), 'yes');
});

test('Ctrl-C at a question is an interruption, and no failure with a code of Node', async (t) => {
  const { input, output } = pressed('ye\u0003');
  await t.throwsAsync(answerTo('Sure? ', input, output), { instanceOf: Interrupted, message: 'interrupted' });
});

test('Ctrl-D at a question, and a terminal that closes, are the end of the input', async (t) => {
  const { input, output } = pressed('\u0004');
  t.is(await answerTo('Sure? ', input, output), null);
  const closing = pressed('');
  closing.input.end();
  t.is(await answerTo('Sure? ', closing.input, closing.output), null);
});

test('bug: Ctrl-C that came before its question was forgotten, and the question waited on', async (t) => {
  const { input, output } = pressed('');
  await t.throwsAsync(answerTo('Sure? ', input, output, AbortSignal.abort()), { instanceOf: Interrupted });
  const stop = new AbortController();
  const asked = answerTo('Sure? ', input, output, stop.signal);
  stop.abort();
  await t.throwsAsync(asked, { instanceOf: Interrupted });
});

test('times are read as people write them, and nothing else is', (t) => {
  const read = ['90', '90.5', '1:30', '1:02:03.250', '0:00', '120:00:00'].map(millisecondsOf);
  t.deepEqual(read, [90_000, 90_500, 90_000, 3_723_250, 0, 432_000_000]);
  for (const text of ['', '-1', '1:75', '1:2:3:4', '1.2345', 'one', '1:', ':30', '75:00'])
    t.is(millisecondsOf(text), null, text);
});

test('a file is called by its name, as far as a host takes that for a label', (t) => {
  t.is(usualLabel('/media/An interview.mp4', '.mp4'), 'An interview');
  t.is(usualLabel('/media/lines.de.srt'), 'lines.de.srt');
  const long = `${'한'.repeat(250)}.mp4`;
  for (const name of [long, 'a name .mp4', ' first.mp4', 'two\nlines.mp4', `${'x'.repeat(159)}😀.mp4`]) {
    t.true(givenLine(160).safeParse(usualLabel(`/media/${name}`, '.mp4')).success, name);
  }
});

const captions = { classification: 'embedded_subtitle_tracks', allowance: defaultCaptionAllowance } as const;
const host = { reviewerId: 'reviewer:one', captions, explains: true, sourceIsCurrent: true };
const ended = { lifecycle: 'terminal', reason: null, resumes: 0, deadlineLeftMs: null, waitsFor: null } as const;

test('bug: a missing kind of evidence appeared twice in the summary of a study', async (t) => {
  const silent = storedStudy({ version: 1, windows: null });
  const { runtime } = await reopened(storedRuntimeOf(silent), contentOf(silent.files));
  const overview = resultOfSteps(runtimeOverviewBySteps(runtime, ended, host));
  const lines = summaryLines(overview);
  const missing = overview.findings.filter(({ state }) => state === 'unavailable');
  t.true(missing.length > 0);
  for (const { title, text, reasonCode } of missing) {
    t.true(text.includes(`(${reasonCode})`), text);
    const itsLines = lines.filter((line) => line.includes(`${title}: `));
    t.deepEqual(itsLines, [`${title}: ${text}`]);
  }
  // Other reasons for a missing kind of evidence are still shown.
  const others = lines.filter((line) => line.startsWith('Missing: '));
  t.is(others.length, overview.withheld.length - missing.length);
  t.true(others.length > 0);
});

test('bug: a person who got no captions, or was warned, read codes in the place of words', (t) => {
  t.is(
    withheldLine('runtime:1', ['candidate_has_unavailable_or_withheld_lines']),
    'the captions are withheld: lines lack a text (candidate_has_unavailable_or_withheld_lines); media-study evidence runtime:1 lists the next steps',
  );
  const warning = {
    code: 'no_video_track',
    text: 'the media has no pictures',
    cause: { code: 'no_video_track', params: {} },
  } as const;
  t.is(warningLine(warning), 'warning: the media has no pictures (no_video_track)');
});

/** The commands that the summary of an overview gives for what may be done next. */
const nextOf = (overview: RuntimeOverview) =>
  summaryLines(overview).flatMap((line) => /^next: .*\((media-study [^)]+)\)$/.exec(line)?.[1] ?? []);

test('bug: the command for the same range studied the whole source, in another language', async (t) => {
  const stored = storedStudy({ version: 1, windows: null });
  const { runtime } = await reopened(storedRuntimeOf(stored), contentOf(stored.files));
  const overview = resultOfSteps(runtimeOverviewBySteps(runtime, ended, host));
  const { sourceSessionId, durationMs } = overview.source;
  const asked: Partial<RuntimeOverview['study']> = {
    range: { startMs: 1000, endMs: 62_500 },
    sourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
    targetLanguage: 'de',
    outputDepth: 'captions',
  };
  const part = nextOf({ ...overview, study: { ...overview.study, ...asked } });
  const words = '--from 0:01.000 --to 1:02.500 --language ko --target-language de --captions --again NAME';
  t.is(part.at(-1), `media-study study ${sourceSessionId} ${words}`);
  const whole: Partial<RuntimeOverview['study']> = {
    ...asked,
    range: { startMs: 0, endMs: durationMs },
    targetLanguage: 'en',
    outputDepth: 'evidence',
  };
  const all = nextOf({ ...overview, study: { ...overview.study, ...whole } });
  t.is(all.at(-1), `media-study study ${sourceSessionId} --language ko --again NAME`);
});

test('bug: what has captions made had no command in the summary of a study', async (t) => {
  const stored = storedStudy({ version: 1, windows: null });
  const { runtime } = await reopened(storedRuntimeOf(stored), contentOf(stored.files));
  const overview = resultOfSteps(runtimeOverviewBySteps(runtime, ended, host));
  const produce = { action: 'produce_captions', text: 'make the captions', method: 'POST', path: '/v1/x' } as const;
  const approved = { ...overview, actions: [{ ...produce, body: null, fill: [] }] };
  const next = nextOf(approved);
  t.deepEqual(next, [`media-study captions ${overview.runtimeId} --produce`]);
  t.is(
    nextLine(approved, 'produce_captions'),
    `next: make the captions (media-study captions ${overview.runtimeId} --produce)`,
  );
  t.is(nextLine({ ...overview, actions: [] }, 'produce_captions'), null);
});

test('bug: a study with captions named no command that writes them to a file', async (t) => {
  const stored = storedStudy({ version: 1, windows: null });
  const { runtime } = await reopened(storedRuntimeOf(stored), contentOf(stored.files));
  const overview = resultOfSteps(runtimeOverviewBySteps(runtime, ended, host));
  const { runtimeId } = overview;
  const read = { action: 'read_captions', text: 'read the captions', method: 'GET', path: '/v1/x' } as const;
  const captioned = { ...overview, actions: [{ ...read, body: null, fill: [] }] };
  const { targetLanguage } = overview.study;
  t.deepEqual(nextOf(captioned), [
    `media-study captions ${runtimeId}`,
    `media-study export ${runtimeId} captions.srt --output captions.${targetLanguage}.srt`,
  ]);
  t.false(nextOf({ ...overview, actions: [] }).some((command) => command.includes('export')));
});

const hourMs = 3_600_000;

/** A command at a host that studies at most so much at once, and what the command said. */
function commandAt(limitMs: number) {
  const said: string[] = [];
  const warnings = async (_source: unknown, { range }: StudyRequest): Promise<PlanWarningList> => {
    if (range === undefined) throw new Error('the command names its range');
    if (range.endMs - range.startMs > limitMs) {
      const message = `a study covers at most ${limitMs} ms; study parts of it`;
      throw new HostError({ status: 413, code: 'study_range_too_large', message, retryAfterSeconds: null });
    }
    return { warnings: [] } as unknown as PlanWarningList;
  };
  return { said, call: { host: { warnings }, terminal: { remark: (text: string) => void said.push(text) } } };
}

const hourLong = { durationMs: hourMs } as Parameters<typeof warnedRange>[1];

const studyRequest: StudyRequest = {
  requestedSourceLanguage: spokenLanguage(undefined),
  targetLanguage: 'en',
  outputDepth: 'evidence',
};

test('a host with a limit of an hour gets a request for an hour', async (t) => {
  const { call, said } = commandAt(hourMs);
  t.deepEqual(await warnedRange(call, hourLong, studyRequest, { startMs: 0, endMs: hourMs, isWhole: true }), {
    startMs: 0,
    endMs: hourMs,
  });
  t.deepEqual(said, []);
});

test('of a file too long for a host the beginning is studied, and the command names the remedy', async (t) => {
  const { call, said } = commandAt(600_000);
  const range = await warnedRange(call, hourLong, studyRequest, { startMs: 60_000, endMs: hourMs, isWhole: true });
  t.deepEqual(range, { startMs: 60_000, endMs: 660_000 });
  t.deepEqual(said, [
    `studying 1:00.000 to 11:00.000 of 1:00:00.000, because a study covers at most 600000 ms: --from and --to name another part, and ${asTyped('settings set maximum-study-range-ms=3540000')} has the host study all of it`,
  ]);
});

test('a range that was named, and one that no host takes, are refused as the host refuses them', async (t) => {
  const named = warnedRange(commandAt(600_000).call, hourLong, studyRequest, {
    startMs: 0,
    endMs: hourMs,
    isWhole: false,
  });
  await t.throwsAsync(named, { instanceOf: HostError, message: 'a study covers at most 600000 ms' });
  const strict = warnedRange(commandAt(1000).call, hourLong, studyRequest, {
    startMs: 0,
    endMs: 600_000,
    isWhole: true,
  });
  await t.throwsAsync(strict, { instanceOf: HostError });
});

test('a count is shown for each thing on one line, and for each tenth if lines stay', (t) => {
  const said: string[] = [];
  const words = (done: number, total: number) => `${done} of ${total}`;
  const count = (isOverwritten: boolean, total: number) => {
    const progress = countedProgress({ progress: (line) => said.push(line) }, words, isOverwritten);
    for (let done = 1; done <= total; done += 1) progress(done, total);
    return said.splice(0);
  };
  t.is(count(true, 78).length, 78);
  const stays = count(false, 78);
  t.deepEqual([stays.length, stays.at(0), stays.at(-1)], [10, '8 of 78', '78 of 78']);
  t.deepEqual(count(false, 2), ['1 of 2', '2 of 2']);
});

test('a host that could not start is reported by its cause, and not by the last line of a stack', (t) => {
  const refusal = 'storage_full: /data: ENOSPC; make room';
  t.is(causeIn(['Local Media Study Service 0.3.0', refusal]), refusal);
  const missing = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'classic-level'";
  const stack = ['    at resolve (node:internal/modules/esm/resolve:873:9)', "  code: 'ERR_MODULE_NOT_FOUND'", '}'];
  const thrown = ['node:internal/modules/run_main:123', '    triggerUncaughtException(', '    ^', '', missing];
  t.is(causeIn([...thrown, ...stack, '', 'Node.js v20.20.2']), missing);
  const wrong = ['file:///build/serve.js:3', 'import x y', '         ^', '', "SyntaxError: Unexpected identifier 'y'"];
  t.is(causeIn([...wrong, ...stack, '', 'Node.js v24.1.0']), "SyntaxError: Unexpected identifier 'y'");
  const full = [
    '<--- Last few GCs --->',
    'FATAL ERROR: Reached heap limit',
    '----- Native stack trace -----',
    ' 1: 0xb',
  ];
  t.is(causeIn(full), 'FATAL ERROR: Reached heap limit');
  t.is(causeIn(['', 'Node.js v20.20.2']), 'Node.js v20.20.2');
  t.is(causeIn([]), 'it printed nothing');
});

test('words of people are quoted for zsh and fish', (t) => {
  const zsh = completionScript('zsh', commands);
  t.regex(zsh, /\[\[ \$funcstack\[1\] == _media-study \]\]; then _media_study "\$@"; else compdef/);
  t.true(zsh.includes("'--help[prints what the command does]'"));
  t.true(zsh.includes("'--output[the file \\[that\\] is written\\: here]:FILE:_files'"));
  t.true(zsh.includes("'*--only[a kind]:KIND:'"));
  t.true(zsh.includes("'export:Writes a study, the host'\\''s own.'"));
  const fish = completionScript('fish', commands);
  t.true(fish.includes("-f -a export -d 'Writes a study, the host\\'s own.'"));
  t.true(fish.includes("-l output -r -F -d 'the file [that] is written: here'"));
});

const call = (program: string, environment: ProcessCall['environment'] = {}, ...args: string[]): ProcessCall => ({
  argv: ['/usr/bin/node', program, ...args],
  environment,
  folder: '/home/me/service',
});
const built = '/home/me/service/build/media-study.js';

test('bug: a command that was printed in a checkout was not found there', (t) => {
  const npm = { npm_lifecycle_event: 'media-study', npm_command: 'run-script' };
  t.is(programAsTyped(call(built, { ...npm, npm_config_loglevel: 'silent' })), 'npm run --silent media-study --');
  t.is(programAsTyped(call(built, { ...npm, npm_config_loglevel: 'notice' })), 'npm run media-study --');
  t.is(programAsTyped(call(built)), 'node build/media-study.js');
  t.is(programAsTyped(call('/elsewhere/build/media-study.js')), 'node /elsewhere/build/media-study.js');
  const start = { npm_lifecycle_event: 'start', npm_command: 'start' };
  t.is(programAsTyped(call('/home/me/service/build/serve.js', start)), 'npm run media-study --');
});

test('an installed program is called by its name, and one beside a package by npx', (t) => {
  t.is(programAsTyped(call('/usr/local/bin/media-study')), 'media-study');
  t.is(programAsTyped(call('/app/node_modules/.bin/media-study', { npm_command: 'exec' })), 'npx media-study');
});

test('a call that lacks an argument is printed whole', (t) => {
  const typed = (...args: string[]) => typedAgain(['--from', 'ko'], call('/usr/bin/media-study', {}, ...args));
  t.is(typed('caption', 'my film.mp4', '--to=de'), "media-study caption 'my film.mp4' --to=de --from ko");
  const root = ['--data-root', '/my data'];
  t.is(typed('caption', ...root, 'a.mp4'), "media-study caption a.mp4 --from ko --data-root '/my data'");
});

test('bug: a printed command had its missing flags behind --, as arguments', (t) => {
  const typed = (...args: string[]) => typedAgain(['--from', 'ko'], call('/usr/bin/media-study', {}, ...args));
  t.is(typed('caption', '--to', 'en', '--', 'my film.mkv'), "media-study caption --to en --from ko -- 'my film.mkv'");
  t.is(
    typed('caption', '--data-root', '/d', '--', '--data-root'),
    'media-study caption --from ko --data-root /d -- --data-root',
  );
});

test('bug: a printed command left out the data root of the call that printed it', (t) => {
  const typed = (...args: string[]) => asTyped('captions film', call('/usr/bin/media-study', {}, 'study', ...args));
  t.is(typed('film.mp4'), 'media-study captions film');
  t.is(typed('film.mp4', '--data-root', '/my data'), "media-study captions film --data-root '/my data'");
  t.is(typed('--data-root=here', 'film.mp4'), 'media-study captions film --data-root here');
  t.is(typed('--', '--data-root', 'a label'), 'media-study captions film');
});

test('bug: an answer that was typed before its question was lost, and the question waited on', async (t) => {
  const { input, output } = pressed('Me\ryes\r');
  t.is(await answerTo('Who? ', input, output), 'Me');
  t.is(await answerTo('Sure? ', input, output), 'yes');
});

test('the beginning of an answer that was typed before its question belongs to it', async (t) => {
  const { input, output } = pressed('Me\rye');
  t.is(await answerTo('Who? ', input, output), 'Me');
  const answer = answerTo('Sure? ', input, output);
  input.write('s\r');
  t.is(await answer, 'yes');
});

test('Ctrl-C behind an answer interrupts before the answer is taken', async (t) => {
  const { input, output } = pressed('Me\r\u0003');
  await t.throwsAsync(answerTo('Who? ', input, output), { instanceOf: Interrupted });
});
