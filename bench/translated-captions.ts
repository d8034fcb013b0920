import { setTimeout as delay } from 'node:timers/promises';
import { captionProductions } from '../contract/captions/caption-answers.ts';
import { answers, completionOf, StubProvider } from '../fixtures/hosted-model/stub-provider.ts';
import { linesAsked } from '../fixtures/hosted-model/stub-translator.ts';
import { openStore, store } from '../test/actors/reopening/stored-studies.ts';
import { storedStudy } from '../test/receipts/evidence/stored-study.ts';
import type { Figure, Row } from './figure.ts';
import { filmDialogue } from './film-dialogue.ts';
import type { HostProcess } from './host-process.ts';
import { quantity } from './measuring.ts';
import { cpuMs } from './process-figures.ts';
import { approved, got, Turns } from './turns.ts';

/** The most lines that captions have, over the longest range that they are made of. */
const mostLines = 8192;
const lengthMs = 14_400_000;
const atMostTimes = 2.5;
const healthEveryMs = 100;

const flagsWith = (model: StubProvider): string[] => [
  ...['--caption-executor', 'subtitles-translated', '--allow-real-caption-production'],
  ...['--caption-translation-model', 'stub', '--model-server', model.baseUrl],
  ...['--maximum-caption-range-ms', String(lengthMs), '--maximum-caption-lines', String(mostLines)],
];

export const translatedCaptions: Row = {
  name: 'translated-captions',
  measures:
    'The longest turn of the event loop of the host while a model translates captions, and at their first read after a start. The model answers at once, and every line is right. The reference of the processor time is that of half the lines.',
  grows: 'Processor time grows with the number of lines. The longest turn does not.',
  async measure(folder) {
    const english = new Map(filmDialogue(mostLines).map((line) => [line.korean, line.english]));
    const model = await StubProvider.start();
    model.behavior = (response, asked) => {
      const given = linesAsked(asked.body.messages[1]?.content ?? '{}') ?? {};
      const lines = Object.entries(given).map(([id, source]) => [
        id,
        { source, translation: english.get(source) ?? '' },
      ]);
      answers(completionOf(JSON.stringify({ lines: Object.fromEntries(lines) })))(response, asked);
    };
    try {
      const short = await translated(`${folder}/short`, 1500, model);
      const half = await translated(`${folder}/half`, mostLines / 2, model);
      const whole = await translated(`${folder}/whole`, mostLines, model);
      return [
        ...[short, half, whole].flatMap(({ figures }) => figures),
        timesOf('the translation', whole.madeMs, half.madeMs),
        timesOf('the first read after a start', whole.reopenedMs, half.reopenedMs),
      ];
    } finally {
      await model.close();
    }
  },
};

function timesOf(what: string, wholeMs: number, halfMs: number): Figure {
  return {
    figure: `processor time, ${what}, ${mostLines} lines`,
    measured: quantity(wholeMs, 'ms'),
    reference: `${quantity(halfMs, 'ms')} of ${mostLines / 2} lines`,
    ratio: wholeMs / halfMs,
    mustReach: `<= ${atMostTimes} times`,
    reached: wholeMs <= atMostTimes * halfMs,
  };
}

/** Captions of so many lines, made by one host and read by the next one. */
async function translated(folder: string, lines: number, model: StubProvider) {
  const dataRoot = `${folder}-data`;
  const runtimeId = await stored(dataRoot, lines);
  const path = `/v1/runtimes/${runtimeId}`;
  const turns = new Turns(`${folder}-turns`);
  const counted = async (host: HostProcess, what: string, work: () => Promise<unknown>) => {
    const before = await cpuMs(host.pid);
    const { result, waitedMs } = await besideHealth(host, () => turns.during(host, `${what}, ${lines} lines`, work));
    const waited: Figure = {
      figure: `longest wait of a health request, ${what}, ${lines} lines`,
      measured: quantity(waitedMs, 'ms'),
      ...{ reference: '-', ratio: null, mustReach: '-', reached: null },
    };
    return { figures: [result, waited], usedMs: (await cpuMs(host.pid)) - before };
  };
  const made = await turns.withHost(
    dataRoot,
    async (host) => {
      const reference = await approved(host.client, path);
      return counted(host, 'the translation', async () => {
        const answer = await host.client.post(`${path}/caption-productions`, { approval: reference }, 201);
        const [production] = captionProductions.parse(answer).captions;
        const available = production?.result?.targetAvailableCount;
        if (available !== lines) throw new Error(`${available} of ${lines} lines passed`);
      });
    },
    flagsWith(model),
  );
  const reopened = await turns.withHost(
    dataRoot,
    (host) => counted(host, 'the first read after a start', () => got(host.client, `${path}/caption-productions`)),
    flagsWith(model),
  );
  return { figures: [...made.figures, ...reopened.figures], madeMs: made.usedMs, reopenedMs: reopened.usedMs };
}

/** A study of a film of which nothing is in the target language. */
async function stored(dataRoot: string, lines: number): Promise<string> {
  const opened = await openStore(dataRoot);
  const step = lengthMs / lines;
  const cues = filmDialogue(lines).map(({ korean }, at) => ({
    startMs: Math.floor(at * step),
    endMs: Math.floor((at + 1) * step),
    text: korean,
  }));
  const tracks = [{ trackIndex: 2, taggedLanguage: 'ko', code: 'ko', cues }];
  const runtimeId = await store(opened, storedStudy({ version: 1, windows: 4, lengthMs, tracks }));
  await opened.close();
  return runtimeId;
}

/** Asks for the health of a host at a steady pace while the work lasts; the longest wait for an answer, in ms. */
async function besideHealth<Result>({ client }: HostProcess, work: () => Promise<Result>) {
  const ended = new AbortController();
  const asking = longestWait(() => got(client, '/v1/health'), ended.signal);
  try {
    const result = await work();
    return { result, waitedMs: await stopped() };
  } catch (error) {
    await stopped();
    throw error;
  }

  function stopped(): Promise<number> {
    ended.abort();
    return asking;
  }
}

async function longestWait(ask: () => Promise<void>, signal: AbortSignal): Promise<number> {
  let longest = 0;
  while (!signal.aborted) {
    const from = performance.now();
    await ask();
    const waited = performance.now() - from;
    longest = Math.max(longest, waited);
    await delay(Math.max(0, healthEveryMs - waited));
  }
  return longest;
}
