import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { summaryLines } from '../../../cli/terminal/summary.ts';
import { HostError } from '../../../client/host-error.ts';
import { spokenLanguage } from '../../../client/studies.ts';
import type { StudyHost } from '../../../client/study-host.ts';
import type { Clock } from '../../../contract/base/clock.ts';
import type { TranscriptLineFact } from '../../../contract/evidence/evidence.ts';
import type { WorkProgress } from '../../../contract/operation.ts';
import { refuses, StubProvider } from '../../../fixtures/hosted-model/stub-provider.ts';
import { stubTranscriber, transcribes } from '../../../fixtures/hosted-model/stub-transcriber.ts';
import { translates } from '../../../fixtures/hosted-model/stub-translator.ts';
import { speechFile, utterances } from '../../../fixtures/speech/gold.ts';
import { approveCaptions, followed, newRoot, openClientHost } from '../../actors/client-host.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { copyAsLeft } from '../../host/host-in-process.ts';
import { madeMedia } from '../../media/made-media.ts';
import { hasPocketsphinx } from './engine/pocketsphinx-of-machine.ts';

const withPocketsphinx = hasPocketsphinx ? test : test.skip;

interface Options {
  readonly flags: readonly string[];
  readonly baseUrl?: string;
  readonly clock?: Clock;
}

const hostOn = (t: ExecutionContext, root: string, { flags, baseUrl = '', clock = systemClock }: Options) =>
  openClientHost(t, root, {
    clock,
    flags: [...flags, '--allow-real-semantic-evidence'],
    environment: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: '' },
  });

async function sourceOf(client: StudyHost) {
  const known = (await client.sources()).find(({ label }) => label === 'speech');
  const given = { label: 'speech', rightsHolder: 'nobody', ownershipAttested: true } as const;
  return known ?? client.ingestFile(speechFile, given);
}

/** Studies the speech as declared English and waits for the end. */
async function studied(client: StudyHost, language = 'en') {
  const source = await sourceOf(client);
  const request = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage(language) };
  return (await client.study(source, request).ended()).runtimeId;
}

async function transcriptOf(client: StudyHost, runtimeId: string) {
  const [row] = (await client.evidence(runtimeId, 'transcript')).evidence;
  const lines = (row?.facts ?? []).filter((fact): fact is TranscriptLineFact => fact.kind === 'transcript_line');
  const regions = (row?.facts ?? []).filter(({ kind }) => kind === 'recognised_region').length;
  return { row, lines, regions, passed: lines.filter(({ outcome }) => outcome === 'passed') };
}

const wordsOf = (texts: readonly string[]): string[] => texts.join(' ').split(' ');

withPocketsphinx(
  'speech is recognised by pocketsphinx, with times, claims and files, and the study verifies',
  async (t) => {
    const root = await newRoot(t);
    const { host, client } = await hostOn(t, root, { flags: ['--semantic-recognizer', 'pocketsphinx'] });
    const runtimeId = await studied(client);
    const { row, lines, passed } = await transcriptOf(client, runtimeId);
    t.is(row?.tool?.name, 'pocketsphinx_continuous');
    t.is(passed.length, utterances.length);
    const said = new Set(wordsOf(utterances));
    const right = wordsOf(passed.map(({ text }) => text)).filter((word) => said.has(word)).length;
    t.true(right / said.size > 0.9, passed.map(({ text }) => text).join(' / '));
    t.true(passed.every(({ words, startMs, endMs }) => words.length > 5 && startMs < endMs));
    const claims = (await client.claims(runtimeId)).audits.flatMap((audit) => audit.claims);
    const recognized = claims.filter(({ kind }) => kind === 'transcript');
    t.deepEqual(
      recognized.map(({ value, states }) => [value, states]),
      [['recognised', ['supported']]],
    );
    t.is(recognized[0]?.citations[0]?.factIndexes.length, passed.length);
    const { claims: sentences, findings } = await client.overview(runtimeId);
    t.regex(sentences.find(({ kind }) => kind === 'transcript')?.text ?? '', /^recognized words in 3 windows/);
    t.is(
      findings.find(({ kind }) => kind === 'transcript')?.text,
      `3 lines recognized${lines.length === 3 ? '' : `, ${lines.length - 3} more withheld`}`,
    );
    const subtitles = await client.export(runtimeId, 'transcript.srt');
    t.is(subtitles.match(/-->/g)?.length, 3);
    t.regex(
      await client.export(runtimeId, 'transcript.csv'),
      /^startMs,endMs,speaker,confidence,recognised,evidence\r\n\d+,\d+,unknown,0\.\d+,"/,
    );

    // Korean speech would come out as English words.
    const other = await transcriptOf(client, await studied(client, 'ko'));
    t.is(other.row?.reasonCode, 'language_not_recognised');
    await host.stop();
    await checkRuntimes(t, root);
  },
);

