import { StubProvider } from '../fixtures/hosted-model/stub-provider.ts';
import { openStore, store } from '../test/actors/reopening/stored-studies.ts';
import { storedStudy } from '../test/receipts/evidence/stored-study.ts';
import { twoTracks } from '../test/receipts/evidence/stored-tracks.ts';
import type { Client } from './client.ts';
import { captionedRuntime, explainerFlags, type Question, questionsOf } from './explained-runtime.ts';
import type { Figure, Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { median, millisecondsOf, quantity } from './measuring.ts';

const asked = 200;
/** The explanations of which the median is taken: one alone is too short to tell. */
const early = { from: 5, to: 15 };
const late = { from: asked - 10, to: asked };
const coldStarts = 5;
/** Runtimes that are explained, each on a host of its own: what else a machine does falls on one of them. */
const rounds = 3;

export const explanations: Row = {
  name: 'explanations',
  measures: 'Explanations of one runtime, and the cost of its verification for readers of another runtime.',
  grows:
    'With the bytes of the answer, which lists all explanations of the runtime, and with a check of each of its files. Nothing is read or written twice.',
  async measure(folder) {
    const provider = await StubProvider.start();
    process.env.OPENAI_BASE_URL = provider.baseUrl;
    try {
      const times: number[][] = [];
      const delays: Delay[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        const dataRoot = `${folder}/data-${round}`;
        const { large, small } = await stored(dataRoot);
        times.push(await withHost(dataRoot, ({ client }) => explained(client, large), explainerFlags));
        for (let start = 0; round === rounds && start < coldStarts; start += 1) {
          delays.push(await withHost(dataRoot, ({ client }) => longestDelay(client, large, small), explainerFlags));
        }
      }
      return [growth(times), delayed(delays)];
    } finally {
      await provider.close();
    }
  },
};

async function stored(dataRoot: string): Promise<{ large: string; small: string }> {
  const opened = await openStore(dataRoot);
  const large = await store(opened, storedStudy({ version: 1, windows: 4, tracks: twoTracks }));
  const small = await store(opened, storedStudy({ version: 1, windows: 4, attempt: 'small' }));
  await opened.close();
  return { large, small };
}

async function explained(client: Client, runtimeId: string): Promise<number[]> {
  const questions = questionsOf(await captionedRuntime(client, runtimeId)).slice(0, asked);
  if (questions.length < asked) throw new Error(`there are only ${questions.length} questions`);
  const path = `/v1/runtimes/${runtimeId}/language-explanations`;
  const times: number[] = [];
  for (const question of questions) times.push(await millisecondsOf(() => ask(client, path, question)));
  return times;
}

async function ask(client: Client, path: string, question: Question): Promise<void> {
  const { status, bytes } = await client.send(path, question);
  if (status !== 201) throw new Error(`an explanation was answered with ${status}: ${bytes.toString('utf8', 0, 300)}`);
}

function growth(times: readonly (readonly number[])[]): Figure {
  const medians = ({ from, to }: typeof early): number[] => times.map((each) => median(each.slice(from - 1, to)));
  const [first, last] = [medians(early), medians(late)];
  const ratio = median(last.map((each, round) => each / (first[round] ?? Number.NaN)));
  return {
    figure: `explanation ${asked} of a runtime, with the list of all as its answer (median of ${late.from} to ${late.to}, of ${rounds} runtimes)`,
    measured: quantity(median(last), 'ms'),
    reference: `${quantity(median(first), 'ms')} for the 10th (median of ${early.from} to ${early.to})`,
    ratio,
    mustReach: '<= 1.3 x the 10th',
    reached: ratio <= 1.3,
  };
}

/** The longest that a page of one runtime takes while another one is reopened, and for as many pages without that, in ms. */
interface Delay {
  readonly reopening: number;
  readonly idle: number;
}

async function longestDelay(client: Client, large: string, small: string): Promise<Delay> {
  const page = () => client.read(`/v1/runtimes/${small}/events?after=0&limit=10`);
  for (let warmUp = 0; warmUp < 50; warmUp += 1) await page();
  let isOpen = false;
  const reopening = client.read(`/v1/runtimes/${large}/publish-review-decisions`).finally(() => {
    isOpen = true;
  });
  const beside: number[] = [];
  while (!isOpen) beside.push(await millisecondsOf(page));
  await reopening;
  const alone: number[] = [];
  for (const _ of beside) alone.push(await millisecondsOf(page));
  return { reopening: Math.max(...beside), idle: Math.max(...alone) };
}

function delayed(delays: readonly Delay[]): Figure {
  const longest = Math.max(...delays.map(({ reopening }) => reopening));
  const idle = Math.max(...delays.map(({ idle }) => idle));
  return {
    figure: `events page while a runtime with ${asked} explanations is reopened, longest of ${coldStarts} cold hosts`,
    measured: quantity(longest, 'ms'),
    reference: `${quantity(idle, 'ms')} beside nothing`,
    ratio: longest / idle,
    mustReach: '<= 20 ms',
    reached: longest <= 20,
  };
}
