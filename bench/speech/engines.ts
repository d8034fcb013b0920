import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { spokenLanguage } from '../../client/studies.ts';
import { StudyHost } from '../../client/study-host.ts';
import type { TranscriptLineFact } from '../../contract/evidence/evidence.ts';
import { withHost } from '../host-process.ts';
import { cpuMs } from '../process-figures.ts';
import type { SpeechFilm } from './film.ts';
import type { WrittenLine } from './score.ts';

/** What came out of a film, and the processor time that the engine's own processes took for it. */
export interface Heard {
  readonly lines: readonly WrittenLine[];
  readonly engineMs: number;
  /** The part of it that asked for the language, where that is a call of its own. */
  readonly languageMs: number;
}

/** An engine, by itself and as this product uses it. */
export interface MeasuredEngine {
  readonly name: string;
  /** Stands for its program and weights: the size of each file and the time of its last change. */
  readonly identity: string;
  /** What it is told when it runs by itself, beside the film; empty for what a program does of its own accord. */
  readonly bareSettings: string;
  bare(film: SpeechFilm): Promise<Heard>;
  product(film: SpeechFilm): Promise<Heard>;
  close(): Promise<void>;
}

/** Programs and weights of whisper.cpp in a folder of models. */
export interface WhisperFiles {
  readonly cli: string;
  readonly server: string;
  readonly weights: string;
}

/** The files of a folder of models, for weights such as `base-q5_1`. */
export const whisperFiles = (models: string, weights: string): WhisperFiles => ({
  cli: path.join(models, 'bin/whisper-cli'),
  server: path.join(models, 'bin/whisper-server'),
  weights: path.join(models, `ggml/ggml-${weights}.bin`),
});

const identityOf = (...files: readonly string[]): string =>
  files.map((file) => `${path.basename(file)} ${statSync(file).size} ${statSync(file).mtimeMs}`).join('\n');

