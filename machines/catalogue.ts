import type { ContextFrom, EmittedFrom, EventObject, InputFrom } from 'xstate';
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

/** The machine of each kind of actor, by the name that the rows of the kind have. */
export interface ActorMachines {
  readonly 'caption-production': typeof captionProductionMachine;
  readonly 'language-explanation': typeof languageExplanationMachine;
  readonly 'owned-ingest': typeof ownedIngestMachine;
  readonly runtime: typeof studyMachine;
  readonly 'videohost-ingest': typeof videohostIngestMachine;
}

/** The input, context and emissions of the chart of a kind of actor; unknown for a kind that is not listed. */
export interface ChartOf<Kind extends string> {
  readonly input: Kind extends keyof ActorMachines ? InputFrom<ActorMachines[Kind]> : unknown;
  readonly context: Kind extends keyof ActorMachines ? ContextFrom<ActorMachines[Kind]> : unknown;
  readonly emission: Kind extends keyof ActorMachines ? EmittedFrom<ActorMachines[Kind]> : EventObject;
}

/** The charts that actors run: rows hold their states, so that each of their versions needs migrations. Commands walk the chart of reviews. */
export const actorMachines = machines.filter(({ id }) => id !== publishReviewMachine.id);
