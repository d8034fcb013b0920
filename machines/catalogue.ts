import { ownedIngestMachine } from './owned-ingest.ts';
import { runtimeMachine } from './runtime.ts';

/** Every machine there is: what is listed here is drawn, and its paths are tested. */
export const machines = [ownedIngestMachine, runtimeMachine] as const;
