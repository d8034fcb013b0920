import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { copyAsLeft } from './host-in-process.ts';

/**
 * The data roots that were lived once, by the real tools, before the tests began (`live.ts`). Each holds what the one before it
 * holds.
 * - `fresh`: the sample, and the tools of this machine.
 * - `ingested`: one ingest registered, one failed, one canceled, one that waits for its media.
 * - `studied`: the sample's first second, first ten and first twelve seconds, each studied to its end and queued for a review.
 * - `approved`: the twelve seconds approved for captions.
 * - `captioned`: their captions made of the embedded subtitles, and checked.
 */
export const lifeNames = ['fresh', 'ingested', 'studied', 'approved', 'captioned'] as const;
export type LifeName = (typeof lifeNames)[number];

/** The answers that the client of all lives got; a root has only the answers of its own life and of earlier ones. */
export const knownOfLives = z.strictObject({
  ingests: z.strictObject({ registered: z.string(), failed: z.string(), canceled: z.string(), queued: z.string() }),
  studies: z.strictObject({ oneSecond: z.string(), tenSeconds: z.string(), twelveSeconds: z.string() }),
  approval: z.strictObject({
    reviewId: z.string(),
    artifactId: z.string(),
    receiptId: z.string(),
    receiptContentId: z.string(),
  }),
  captionJobId: z.string(),
});
export type KnownOfLives = z.infer<typeof knownOfLives>;

/** The folder of the lives; `scripts/prepare-lives.mjs` passes it to every test process. */
const folder = (): string => {
  const named = process.env.MEDIA_STUDY_TEST_LIVES;
  if (named === undefined) throw new Error('no lives were prepared: name the file *.host.test.ts or *.process.test.ts');
  return named;
};

/** The knowledge of a client of the lives. */
export const knownLives = (): KnownOfLives =>
  knownOfLives.parse(JSON.parse(readFileSync(join(folder(), 'known.json'), 'utf8')));

/** A copy of a lived data root for one test; it is removed when the test ends. */
export function livedRoot(t: ExecutionContext, name: LifeName): string {
  const scratch = mkdtempSync(join(tmpdir(), 'lived-'));
  t.teardown(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  const root = join(scratch, 'data');
  copyAsLeft(join(folder(), name), root);
  return root;
}