const inventions = [
  'Thank you for watching!',
  'Subtitles by the Amara.org community',
  'Please subscribe to my channel.',
];

test('text that a server invents is withheld, and is in no read, claim, overview or file', async (t) => {
  let asked = 0;
  const server = await stubTranscriber((response, region) => {
    const text = inventions[asked++ % inventions.length];
    const segments = [{ text, start: 0.3, end: 2.2, avg_logprob: -0.1, compression_ratio: 0.9 }];
    transcribes({ language: 'english', segments })(response, region);
  });
  t.teardown(server.close);
  const root = await newRoot(t);
  const flags = ['--semantic-recognizer', 'openai', '--semantic-recognizer-model', 'small'];
  const { host, client } = await hostOn(t, root, { flags, baseUrl: server.baseUrl });
  const runtimeId = await studied(client);
  const { lines, regions, passed } = await transcriptOf(client, runtimeId);
  t.true(regions >= utterances.length);
  t.is(lines.length, regions);
  t.deepEqual(passed, []);
  const shown = [await client.overview(runtimeId), await client.claims(runtimeId), await client.events(runtimeId)];
  t.notRegex(JSON.stringify(shown), /Thank you|Amara|subscribe/);
  for (const name of ['transcript.srt', 'transcript.vtt', 'transcript.labels.txt', 'transcript.csv'] as const) {
    t.notRegex(await client.export(runtimeId, name), /Thank you|Amara|subscribe/);
  }
  await host.stop();
  await checkRuntimes(t, root);
});

const answer = { segments: [{ text: 'there are many reasons', start: 0.4, end: 1.9 }] };
const byServer = ['--semantic-recognizer', 'openai', '--semantic-recognizer-model', 'small'];

/** A host whose pauses between attempts take no time, and whose studies use up their time once `isRushed` is set. */
function quickClock() {
  const clock = { ...systemClock, isRushed: false };
  const rushed = new Set<() => void>();
  clock.setTimeout = (run, ms) => {
    if (ms === 1_000 || ms === 4_000) return systemClock.setTimeout(run, 0);
    if (ms < 10_000 || ms > 30_000) return systemClock.setTimeout(run, ms);
    if (clock.isRushed) return systemClock.setTimeout(run, 0);
    rushed.add(run);
    return systemClock.setTimeout(run, ms);
  };
  const rush = () => {
    clock.isRushed = true;
    for (const run of rushed) run();
  };
  return { clock, rush };
}

