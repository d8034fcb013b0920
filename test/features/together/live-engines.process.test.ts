import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { spokenLanguage } from '../../../client/studies.ts';
import type { StudyHost } from '../../../client/study-host.ts';
import { hostChecks } from '../../../contract/operation.ts';
import { type SettingsChangeRequest, settingsChanged } from '../../../contract/settings.ts';
import { stubTranscriber, transcribes } from '../../../fixtures/hosted-model/stub-transcriber.ts';
import { speechFile, utterances } from '../../../fixtures/speech/gold.ts';
import { followed, newRoot, openClientHost } from '../../actors/client-host.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import type { HostInProcess } from '../../host/host-in-process.ts';
import { eventually } from '../../patience.ts';
import { hasPocketsphinx } from '../recognition/engine/pocketsphinx-of-machine.ts';

// Engines that the settings of a running host name, with real programs and servers.

const withPocketsphinx = hasPocketsphinx ? test : test.skip;

const whisper = fileURLToPath(new URL('../../../fixtures/executables/whisper-cli-stand-in', import.meta.url));
const noServer = { OPENAI_BASE_URL: '', OPENAI_API_KEY: '' };

async function opened(t: ExecutionContext, flags: readonly string[] = [], environment = {}) {
  const root = await newRoot(t);
  const { host, client } = await openClientHost(t, root, { flags, environment: { ...noServer, ...environment } });
  const given = { label: 'speech', rightsHolder: 'nobody', ownershipAttested: true } as const;
  const source = await client.ingestFile(speechFile, given);
  const begun = (clientRequestId: string) =>
    client.study(source, {
      targetLanguage: 'en',
      requestedSourceLanguage: spokenLanguage('en'),
      outputDepth: 'captions',
      clientRequestId,
    });
  const studied = async (name: string): Promise<string> => (await begun(name).ended()).runtimeId;
  return { root, host, client, begun, studied };
}

const asked = async ({ announced }: HostInProcess, path: string, init: RequestInit = {}): Promise<unknown> => {
  const { listening = '', authorizationToken = '' } = announced ?? {};
  const headers = {
    Authorization: `Bearer ${authorizationToken}`,
    Origin: listening,
    'Content-Type': 'application/json',
  };
  const answer = await fetch(`${listening}${path}`, { ...init, headers });
  return answer.json();
};

/** The change that a page sends when a person uses an engine. */
async function changed(t: ExecutionContext, host: HostInProcess, change: SettingsChangeRequest) {
  const body = JSON.stringify({ schema: 'studio.settings-change.v1', ...change });
  const answer = await asked(host, '/v1/settings-changes', { method: 'POST', body });
  const { data } = settingsChanged.safeParse(answer);
  t.deepEqual(data?.afterRestart, [], JSON.stringify(answer));
  t.false(data?.settings.restart.isNeeded);
}

interface EventData {
  readonly reason?: object;
  readonly producer?: { readonly tools: readonly { readonly name: string; readonly version: string }[] };
}

/** The data of the event of a recognition in a journal. */
async function eventOf(client: StudyHost, runtimeId: string, end: string): Promise<EventData | undefined> {
  const { events } = await client.events(runtimeId);
  return events.find(({ type }) => type === `semantic.evidence_${end}`)?.data as EventData | undefined;
}

async function transcriptOf(client: StudyHost, runtimeId: string) {
  const [row] = (await client.evidence(runtimeId, 'transcript')).evidence;
  const facts = row?.facts ?? [];
  return {
    row,
    regions: facts.filter(({ kind }) => kind === 'recognised_region').length,
    texts: facts.flatMap((fact) => (fact.kind === 'transcript_line' ? [fact.text] : [])),
  };
}

withPocketsphinx('a recognizer that a page sets recognizes the next study, without a restart', async (t) => {
  const { root, host, client, studied } = await opened(t);
  const before = await studied('before');
  t.is((await transcriptOf(client, before)).row, undefined);

  const set = { 'semantic-recognizer': 'pocketsphinx', 'permit-recognition': true };
  await changed(t, host, { set });
  t.is((await transcriptOf(client, await studied('permitted'))).row, undefined, 'it may, and nobody asked for it');

  const captions = { 'caption-executor': 'recognized', 'allow-recognized-captions': true };
  await changed(t, host, { set: captions });
  const { row, texts } = await transcriptOf(client, await studied('needed'));
  t.is(row?.tool?.name, 'pocketsphinx_continuous');
  t.is(texts.length, utterances.length);

  await changed(t, host, { unset: ['semantic-recognizer'] });
  t.is((await transcriptOf(client, await studied('after'))).row, undefined);
  await host.stop();
  await checkRuntimes(t, root);
});

/** True if this file system keeps the times of reads; some are mounted without. */
async function keepsAccessTimes(file: string): Promise<boolean> {
  await readFile(file);
  return (await stat(file)).atimeMs !== unread.getTime();
}

/** A time of access before the time of the last change: the next read sets it. */
const unread = new Date('2001-01-01T00:00:00Z');

async function modelFile(t: ExecutionContext): Promise<string> {
  const file = join(dirname(await newRoot(t)), 'ggml-base.bin');
  await writeFile(file, 'ggml');
  await utimes(file, unread, new Date('2002-01-01T00:00:00Z'));
  return file;
}

