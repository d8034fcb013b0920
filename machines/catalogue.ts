import { captionProductionMachine } from './caption-production.ts';
import { languageExplanationMachine } from './language-explanation.ts';
import { ownedIngestMachine } from './owned-ingest.ts';
import { publishReviewMachine } from './publish-review.ts';
import { studyMachine } from './study.ts';
import { videohostIngestMachine } from './videohost-ingest.ts';

/** Every machine there is: what is listed here is drawn, and its paths are tested. */
export const machines = [
  captionProductionMachine,
  languageExplanationMachine,
  ownedIngestMachine,
  publishReviewMachine,
  studyMachine,
  videohostIngestMachine,
] as const;

/** The charts that actors run: rows hold their states, so that each of their versions needs migrations. Commands walk the chart of reviews. */
export const actorMachines = machines.filter(({ id }) => id !== publishReviewMachine.id);