test('a region that fails is missing alone, with its cause in all answers, and another study recognizes it', async (t) => {
  let isDown = true;
  const regions = new Map<number, number>();
  const server = await stubTranscriber((response, region) => {
    const asked = regions.get(region.file.length) ?? 0;
    regions.set(region.file.length, asked + 1);
    if (isDown && [...regions.keys()].indexOf(region.file.length) === 1)
      return void response.writeHead(500).end('{"error":{"message":"CUDA out of memory"}}');
    return transcribes(answer)(response, region);
  });
  t.teardown(server.close);
  const root = await newRoot(t);
  const { clock } = quickClock();
  const { host, client } = await hostOn(t, root, { flags: byServer, baseUrl: server.baseUrl, clock });
  const runtimeId = await studied(client);
  t.is((await client.status(runtimeId)).lifecycle, 'terminal');
  t.deepEqual([...regions.values()], [1, 3, 1]);
  const partly = await transcriptOf(client, runtimeId);
  const cause = { code: 'engine_error', params: { engine: 'openai', status: 500, said: 'CUDA out of memory' } };
  const found = (partly.row?.facts ?? []).flatMap((fact) => (fact.kind === 'recognised_region' ? [fact] : []));
  t.deepEqual(
    found.map((region) => region.cause),
    [undefined, cause, undefined],
  );
  t.is(found[1]?.heard.samples, 0);
  t.deepEqual(
    partly.lines.map(({ regionIndex }) => regionIndex),
    [0, 2],
  );
  t.is(partly.row?.parameters?.unrecognisedRegions, 1);
  const overview = await client.overview(runtimeId);
  t.regex(overview.findings.find(({ kind }) => kind === 'transcript')?.text ?? '', /; 1 passage not recognized$/);
  const shown = overview.withheld.find(({ reasonCode }) => reasonCode === 'recognition_failed');
  t.deepEqual(shown?.cause, cause as never);
  t.regex(
    shown?.text ?? '',
    /^speech from 0:\d\d\S* to 0:\d\d\S* was not recognized: the transcription server failed \(status 500\): it said “CUDA out of memory”$/,
  );
  t.regex(
    await client.export(runtimeId, 'transcript.vtt'),
    /\nnot recognized from 00:00:\d\d\.\d{3} to 00:00:\d\d\.\d{3}: engine_error\n\n/,
  );
  t.true(summaryLines(overview).some((line) => line === `Missing: ${shown?.text}`));

  // The next study has the missing region recognized, and no other; the one after it takes the whole transcript.
  isDown = false;
  const again = async (clientRequestId: string) => {
    const request = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('en'), clientRequestId };
    const study = await client.study(await sourceOf(client), request).ended();
    return transcriptOf(client, study.runtimeId);
  };
  const whole = await again('second');
  t.deepEqual([...regions.values()], [1, 4, 1]);
  t.is(whole.lines.length, 3);
  t.is(whole.row?.parameters?.unrecognisedRegions, undefined);
  t.is((await again('third')).row?.contentId, whole.row?.contentId);
  t.deepEqual([...regions.values()], [1, 4, 1]);
  await host.stop();
  await checkRuntimes(t, root);
});

test('a transcript fails if all of its regions do, with the first reason, and the next study recognizes them', async (t) => {
  let isDown = true;
  const server = await stubTranscriber((response, region) => {
    if (isDown) return void response.writeHead(server.asked.length === 1 ? 500 : 502).end();
    return transcribes(answer)(response, region);
  });
  t.teardown(server.close);
  const root = await newRoot(t);
  const { clock } = quickClock();
  const { host, client } = await hostOn(t, root, { flags: byServer, baseUrl: server.baseUrl, clock });
  const failed = await studied(client);
  const { row } = await transcriptOf(client, failed);
  t.is(row?.reasonCode, 'recognition_failed');
  t.deepEqual(row?.state === 'unavailable' ? row.cause : null, {
    code: 'engine_error',
    params: { engine: 'openai', status: 502 },
  });
  const events = (await client.events(failed)).events;
  const reason = events.flatMap(({ type, data }) => (type === 'semantic.evidence_failed' ? [data.reason] : []));
  t.deepEqual(reason, [{ code: 'executor_failed', message: 'http_502: the server refused the request' }]);
  const { findings } = await client.overview(failed);
  t.is(
    findings.find(({ kind }) => kind === 'transcript')?.text,
    'unavailable: the transcription server failed (status 502) (recognition_failed)',
  );
  isDown = false;
  const request = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('en'), clientRequestId: 'again' };
  const { runtimeId } = await client.study(await sourceOf(client), request).ended();
  t.is((await transcriptOf(client, runtimeId)).lines.length, 3);
  await host.stop();
  await checkRuntimes(t, root);
});

test('bug: a server that found no word in a film with speech was believed for ever', async (t) => {
  let isMended = false;
  const server = await stubTranscriber((response, region) =>
    transcribes(isMended ? answer : { language: 'english', segments: [] })(response, region),
  );
  t.teardown(server.close);
  const root = await newRoot(t);
  const { host, client } = await hostOn(t, root, { flags: byServer, baseUrl: server.baseUrl });
  const first = await studied(client);
  t.deepEqual((await transcriptOf(client, first)).lines, []);
  const { methods } = await client.captions.methods(first);
  const spoken = methods.find(({ method }) => method === 'recognized');
  t.is(spoken?.state, 'needs_study');
  t.deepEqual(spoken?.obstacles, [{ code: 'no_line_passed', params: { lines: 0 } }]);
  isMended = true;
  const request = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('en'), clientRequestId: 'again' };
  const { runtimeId } = await client.study(await sourceOf(client), request).ended();
  t.is((await transcriptOf(client, runtimeId)).lines.length, 3);
  await host.stop();
  await checkRuntimes(t, root);
});