test('the start of a host does not read the model of its recognizer, and the first study does', async (t) => {
  if (!(await keepsAccessTimes(await modelFile(t)))) {
    t.pass('this file system keeps no times of reads');
    return;
  }
  const model = await modelFile(t);
  const flags = [
    ...['--semantic-recognizer', 'whisper-cli', '--semantic-recognizer-model', model],
    '--allow-real-semantic-evidence',
  ];
  const { host, client, studied } = await opened(t, flags, { MEDIA_STUDY_WHISPER_CLI: whisper });
  await asked(host, '/v1/host-checks');
  await asked(host, '/v1/settings');
  t.is((await stat(model)).atimeMs, unread.getTime());
  t.is((await transcriptOf(client, await studied('first'))).row?.tool?.name, 'whisper-cli');
  t.not((await stat(model)).atimeMs, unread.getTime());
  await host.stop();
});

test('a broken model does not keep a host from its start, and each study has the reason in its journal', async (t) => {
  const model = join(dirname(await newRoot(t)), 'ggml-base.bin');
  const flags = [
    ...['--semantic-recognizer', 'whisper-cli', '--semantic-recognizer-model', model],
    '--allow-real-semantic-evidence',
  ];
  const { root, host, client, studied } = await opened(t, flags, { MEDIA_STUDY_WHISPER_CLI: whisper });
  const findings = async () => hostChecks.parse(await asked(host, '/v1/host-checks')).checks;
  const isWhisper = ({ check }: { readonly check: string }) => check === 'whisper-cli';
  t.is((await findings()).find(isWhisper), undefined, 'a start does not look at the model');

  const failed = await studied('no-model');
  t.is((await transcriptOf(client, failed)).row?.reasonCode, 'recognition_failed');
  t.is((await client.status(failed)).lifecycle, 'terminal');
  const reason = "recognizer_unavailable: ENOENT: no such file or directory, stat 'the model'";
  t.like(await eventOf(client, failed, 'failed'), { reason: { code: 'executor_failed', message: reason } });
  t.like((await findings()).find(isWhisper), { state: 'weak' });
  t.is((await findings()).find(isWhisper)?.detail, reason);

  await writeFile(model, 'ggml');
  const whole = await studied('whole-model');
  const { row, regions } = await transcriptOf(client, whole);
  t.is(row?.tool?.name, 'whisper-cli');
  t.true(regions >= utterances.length);
  t.is((await findings()).find(isWhisper), undefined);

  // The next study takes the new file, and not the one that was pinned.
  await writeFile(model, 'another model');
  const other = await studied('other-model');
  t.is((await transcriptOf(client, other)).row?.state, 'available');
  const toolsOf = async (runtimeId: string) => (await eventOf(client, runtimeId, 'started'))?.producer?.tools;
  t.deepEqual(
    (await toolsOf(failed))?.map(({ name, version }) => [name, version]),
    [['whisper-cli', 'not-opened']],
  );
  t.notDeepEqual(await toolsOf(other), await toolsOf(whole));
  await host.stop();
  await checkRuntimes(t, root);
});

test('a recognition that its host did not survive ends with the reason if the next host cannot open its recognizer', async (t) => {
  // The stand-in takes minutes for speech with a model of this name.
  const model = join(dirname(await newRoot(t)), 'ggml-hangs.bin');
  await writeFile(model, 'ggml');
  const flags = [
    ...['--semantic-recognizer', 'whisper-cli', '--semantic-recognizer-model', model],
    '--allow-real-semantic-evidence',
  ];
  const environment = { ...noServer, MEDIA_STUDY_WHISPER_CLI: whisper };
  const { root, host, client, begun } = await opened(t, flags, environment);
  const { runtimeId } = await begun('cut').started;
  const isRecognizing = async () => (await client.progress(runtimeId)).stage === 'recognize';
  await eventually('the recognition to begin', isRecognizing, 20);
  await host.stop();
  await rm(model);
  const next = await openClientHost(t, root, { flags, environment });
  await followed(next.client, runtimeId);
  t.is((await next.client.status(runtimeId)).lifecycle, 'terminal');
  t.is((await transcriptOf(next.client, runtimeId)).row?.reasonCode, 'recognition_failed');
  const { events } = await next.client.events(runtimeId);
  const ends = events.flatMap(({ type, data }) =>
    type === 'semantic.evidence_failed' ? [(data as { reason: { code: string } }).reason.code] : [],
  );
  t.deepEqual(ends, ['executor_interrupted', 'executor_failed']);
  await next.host.stop();
  await checkRuntimes(t, root);
});

test('a study goes on with the server that it began with, whatever the settings name meanwhile', async (t) => {
  let reached = (): void => undefined;
  let release = (): void => undefined;
  const atFirst = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answer = (text: string) => transcribes({ segments: [{ text, start: 0.4, end: 1.9 }] });
  const first = await stubTranscriber(async (response, region) => {
    reached();
    await released;
    answer('from the first server')(response, region);
  });
  const second = await stubTranscriber(answer('from the second server'));
  t.teardown(() => Promise.all([first.close(), second.close()]));

  const { root, host, client, begun, studied } = await opened(t);
  const using = (server: string): SettingsChangeRequest => ({
    set: {
      ...{ 'semantic-recognizer': 'openai', 'semantic-recognizer-model': 'small', 'permit-recognition': true },
      ...{ 'model-server': server, 'permit-server': [server] },
      ...{ 'caption-executor': 'recognized', 'allow-recognized-captions': true },
    },
    confirmation: 'sent_to_a_server_on_this_machine',
  });
  await changed(t, host, using(first.baseUrl));
  const study = begun('one');
  await atFirst;
  await changed(t, host, using(second.baseUrl));
  release();
  const { runtimeId } = await study.ended();
  const { regions, texts } = await transcriptOf(client, runtimeId);
  t.deepEqual(texts, Array(regions).fill('from the first server'));
  t.is(second.asked.length, 0);
  t.deepEqual([...new Set((await transcriptOf(client, await studied('two'))).texts)], ['from the second server']);
  await host.stop();
  await checkRuntimes(t, root);
});
