import { z } from 'zod';
import type { HostBasis } from '../host-basis.ts';
import type { PublishReviews } from './publish-reviews.ts';

/** The row of a review, as versions up to 0.2.0 wrote it. */
const reviewRow = z.looseObject({
  kind: z.literal('publish-review'),
  input: z.looseObject({ runtimeId: z.string() }),
});

export interface CutReviewsOptions extends Pick<HostBasis, 'ledger' | 'report'> {
  readonly reviews: Pick<PublishReviews, 'finish'>;
}

/**
 * Ends every review that a host of an earlier version was cut in. Up to version 0.2.0 a review was an actor, whose start and
 * whose end were two commits; the live index names those that a crash left in between. Rows of reviews that had ended stay
 * where they are, and nothing reads them: their journal says the same.
 */
export async function finishCutReviews({ ledger, reviews, report }: CutReviewsOptions): Promise<void> {
  const live = await ledger.list('live', 'publish-review:');
  const rows = await ledger.getMany(
    'snapshot',
    live.map(({ key }) => key),
  );
  for (const [index, { key }] of live.entries()) {
    const row = reviewRow.safeParse(rows[index]);
    // Recovery leaves aside what has no row that can be read, and says so.
    if (!row.success) continue;
    try {
      await reviews.finish(row.data.input.runtimeId);
      await ledger.commit([
        { del: 'live', key },
        { del: 'snapshot', key },
      ]);
    } catch (error) {
      report(`the review ${key} was not brought to its end: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
