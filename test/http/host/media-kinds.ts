import { readFile } from 'node:fs/promises';
import test from 'ava';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import type { HostContract } from './contract.ts';
import {
  closedStatus,
  holdsOnly,
  ingest,
  ingestRequest,
  ingests,
  openIngest,
  putMedia,
  reached,
  storedFiles,
} from './ingest-steps.ts';
import { humWav } from './media.ts';

/** What becomes of media that is none, or not whole; and of work that is canceled. */
export function mediaKinds(contract: HostContract): void {
  test.serial(
    contract.title('what is not whole media fails its probe with a closed reason and leaves nothing'),
    async (t) => {
      const before = await storedFiles(contract);
      const sample = await readFile(sampleMedia);
      const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const kinds: Record<string, [Buffer, RegExp]> = {
        'one byte': [Buffer.from('x'), /^not_media: /],
        text: [Buffer.from('only words, line after line\n'.repeat(500)), /^not_media: /],
        zeros: [Buffer.alloc(3_000_000), /^not_media: /],
        'a playlist': [
          Buffer.from('#EXTM3U\n#EXTINF:4,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n'),
          /^(not_media|format_not_allowed): /,
        ],
        'a concat script': [
          Buffer.from("ffconcat version 1.0\nfile '/etc/hostname'\n"),
          /^(not_media|format_not_allowed): /,
        ],
        'a picture': [Buffer.from(png, 'base64'), /^format_not_allowed: /],
        'a cut film': [sample.subarray(0, Math.floor(sample.length * 0.63)), /^container_damaged: /],
        'a cut sound': [humWav(30, 4000).subarray(0, 20_000), /^container_damaged: /],
        'a sound without samples': [
          humWav(31, 0),
          /^(container_damaged|no_playable_track|duration_unknown|not_media): /,
        ],
      };
      const outcomes = Object.entries(kinds).map(async ([what, [bytes, reason]]) => {
        const { failure } = await ingest(t, contract, bytes, { filename: 'film.mp4', label: what });
        t.is(failure?.code, 'probe_failed', what);
        t.regex(failure?.message ?? '', reason, what);
        t.false(failure?.message.includes('/'), what);
      });
      await Promise.all(outcomes);
      await holdsOnly(t, contract, before);
    },
  );

  test.serial(contract.title('an ingest that is canceled while its media is measured leaves nothing'), async (t) => {
    const before = await storedFiles(contract);
    const media = humWav(32);
    await contract.gate.close();
    try {
      const ingestId = await openIngest(t, contract, ingestRequest(media.length));
      await putMedia(contract, ingestId, media);
      const { updatedAt } = await reached(t, contract, ingestId, ['probing']);
      t.like(await reached(t, contract, ingestId, ['probing']), { updatedAt });
      const canceled = await contract.post(`${ingests}/${ingestId}/cancellations`, {});
      t.like(contract.granted(t, canceled, 202, closedStatus), { status: 'failed', failure: { code: 'canceled' } });
      await holdsOnly(t, contract, before);
    } finally {
      await contract.gate.open();
    }
  });

  test.serial(contract.title('the same bytes fail once and register once, whichever comes first'), async (t) => {
    const media = humWav(33);
    await contract.gate.close();
    const ids = await Promise.all([1, 2].map(() => openIngest(t, contract, ingestRequest(media.length))));
    for (const ingestId of ids) contract.granted(t, await putMedia(contract, ingestId, media), 202, closedStatus);
    await contract.post(`${ingests}/${ids[0]}/cancellations`, {});
    await contract.gate.open();
    t.is((await reached(t, contract, ids[1] ?? '')).status, 'registered');
    t.is((await reached(t, contract, ids[0] ?? '')).status, 'failed');
    t.true((await storedFiles(contract)).some((file) => file.endsWith(` ${media.length}`)));
  });

  test.serial(contract.title('a registered ingest cannot be canceled'), async (t) => {
    const { ingestId } = await ingest(t, contract, humWav(34));
    contract.refused(t, await contract.post(`${ingests}/${ingestId}/cancellations`, {}), 'ingest_already_terminal');
  });
}