test('bug: a recognizer on a busy machine used up the time of its study, and the captions failed', async (t) => {
  let late: (answers: () => void) => void = () => undefined;
  const isLate = new Promise<() => void>((resolve) => {
    late = resolve;
  });
  const server = await stubTranscriber((response, region) => {
    const answers = () => transcribes(answer)(response, region);
    if (server.asked.length === 3) late(answers);
    else answers();
  });
  t.teardown(server.close);
  const root = await newRoot(t);
  const { clock, rush } = quickClock();
  const { host, client } = await hostOn(t, root, { flags: byServer, baseUrl: server.baseUrl, clock });
  const request = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('en') };
  const { runtimeId } = await client.study(await sourceOf(client), request).started;
  const answers = await isLate;
  rush();
  clock.isRushed = false;
  answers();
  await followed(client, runtimeId);
  t.is((await client.status(runtimeId)).lifecycle, 'terminal');
  t.is((await transcriptOf(client, runtimeId)).lines.length, 3);
  await host.stop();
  await checkRuntimes(t, root);
});

test('a region is kept as soon as it is recognized, and the next host continues behind it', async (t) => {
  let hangs: (() => void) | null = null;
  const server = await stubTranscriber((response, region) => {
    if (hangs !== null && server.asked.length > 1) return hangs();
    return transcribes(answer)(response, region);
  });
  t.teardown(server.close);
  const root = await newRoot(t);
  const first = await hostOn(t, root, { flags: byServer, baseUrl: server.baseUrl });
  const reached = new Promise<void>((resolve) => {
    hangs = resolve;
  });
  const source = await sourceOf(first.client);
  const request = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('en') };
  const { runtimeId } = await first.client.study(source, request).started;
  await reached;
  await first.host.stop();
  hangs = null;
  const next = await hostOn(t, root, { flags: byServer, baseUrl: server.baseUrl });
  await followed(next.client, runtimeId);
  const { lines, regions } = await transcriptOf(next.client, runtimeId);
  t.is(lines.length, regions);
  t.is(server.asked.length, 2 + regions - 1, 'the first region was recognised once');
  await next.host.stop();
  await checkRuntimes(t, root);
});

/** An answer with a word of each half second of a sound, in one line. */
const wordyAnswer = (file: Buffer) => {
  const count = Math.floor((file.length - 44) / 16_000);
  const words = Array.from({ length: count }, (_, at) => ({ word: ` word${at}`, start: at / 2, end: (at + 1) / 2 }));
  const text = words.map(({ word }) => word).join('');
  return { language: 'english', segments: [{ text, start: 0, end: count / 2, words }] };
};

test('neighbors are recognized together by a server that gives times of words, and the study verifies', async (t) => {
  const lengths: number[] = [];
  const server = await stubTranscriber((response, region) => {
    lengths.push(region.file.length);
    return transcribes(wordyAnswer(region.file))(response, region);
  });
  t.teardown(server.close);
  const root = await newRoot(t);
  const { host, client } = await hostOn(t, root, { flags: byServer, baseUrl: server.baseUrl });
  const runtimeId = await studied(client);
  const { row, lines } = await transcriptOf(client, runtimeId);
  const regions = (row?.facts ?? []).flatMap((fact) => (fact.kind === 'recognised_region' ? [fact] : []));
  const [first, second, third] = regions;
  t.is(regions.length, 3);
  // The first region is alone, and shows that words have times.
  const window = { startMs: second?.startMs ?? 0, endMs: third?.endMs ?? 0 };
  t.deepEqual([first?.window, second?.window, third?.window], [undefined, window, window]);
  t.deepEqual(second?.heard, third?.heard);
  t.is(second?.heard.samples, 16 * (window.endMs - window.startMs));
  t.is(lengths.length, 2);
  t.deepEqual(
    lines.map(({ regionIndex }) => regionIndex),
    [0, 2],
  );
  t.like(row?.parameters, { joinedGapMs: 1_000, longestWindowMs: 28_000, lineStarts: 'detected_speech' });
  await host.stop();
  await checkRuntimes(t, root);
});

