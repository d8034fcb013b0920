import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Figure, Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { ingest } from './ingest.ts';
import { median, millisecondsOf, quantity } from './measuring.ts';
import { makeMedia, megabytesOf } from './media.ts';
import { forgetPeak, memoryOf } from './process-figures.ts';

const run = promisify(execFile);
const rounds = 5;
const mediaBytes = 200_000_000;
const memoryLimit = 64;

export const largeIngest: Row = {
  name: 'large-ingest',
  measures: 'The ingest of one large file, against one hash and one durable copy of it.',
  grows: 'Linear in the bytes, with the same memory for a file of any size.',
  async measure(folder) {
    const media = await makeMedia(`${folder}/large.mp4`, mediaBytes);
    const ours: number[] = [];
    const hashing: number[] = [];
    const copying: number[] = [];
    const growth: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const taken = await onNewHost(`${folder}/data`, media);
      ours.push(taken.milliseconds);
      growth.push(taken.growth);
      hashing.push(await millisecondsOf(() => run('sha256sum', [media])));
      const copy = `${folder}/copy`;
      copying.push(await millisecondsOf(() => run('dd', [`if=${media}`, `of=${copy}`, 'bs=1M', 'conv=fsync'])));
      await rm(copy);
    }
    const rate = (await megabytesOf(media)) * 1000;
    return [throughput(rate, median(ours), median(hashing), median(copying)), memory(Math.max(...growth))];
  },
};

// Bytes that a host has seen already are not stored again, so every round has a data root of its own.
async function onNewHost(dataRoot: string, media: string): Promise<{ milliseconds: number; growth: number }> {
  const taken = await withHost(dataRoot, async ({ client, pid }) => {
    await client.read('/v1/source-sessions');
    await forgetPeak(pid);
    const before = await memoryOf(pid);
    const milliseconds = await millisecondsOf(() => ingest(client, media));
    const after = await memoryOf(pid);
    return { milliseconds, growth: after.peak - before.resident };
  });
  await rm(dataRoot, { recursive: true });
  return taken;
}

function throughput(rate: number, ours: number, hashing: number, copying: number): Figure {
  const slower = Math.max(hashing, copying);
  const ratio = slower / ours;
  return {
    figure: 'ingest of 200 MB, POST to registered',
    measured: quantity(rate / ours, 'MB/s'),
    reference: `${quantity(rate / hashing, 'MB/s')} sha256sum, ${quantity(rate / copying, 'MB/s')} copy+fsync`,
    ratio,
    mustReach: '>= 0.5 x the slower',
    reached: ratio >= 0.5,
  };
}

const memory = (growth: number): Figure => ({
  figure: 'ingest of 200 MB, growth of peak memory (worst round)',
  measured: quantity(growth, 'MB'),
  reference: '-',
  ratio: null,
  mustReach: `<= ${memoryLimit} MB`,
  reached: growth <= memoryLimit,
});
