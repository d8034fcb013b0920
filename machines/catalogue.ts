import { ownedIngestMachine } from './owned-ingest.ts';
import { publishReviewMachine } from './publish-review.ts';
import { runtimeMachine } from './runtime.ts';

/** Every machine there is: what is listed here is drawn, and its paths are tested. */
export const machines = [ownedIngestMachine, publishReviewMachine, runtimeMachine] as const;
