import { readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { publishReviewDecisions, publishReviewIntakes } from '../contract/review.ts';
import { approval } from '../test/receipts/review/review-steps.ts';
import type { Client } from './client.ts';
import type { Figure } from './figure.ts';
import { type HostProcess, repository, withHost } from './host-process.ts';
import { quantity } from './measuring.ts';

const atMostMs = 100;

const longestTurn = `${repository}bench/longest-turn.cjs`;

/** Reads the longest turn of the event loop of hosts, one after the other. `file` is a new one. */
export class Turns {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Runs a host on a data root whose turns are counted. */
  withHost<Result>(
    dataRoot: string,
    work: (host: HostProcess) => Promise<Result>,
    flags: readonly string[],
  ): Promise<Result> {
    const environment = { NODE_OPTIONS: `--require ${longestTurn}`, LONGEST_TURN: this.#file };
    return withHost(dataRoot, work, flags, environment);
  }

  /** The longest turn while the work lasts, as a figure. */
  async during(host: HostProcess, what: string, work: () => Promise<unknown>): Promise<Figure> {
    await this.#longest(host);
    await work();
    const longest = await this.#longest(host);
    return {
      figure: `longest pause, ${what}`,
      measured: quantity(longest, 'ms'),
      reference: '-',
      ratio: null,
      mustReach: `<= ${atMostMs} ms`,
      reached: longest <= atMostMs,
    };
  }

  /** The longest turn since the last call, in ms. */
  async #longest({ pid }: HostProcess): Promise<number> {
    await rm(this.#file, { force: true });
    process.kill(pid, 'SIGUSR2');
    for (;;) {
      const text = await readFile(this.#file, 'utf8').catch(() => '');
      if (text.endsWith('\n')) return Number(text);
      await delay(10);
    }
  }
}

/** Reads an answer; rejects unless it is 200. */
export async function got(client: Client, path: string): Promise<void> {
  const { status, bytes } = await client.get(path);
  if (status !== 200) throw new Error(`${path} was answered with ${status}: ${bytes.toString('utf8', 0, 300)}`);
}

/** Approves a study that is queued for review; the reference to its approval. `path` is that of the study. */
export async function approved(client: Client, path: string) {
  const [queued] = publishReviewIntakes.parse(await client.read(`${path}/publish-review-intakes`)).intakes;
  const { reviewer } = publishReviewDecisions.parse(await client.read(`${path}/publish-review-decisions`));
  if (queued === undefined) throw new Error('the study is not queued');
  const { intakeId, artifactId, receiptId, receiptContentId } = queued;
  const decided = await client.post(
    `${path}/publish-review-decisions`,
    {
      intake: { intakeId, artifactId, receiptId, receiptContentId },
      reviewer: { id: reviewer.id, attestation: reviewer.decisionAttestation },
      decision: approval,
    },
    201,
  );
  const [review] = publishReviewDecisions.parse(decided).reviews;
  if (review === undefined) throw new Error('nothing was decided');
  return {
    reviewId: review.reviewId,
    artifactId: review.artifactId,
    receiptId: review.receiptId,
    receiptContentId: review.receiptContentId,
  };
}
