import { rm } from 'node:fs/promises';
import type { Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { ingest } from './ingest.ts';
import { median, millisecondsOf, quantity } from './measuring.ts';
import { makeMedia, retitled } from './media.ts';

const rounds = 5;
const together = 16;
const mediaBytes = 5_000_000;
const atMost = 1.1;

export const manyIngests: Row = {
  name: 'many-ingests',
  measures: 'Many ingests at once, against the same ingests one after the other.',
  grows: 'Linear in all bytes; parallel ingests cost nothing more.',
  async measure(folder) {
    const first = await makeMedia(`${folder}/0.mp4`, mediaBytes);
    const media: string[] = [];
    for (let n = 1; n <= together + 4; n += 1) media.push(await retitled(first, `${folder}/${n}.mp4`, `clip ${n}`));
    const alone: number[] = [];
    const atOnce: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const times = await onNewHost(`${folder}/data`, media);
      alone.push(times.alone);
      atOnce.push(times.atOnce);
    }
    const reference = together * median(alone);
    const ratio = median(atOnce) / reference;
    return [
      {
        figure: `${together} ingests of 5 MB at once`,
        measured: quantity(median(atOnce), 'ms'),
        reference: `${quantity(reference, 'ms')} = ${together} x one alone`,
        ratio,
        mustReach: `<= ${atMost} x ${together} x one alone`,
        reached: ratio <= atMost,
      },
    ];
  },
};

async function onNewHost(dataRoot: string, media: readonly string[]): Promise<{ alone: number; atOnce: number }> {
  const times = await withHost(dataRoot, async ({ client }) => {
    const [warmUp = '', ...rest] = media.slice(together);
    await ingest(client, warmUp);
    const alone: number[] = [];
    for (const file of rest) alone.push(await millisecondsOf(() => ingest(client, file)));
    const atOnce = await millisecondsOf(() =>
      Promise.all(media.slice(0, together).map((file) => ingest(client, file))),
    );
    return { alone: median(alone), atOnce };
  });
  await rm(dataRoot, { recursive: true });
  return times;
}
