import test from 'ava';
import { type AdapterFlag, HostContract } from './host/contract.ts';
import { grants } from './playback/grants.ts';
import { media } from './playback/media.ts';
import { sources } from './playback/sources.ts';
import { streams } from './playback/streams.ts';

/** Private playback over the wire of a real host on one adapter. The suites run in this order, on the same host. */
export function playbackContract(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter);
  test.before(() => contract.open());
  test.after.always(() => contract.close());
  grants(contract);
  media(contract);
  streams(contract);
  sources(contract);
}
