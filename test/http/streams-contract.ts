import test from 'ava';
import { type AdapterFlag, HostContract } from './host/contract.ts';
import { hostStreams } from './streams/host-streams.ts';
import { journalStreams, streamsThroughRestarts } from './streams/journals.ts';
import { transitionStreams } from './streams/transitions.ts';

/** The contract of event streams, held by a real host on one adapter. The suites run in this order, on the same host. */
export function streamsContract(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter);
  test.before(() => contract.open());
  test.after.always(() => contract.close());
  journalStreams(contract);
  hostStreams(contract);
  transitionStreams(contract);
  streamsThroughRestarts(contract);
}