/** Studies the film on a host of its own, and reads the lines of its transcript. */
async function transcribed(
  dataRoot: string,
  film: SpeechFilm,
  flags: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<WrittenLine[]> {
  const words = [...flags, '--allow-real-semantic-evidence'];
  return withHost(dataRoot, ({ announcement }) => lines(announcement), words, environment);

  async function lines(announcement: Readonly<Record<string, unknown>>): Promise<WrittenLine[]> {
    const place = { baseUrl: String(announcement.listening), token: String(announcement.authorizationToken) };
    const host = StudyHost.connect(place);
    const source = await host.ingestFile(film.file, {
      label: film.name,
      rightsHolder: 'The benchmark',
      ownershipAttested: true,
    });
    const request = { targetLanguage: film.language, requestedSourceLanguage: spokenLanguage(film.language) };
    const { runtimeId } = await host.study(source, request).ended();
    const [row] = (await host.evidence(runtimeId, 'transcript')).evidence;
    if (row?.reasonCode != null) throw new Error(`${film.name} has no transcript: ${row.reasonCode}`);
    return (row?.facts ?? [])
      .filter((fact): fact is TranscriptLineFact => fact.kind === 'transcript_line')
      .map(({ startMs, endMs, text, outcome }) => ({ startMs, endMs, text, isWithheld: outcome === 'withheld' }));
  }
}

const offsets = z.looseObject({ from: z.number(), to: z.number() });
const cliResult = z.looseObject({
  transcription: z.array(z.looseObject({ offsets, text: z.string() })),
});

/**
 * `whisper-cli`, with a thread. The product starts it by a script that adds the time of each call to a file. The time of a question
 * for the language goes to another. The time of the host, and that of ffmpeg, are not the engine's.
 */
export function whisperCli(files: WhisperFiles, folder: string): MeasuredEngine {
  const timesFile = path.join(folder, 'times');
  const languageFile = path.join(folder, 'language-times');
  const program = path.join(folder, 'whisper-cli');
  for (const file of [timesFile, languageFile]) writeFileSync(file, '');
  const question = `case " $* " in *' -dl '*) into='${languageFile}';; *) into='${timesFile}';; esac`;
  writeFileSync(program, `#!/bin/sh\n${question}\n'${files.cli}' "$@"\ncode=$?\ntimes >> "$into"\nexit $code\n`);
  chmodSync(program, 0o755);
  const spent = () => cpuOfTimes(readFileSync(timesFile, 'utf8'));
  const asked = () => cpuOfTimes(readFileSync(languageFile, 'utf8'));
  return {
    name: 'whisper-cli',
    identity: identityOf(files.cli, files.weights),
    bareSettings: '',
    async bare(film) {
      const before = spent();
      const result = path.join(folder, 'bare');
      const words = ['-m', files.weights, '-f', film.file, '-l', film.language, '-ojf', '-of', result, '-np'];
      execFileSync(program, [...words, '-t', '1'], { stdio: 'ignore' });
      const { transcription } = cliResult.parse(JSON.parse(await readFile(`${result}.json`, 'utf8')));
      const lines = transcription.map(({ offsets: at, text }) => writtenLine(at.from, at.to, text));
      return { lines, engineMs: spent() - before, languageMs: 0 };
    },
    async product(film) {
      const [before, askedBefore] = [spent(), asked()];
      const chosen = ['--semantic-recognizer', 'whisper-cli', '--semantic-recognizer-model', files.weights];
      const flags = [...chosen, '--semantic-recognizer-program', program];
      const lines = await transcribed(path.join(folder, `cli-${film.name}`), film, flags);
      return { lines, engineMs: spent() - before, languageMs: asked() - askedBefore };
    },
    close: async () => undefined,
  };
}

const writtenLine = (startMs: number, endMs: number, text: string): WrittenLine => ({
  startMs: Math.round(startMs),
  endMs: Math.round(endMs),
  text: text.trim(),
  isWithheld: false,
});

/** The processor time of children in what the shell's `times` writes: of two lines, the second, as `0m1.23s 0m0.45s`. */
function cpuOfTimes(text: string): number {
  const lines = text.trim().split('\n');
  return lines
    .filter((_, at) => at % 2 === 1)
    .flatMap((line) => [...line.matchAll(/(\d+)m([\d.]+)s/g)])
    .reduce((sum, [, minutes, seconds]) => sum + 60_000 * Number(minutes) + 1000 * Number(seconds), 0);
}

const serverResult = z.looseObject({
  segments: z.array(z.looseObject({ start: z.number(), end: z.number(), text: z.string() })),
});

/** What the bare request sets beside the language: the beam that the program has by itself and the product asks for, and no other language. */
const bareFields = { no_language_probabilities: 'true', beam_size: '5' } as const;

const startPollMs = 100;
const inferencePath = '/v1/audio/transcriptions';

/** `whisper-server` with a thread, on a free port of this machine. */
export async function whisperServer(files: WhisperFiles, folder: string): Promise<MeasuredEngine> {
  const port = await freePort();
  const words = ['-m', files.weights, '-t', '1', '--host', '127.0.0.1', '--port', `${port}`];
  const child = spawn(files.server, [...words, '--inference-path', inferencePath], { stdio: 'ignore' });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const base = `http://127.0.0.1:${port}`;
  while (!(await isUp(base))) {
    if (child.exitCode !== null) throw new Error(`whisper-server ended with ${child.exitCode}`);
    await delay(startPollMs);
  }
  const spent = () => cpuMs(child.pid ?? 0);
  const questions = await languageQuestions(port, spent);
  return {
    name: 'whisper-server',
    identity: identityOf(files.server, files.weights),
    bareSettings: JSON.stringify(bareFields),
    async bare(film) {
      const before = await spent();
      const form = new FormData();
      form.set('file', new Blob([await readFile(film.file)]), 'film.wav');
      form.set('language', film.language);
      form.set('response_format', 'verbose_json');
      for (const [field, value] of Object.entries(bareFields)) form.set(field, value);
      const { segments } = serverResult.parse(await posted(port, inferencePath, form));
      const lines = segments.map(({ start, end, text }) => writtenLine(1000 * start, 1000 * end, text));
      return { lines, engineMs: (await spent()) - before, languageMs: 0 };
    },
    async product(film) {
      const [before, askedBefore] = [await spent(), questions.ms()];
      const flags = ['--semantic-recognizer', 'openai', '--semantic-recognizer-model', 'base'];
      const environment = { OPENAI_BASE_URL: `${questions.address}/v1`, OPENAI_API_KEY: '' };
      const lines = await transcribed(path.join(folder, `server-${film.name}`), film, flags, environment);
      const languageMs = questions.ms() - askedBefore;
      return { lines, engineMs: (await spent()) - before - languageMs, languageMs };
    },
    async close() {
      await questions.close();
      process.off('exit', kill);
      kill();
      await once(child, 'exit');
    },
  };
}

/**
 * Passes every request on to the server at a port, one at a time, as the product sends them. It adds up the processor time of those that
 * ask for the language.
 */
async function languageQuestions(port: number, spent: () => Promise<number>) {
  let ms = 0;
  const passedOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const before = await spent();
    const { method = 'GET', headers, url = '/' } = request;
    const sent = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }).end(body);
    const [answer]: IncomingMessage[] = await once(sent, 'response');
    const answered = answer === undefined ? Buffer.alloc(0) : await buffer(answer);
    if (body.includes('name="detect_language"')) ms += (await spent()) - before;
    response.writeHead(answer?.statusCode ?? 502, answer?.headers).end(answered);
  };
  let last = Promise.resolve();
  const server = createHttpServer((request, response) => {
    last = last.then(() => passedOn(request, response)).catch(() => void response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    ms: () => ms,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The answer to a form. `fetch` gives up after five minutes, and a whole film takes longer on a busy machine. */
async function posted(port: number, path: string, form: FormData): Promise<unknown> {
  const body = new Response(form);
  const headers = { 'content-type': body.headers.get('content-type') ?? '' };
  const sent = httpRequest({ host: '127.0.0.1', port, method: 'POST', path, headers });
  sent.end(Buffer.from(await body.arrayBuffer()));
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  return JSON.parse(String(answer === undefined ? '' : await buffer(answer)));
}

const isUp = (base: string): Promise<boolean> =>
  fetch(`${base}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** The engines of a folder of models that this machine has. */
export async function enginesIn(models: string, folder: string): Promise<MeasuredEngine[]> {
  const files = whisperFiles(models, 'base-q5_1');
  return [
    ...(existsSync(files.cli) ? [whisperCli(files, folder)] : []),
    ...(existsSync(files.server) ? [await whisperServer(files, folder)] : []),
  ];
}
