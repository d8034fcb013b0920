import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { probeMedia } from '../../executors/ffprobe.ts';
import { openLauncher } from '../../executors/launcher.ts';
import { resolveTools } from '../../executors/tools.ts';
import { sealOwnedIngest } from '../../receipts/seal-source.ts';
import type { ContentRef } from '../../receipts/sealed-content.ts';
import type { OwnershipClaim } from '../../receipts/source-receipt.ts';

const claim: OwnershipClaim = {
  label: 'Reading room (sample)',
  filename: 'sample.mp4',
  rightsHolder: 'The project',
  assertedAt: '2026-01-02T03:04:05.678Z',
  grant: {
    scope: 'redistribution',
    statement:
      'The project made this media itself from synthetic speech, tones, noise and pictures. It may be passed on under the MIT licence of the project.',
  },
};

/** Probes the media at `folder/mediaPath` and writes its records beside it. */
export async function sealSample(folder: string, mediaPath: string, media: ContentRef, work: string): Promise<void> {
  const launcher = await openLauncher({ workRoot: await mkdtemp(path.join(work, 'launcher-')), newId: randomUUID });
  try {
    const { signal } = new AbortController();
    const tools = await resolveTools(launcher, process.env);
    const probe = await probeMedia(launcher, tools, path.join(folder, mediaPath), signal);
    const { objects } = sealOwnedIngest({
      media,
      mediaPath,
      probe,
      tools: [tools.ffprobe.identity, tools.ffmpeg.identity],
      claim,
      pinned: null,
    });
    for (const { path: name, bytes } of objects) await writeFile(path.join(folder, name), bytes);
  } finally {
    await launcher.close();
  }
}