test('a second run finds more speech, and a line on which the runs disagree is withheld', async (t) => {
  const texts = utterances;
  const lengths: number[] = [];
  const server = await stubTranscriber((response, region) => {
    const asked = lengths.push(region.file.length) - 1;
    const text = asked === texts.length + 1 ? 'nothing of what was said before' : texts[asked % texts.length];
    const segments = [{ text, start: 0.3, end: 2.2, avg_logprob: -0.1, compression_ratio: 0.9 }];
    transcribes({ language: 'english', segments })(response, region);
  });
  t.teardown(server.close);
  const root = await newRoot(t);
  const flags = [
    ...['--semantic-recognizer', 'openai', '--semantic-recognizer-model', 'small'],
    '--semantic-recognizer-second-run',
  ];
  const { host, client } = await hostOn(t, root, { flags, baseUrl: server.baseUrl });
  const { row, lines, regions } = await transcriptOf(client, await studied(client));
  t.is(regions, texts.length);
  t.is(lengths.length, 2 * regions);
  t.true(lengths.slice(0, regions).every((length, at) => (lengths[at + regions] ?? 0) > length));
  t.is(row?.parameters?.secondRun, 'same_recogniser_wider_region');
  t.deepEqual(
    lines.map(({ reasonCodes }) => reasonCodes.includes('disagreement')),
    [false, true, false],
  );
  t.true(lines.every(({ second }) => second !== null));
  await host.stop();
  await checkRuntimes(t, root);
});

test('a region whose second run fails is missing, since no gate can compare its lines', async (t) => {
  const server = await stubTranscriber((response, region) => {
    if (server.asked.length > utterances.length + 1) return void response.writeHead(500).end();
    const segments = [{ text: utterances[0], start: 0.3, end: 2.2, avg_logprob: -0.1, compression_ratio: 0.9 }];
    transcribes({ language: 'english', segments })(response, region);
  });
  t.teardown(server.close);
  const root = await newRoot(t);
  const { clock } = quickClock();
  const flags = [...byServer, '--semantic-recognizer-second-run'];
  const { host, client } = await hostOn(t, root, { flags, baseUrl: server.baseUrl, clock });
  const { row, lines, regions } = await transcriptOf(client, await studied(client));
  t.is(regions, utterances.length);
  t.deepEqual(
    lines.map(({ regionIndex }) => regionIndex),
    [0],
  );
  t.is(row?.parameters?.unrecognisedRegions, utterances.length - 1);
  await host.stop();
  await checkRuntimes(t, root);
});

test('the progress of a recognition shows how much of the speech is done', async (t) => {
  const seen: WorkProgress[] = [];
  let progress: (() => Promise<WorkProgress>) | undefined;
  const server = await stubTranscriber(async (response, region) => {
    while (progress === undefined) await setImmediate();
    seen.push(await progress());
    transcribes({ text: 'hello', segments: [] })(response, region);
  });
  t.teardown(server.close);
  const flags = ['--semantic-recognizer', 'openai', '--semantic-recognizer-model', 'small'];
  const { host, client } = await hostOn(t, await newRoot(t), { flags, baseUrl: server.baseUrl });
  const request = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('en') };
  const study = client.study(await sourceOf(client), request);
  const { runtimeId } = await study.started;
  progress = () => client.progress(runtimeId);
  await study.ended();
  t.true(seen.length >= utterances.length);
  const [first] = seen;
  t.like(first, { id: runtimeId, stage: 'recognize', completed: 0, unit: 'milliseconds' });
  const completed = seen.map((each) => each.completed ?? -1);
  t.deepEqual(
    completed,
    [...new Set(completed)].sort((a, b) => a - b),
    'each region adds to it',
  );
  t.true(seen.every(({ total }) => total === first?.total && (total ?? 0) > (completed.at(-1) ?? 0)));
  await host.stop();
});

const recognizing = ['--semantic-recognizer', 'pocketsphinx', '--allow-real-semantic-evidence'];

const captioning = ['--caption-executor', 'recognized', '--allow-recognized-captions'];

const lived = mkdtemp(join(tmpdir(), 'recognised-once-'));
test.after.always(async () => rm(await lived, { recursive: true, force: true }));

let recognition: Promise<string> | undefined;

