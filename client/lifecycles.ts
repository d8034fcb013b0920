import type { ActorKind, ActorList, ActorTransitions, ReadActor } from '../contract/lifecycles/actors.ts';
import type { ChartCatalogue, ChartCoverage, ChartReleases, DrawnChart } from '../contract/lifecycles/charts.ts';
import { encodedPath, type ListOptions, queryOf, type Transport } from './transport.ts';

/** The actors in a list: all, or those of a kind, in a state of their chart. */
export interface ActorsOptions extends ListOptions {
  readonly kind?: ActorKind;
  readonly state?: string;
}

/** Reads what can happen in a host, and what has happened. */
export class Lifecycles {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Every state machine of the host, as data. */
  charts(): Promise<ChartCatalogue> {
    return this.#transport.json('/v1/charts');
  }

  /** One state machine, and where the parts of its drawing lie. */
  chart(machineId: string): Promise<DrawnChart> {
    return this.#transport.json(encodedPath`/v1/charts/${machineId}`);
  }

  /** The earlier releases that had a state machine, newest first. */
  chartReleases(machineId: string): Promise<ChartReleases> {
    return this.#transport.json(encodedPath`/v1/charts/${machineId}/releases`);
  }

  /** One state machine as an earlier release had it, with its drawing. */
  chartOfRelease(machineId: string, release: string): Promise<DrawnChart> {
    return this.#transport.json(encodedPath`/v1/charts/${machineId}/releases/${release}`);
  }

  /** Through which states and transitions of a machine its tests walk. */
  chartCoverage(machineId: string): Promise<ChartCoverage> {
    return this.#transport.json(encodedPath`/v1/charts/${machineId}/coverage`);
  }

  /** A page of everything that has a lifecycle, live and ended, newest first. */
  actors(options: ActorsOptions = {}): Promise<ActorList> {
    return this.#transport.json(`/v1/actors${queryOf({ ...options })}`);
  }

  /** One actor: its kind, its state, and the number of its new starts. */
  actor(actorId: string): Promise<ReadActor> {
    return this.#transport.json(encodedPath`/v1/actors/${actorId}`);
  }

  /** A page of the states that an actor was in, oldest first; `after` is the `seq` of the last one that is known. */
  transitions(
    actorId: string,
    options: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<ActorTransitions> {
    return this.#transport.json(`${encodedPath`/v1/actors/${actorId}/transitions`}${queryOf({ ...options })}`);
  }
}
