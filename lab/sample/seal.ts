import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { openDetector } from '../../executors/detector/detector.ts';
import { detectRange } from '../../executors/evidence/detect.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import type { Launcher } from '../../executors/process/process.ts';
import { type ResolvedTool, resolveTools } from '../../executors/process/tools.ts';
import { probeMedia } from '../../executors/sources/ffprobe.ts';
import type { SampleGold } from '../../fixtures/sample/gold.ts';
import { contentIdOfBytes, indentedFile } from '../../formats/canonical-json.ts';
import { type PinnedFiles, sealOwnedIngest } from '../../receipts/sources/seal-source.ts';
import type { OwnershipClaim } from '../../receipts/sources/source-receipt.ts';
import { scriptedLanguages, speechActivityOf } from './evidence.ts';

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

/** Measures the media of `folder`, and writes all records of a sealed source beside it. */
export async function sealSample(folder: string, mediaPath: string, gold: SampleGold, work: string): Promise<void> {
  const launcher = await openLauncher({ workRoot: await mkdtemp(path.join(work, 'launcher-')), newId: randomUUID });
  try {
    const { ffmpeg, ffprobe } = await resolveTools(launcher, process.env);
    const file = path.resolve(folder, mediaPath);
    const { signal } = new AbortController();
    const probe = await probeMedia(launcher, { ffmpeg, ffprobe }, file, signal);
    const measured = await measureSpeech(launcher, { ffmpeg, ffprobe }, file, gold);
    const { objects } = sealOwnedIngest({
      media: gold.media,
      mediaPath,
      probe,
      tools: [ffprobe.identity, ffmpeg.identity],
      claim,
      pinned: pinnedFiles(measured, ffmpeg, gold),
    });
    for (const { path: name, bytes } of objects) await writeFile(path.join(folder, name), bytes);
  } finally {
    await launcher.close();
  }
}

/** The speech that the host's own detector finds in the whole media. */
async function measureSpeech(
  launcher: Launcher,
  tools: { readonly ffmpeg: ResolvedTool; readonly ffprobe: ResolvedTool },
  file: string,
  gold: SampleGold,
): Promise<EvidenceArtifact> {
  const detector = openDetector({ launcher, clock: systemClock, idleMs: 0 });
  try {
    const { detections } = await detectRange(
      { launcher, ...tools, detector },
      {
        path: file,
        sourceContentId: gold.media.contentId,
        range: { startMs: 0, endMs: gold.durationMs },
        audioTrackIndex: 1,
        videoTrackIndex: null,
        signal: new AbortController().signal,
        keep: async () => undefined,
      },
    );
    const speech = detections.find(({ kind }) => kind === 'speech_activity');
    if (speech?.state !== 'available') throw new Error('no speech was measured');
    return speech.artifact;
  } finally {
    await detector.close();
  }
}

function pinnedFiles(measured: EvidenceArtifact, ffmpeg: ResolvedTool, gold: SampleGold): PinnedFiles {
  const speech = speechActivityOf(measured, ffmpeg.identity);
  const speechActivity = indentedFile(speech);
  const languages = scriptedLanguages(speech, contentIdOfBytes(speechActivity), gold.utterances);
  return { speechActivity, languageRanges: indentedFile(languages) };
}
