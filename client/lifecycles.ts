import type { Charts, DrawnChart } from '../contract/lifecycles/charts.ts';
import { pathOf, type Transport } from './transport.ts';

/** Reads what can happen in a host. */
export class Lifecycles {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Every state machine of the host, as data. */
  charts(): Promise<Charts> {
    return this.#transport.json('/v1/charts');
  }

  /** One state machine, and where the parts of its drawing lie. */
  chart(machineId: string): Promise<DrawnChart> {
    return this.#transport.json(pathOf`/v1/charts/${machineId}`);
  }
}
