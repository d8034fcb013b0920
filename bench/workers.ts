import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { findExecutable } from '../executors/process/tools.ts';
import { RedisForTests, redisServer } from '../test/redis-for-tests.ts';
import type { Client } from './client.ts';
import type { Figure, Row } from './figure.ts';
import { startWorker, withHost } from './host-process.ts';
import { inTurn, millisecondsOf, quantity } from './measuring.ts';
import { newAttempt, runStudy } from './sample-study.ts';

const ranges = 20;
const rangeMs = 500;
const sleepSeconds = 1.5;
const factor = 1.8;
const operationsOfStudy = 2;
const rounds = 7;
const overheadMs = 150;

/** Two workers against one on a list of ranges, and what an operation costs more that a worker does. */
export const workers: Row = {
  name: 'workers',
  measures:
    'Twenty ranges on a host with two workers, against one worker, with a media tool that sleeps before it works. And a study on a host with a worker, against a host without one.',
  grows:
    'With the number of operations. The extra cost of an operation does not depend on its range, except for the first copy of the media.',
  async measure(folder) {
    if (redisServer === null) throw new Error('redis-server is not on PATH');
    const redis = await RedisForTests.create(folder);
    await redis.start();
    try {
      return [await speedUp(folder, redis.address), await overhead(folder, redis.address)];
    } finally {
      await redis.stop();
    }
  },
};

/** The request for the range at a place of the list. */
const rangeAt = (client: Client, at: number): Promise<object> =>
  newAttempt(client, { startMs: at * rangeMs, endMs: (at + 1) * rangeMs });

/** Runs a host and so many workers on folders of their own. */
async function withWorkers<Result>(
  folder: string,
  address: string,
  { count, environment }: { readonly count: number; readonly environment: NodeJS.ProcessEnv },
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  await mkdir(`${folder}/objects`, { recursive: true });
  const place = ['--work-queue', address, '--object-source', `${folder}/objects`];
  const started = await Promise.all(Array.from({ length: count }, () => startWorker(place, environment)));
  try {
    const flags = [...place, '--study-workers', String(ranges)];
    return await withHost(`${folder}/data`, ({ client }) => work(client), flags, environment);
  } finally {
    await Promise.all(started.map((worker) => worker.stop()));
  }
}

/** Tools that sleep before they work, so that the workers do not wait for each other's cores. */
async function sleepingFfmpeg(folder: string): Promise<string> {
  const real = await findExecutable('ffmpeg', process.env.PATH ?? '');
  const file = `${folder}/sleeping-ffmpeg`;
  const script = ['#!/bin/sh', `case "$1" in -version) ;; *) sleep ${sleepSeconds} ;; esac`, `exec '${real}' "$@"`];
  await writeFile(file, `${script.join('\n')}\n`);
  await chmod(file, 0o755);
  return file;
}

async function speedUp(folder: string, address: string): Promise<Figure> {
  const environment = { MEDIA_STUDY_FFMPEG: await sleepingFfmpeg(folder) };
  const timeOf = (count: number): Promise<number> =>
    withWorkers(`${folder}/${count}`, address, { count, environment }, async (client) => {
      const requests = await Promise.all(Array.from({ length: ranges }, (_, at) => rangeAt(client, at)));
      return millisecondsOf(() => Promise.all(requests.map((request) => runStudy(client, request))));
    });
  const one = await timeOf(1);
  const two = await timeOf(2);
  return {
    figure: `${ranges} ranges, two workers, a tool that sleeps ${sleepSeconds} s`,
    measured: quantity(two, 'ms'),
    reference: `${quantity(one, 'ms')} one worker`,
    ratio: one / two,
    mustReach: `one / two >= ${factor}`,
    reached: one / two >= factor,
  };
}

/** Studies in turn on a host with a worker and on one without; each study has a range of its own. */
async function overhead(folder: string, address: string): Promise<Figure> {
  const times = await withWorkers(`${folder}/queued`, address, { count: 1, environment: {} }, (queued) =>
    withHost(`${folder}/local`, ({ client: local }) => {
      const studyOn = (client: Client) => async (round: number) => {
        const request = await rangeAt(client, round);
        return millisecondsOf(() => runStudy(client, request));
      };
      return inTurn(rounds, studyOn(queued), studyOn(local), 1);
    }),
  );
  const perOperation = (times.measured - times.reference) / operationsOfStudy;
  return {
    figure: 'what an operation costs more that a worker does',
    measured: `${quantity(perOperation, 'ms')} = (${quantity(times.measured, 'ms')} - local) / ${operationsOfStudy}`,
    reference: `${quantity(times.reference, 'ms')} a study of ${rangeMs} ms on the host alone`,
    ratio: null,
    mustReach: `<= ${overheadMs} ms`,
    reached: perOperation <= overheadMs,
  };
}