/** A data root with a study of the speech fixture; pocketsphinx recognizes it once for this file. */
async function recognizedOnce(): Promise<string> {
  const root = join(await lived, 'data');
  const { host, client } = await openClientHost({ fail: String, teardown: () => undefined }, root, {
    flags: recognizing,
  });
  await studied(client);
  await host.stop();
  return root;
}

/** A host on a copy of that data root, and what has studies approved there. */
async function hostWith(t: ExecutionContext, executor: readonly string[], baseUrl = '') {
  recognition ??= recognizedOnce();
  const root = await newRoot(t);
  copyAsLeft(await recognition, root);
  const environment = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: '' };
  const { host, client } = await openClientHost(t, root, { flags: [...recognizing, ...executor], environment });
  const approved = async (targetLanguage: string, file = speechFile): Promise<string> => {
    const label = basename(file);
    const recorded = { label, rightsHolder: 'nobody', ownershipAttested: true } as const;
    const source = file === speechFile ? await sourceOf(client) : await client.ingestFile(file, recorded);
    const request = { targetLanguage, requestedSourceLanguage: spokenLanguage('en') };
    const { runtimeId } = await client.study(source, request).ended();
    await approveCaptions(client, runtimeId);
    return runtimeId;
  };
  return { root, host, client, approved };
}

withPocketsphinx('speech that pocketsphinx recognised becomes captions that cite their lines and verify', async (t) => {
  const { root, host, client, approved } = await hostWith(t, captioning);
  const runtimeId = await approved('en');
  const [production] = (await client.captions.produce(runtimeId)).captions;
  t.like(production?.result, { status: 'completed', withheldCount: 0, unavailableCount: 0 });
  const [transcript] = (await client.evidence(runtimeId, 'transcript')).evidence;
  t.like(production?.executor, {
    classification: 'recognised_transcript',
    recognizer: 'pocketsphinx',
    translator: 'same-language',
    sourceCaptionContentId: transcript?.contentId ?? '',
  });
  const [result] = (await client.captions.results(runtimeId)).results;
  const artifact = result?.artifact;
  if (artifact?.schema !== 'studio.caption-production.artifact.v6') throw new Error('captions of a transcript');
  t.deepEqual(artifact.transcript, { artifactId: transcript?.artifactId, contentId: transcript?.contentId });
  const recognized = (transcript?.facts ?? []).flatMap((fact) =>
    fact.kind === 'transcript_line' && fact.outcome === 'passed' ? [fact] : [],
  );
  const shown = artifact.lines.map(({ target }) => target.text?.replaceAll('\n', ' ')).join(' ');
  t.is(shown, recognized.map(({ text }) => text).join(' '));
  for (const { source: said, target, transcriptLines } of artifact.lines) {
    t.is(said.text, target.text);
    const cited = recognized.filter(({ index }) => transcriptLines.includes(index)).map(({ text }) => text);
    t.is(cited.length, transcriptLines.length);
    t.true(cited.join(' ').includes(target.text?.replaceAll('\n', ' ') ?? ''));
  }
  const { reports } = await client.captions.qualityReports(runtimeId);
  t.is(reports.length, 4);
  t.deepEqual(
    reports.flatMap(({ findings }) => findings),
    [],
  );
  const [check] = (await client.captions.qualityControls(runtimeId)).qualityControls;
  t.is(check?.outcome, 'accepted');
  t.true(((await client.captions.webvtt(runtimeId, 'target')).match(/-->/g)?.length ?? 0) >= utterances.length);

  // A language without a translator is refused before it uses up the approval.
  const other = await approved('ko');
  const { journalHead } = await client.status(other);
  const refused = await t.throwsAsync(client.captions.produce(other), { instanceOf: HostError });
  t.regex(refused.message, /no_translator: the executor does not translate from en to ko/);
  t.is((await client.status(other)).journalHead, journalHead);
  await host.stop();
  await checkRuntimes(t, root);
});

const translating = [
  ...['--caption-executor', 'recognized-translated', '--allow-real-caption-production'],
  ...['--caption-translation-model', 'stub'],
];

