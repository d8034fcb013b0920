import { ownedIngestMachine } from './owned-ingest.ts';
import { publishReviewMachine } from './publish-review.ts';
import { runtimeMachine } from './runtime.ts';
import { videohostIngestMachine } from './videohost-ingest.ts';

/** Every machine there is: what is listed here is drawn, and its paths are tested. */
export const machines = [ownedIngestMachine, publishReviewMachine, runtimeMachine, videohostIngestMachine] as const;