withPocketsphinx('recognised lines are translated by a model, and none that fails a gate is handed out', async (t) => {
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  const { root, host, client, approved } = await hostWith(t, translating, provider.baseUrl);
  const runtimeId = await approved('de');
  provider.behavior = refuses(500);
  const failed = await t.throwsAsync(client.captions.produce(runtimeId), { instanceOf: HostError });
  t.is(failed.code, 'caption_translation_failed');
  t.is(provider.asked.length, 1);
  const failure = { code: 'engine_error', params: { engine: 'translation', status: 500, said: 'no: undefined' } };
  const { captions, situation } = await client.overview(runtimeId);
  t.like(captions, { state: 'waiting', causes: [failure] });
  t.regex(situation.text, /: 1 attempt failed: the translation server failed \(status 500\): it said “no: undefined”$/);

  // The approval is still free. The first line comes back in French: in the batch, alone, and in the second round.
  const french = 'Nous devons rentrer les cartons dans la maison avant la pluie.';
  provider.behavior = translates((line, id) => (id.endsWith('001') ? { ...line, translation: french } : line));
  const [production] = (await client.captions.produce(runtimeId)).captions;
  const count = production?.result.lineCount ?? 0;
  t.like(production?.result, { status: 'partial', sourceAvailableCount: count, withheldCount: 1 });
  // The failed attempt, and the trial of this one.
  t.is(provider.asked.length, 2 + 1 + 2 * count);
  const [artifact] = (await client.captions.results(runtimeId)).results.map((result) => result.artifact);
  t.like(artifact?.lines[0]?.target, { state: 'withheld', reasonCode: 'language_mismatch' });
  t.is(
    artifact?.lines.at(-1)?.target.text?.replace('\n', ' '),
    'Es gibt viele Gründe, warum Menschen in große Städte ziehen.',
  );
  const { events } = await client.events(runtimeId);
  const completed = events.find(({ type }) => type === 'caption.production_completed');
  if (completed?.type !== 'caption.production_completed') throw new Error('captions were made');
  const { receipt } = completed.data;
  if (receipt.schema !== 'studio.caption-production.receipt.v4') throw new Error('a model was asked');
  t.deepEqual(receipt.nonClaims, ['translation_meaning_not_assessed']);
  t.like(receipt.translation, { asks: 1 + 2 * count, failedAsks: 0, models: ['stub'] });
  t.deepEqual(new Set(receipt.translation?.attempts.map(({ asks }) => asks)), new Set([3]));
  const [check] = (await client.captions.qualityControls(runtimeId)).qualityControls;
  t.deepEqual(check?.reasonCodes as string[], ['current_run_candidate_accepted_in_part']);
  const handedOut = await client.captions.webvtt(runtimeId, 'target');
  t.is(handedOut.match(/-->/g)?.length, count - 1);
  t.notRegex(handedOut, /Nous devons/);
  await host.stop();
  await checkRuntimes(t, root);
});

withPocketsphinx(
  'speech in a recording of more than 120 s is translated, and its asks are stored in parts',
  async (t) => {
    const provider = await StubProvider.start();
    t.teardown(() => provider.close());
    const words = ['-i', 'speech', '-af', 'apad=whole_dur=125'];
    const recording = await madeMedia({ words, extension: 'm4a', inputs: { speech: { copyOf: speechFile } } });
    const { root, host, client, approved } = await hostWith(
      t,
      [...translating, '--maximum-caption-range-ms', '600000'],
      provider.baseUrl,
    );
    const runtimeId = await approved('de', recording);
    provider.behavior = translates();
    const [production] = (await client.captions.produce(runtimeId)).captions;
    t.is(production?.result.status, 'completed');
    const { events } = await client.events(runtimeId);
    const completed = events.find(({ type }) => type === 'caption.production_completed');
    if (completed?.type !== 'caption.production_completed') throw new Error('captions were made');
    const { receipt } = completed.data;
    if (receipt.schema !== 'studio.caption-production.receipt.v5') throw new Error('the captions are long');
    t.deepEqual(receipt.nonClaims, ['translation_meaning_not_assessed']);
    const [artifact] = (await client.captions.results(runtimeId)).results.map((result) => result.artifact);
    if (artifact?.schema !== 'studio.caption-production.artifact.v7') throw new Error('the captions are long');
    t.true(artifact.lines.every(({ transcriptLines = [] }) => transcriptLines.length > 0));
    const count = artifact.lines.length;
    t.like(receipt.translation, { asks: 1 + count, askedAgain: count, models: ['stub'] });
    await host.stop();
    await checkRuntimes(t, root);
  },
);
