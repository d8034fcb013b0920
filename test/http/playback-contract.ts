import test from 'ava';
import { type ErrorCode, errorCodes } from '../../contract/base/error-codes.ts';
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
  test.serial(contract.title('every code of private playback was provoked'), (t) => {
    const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => code.includes('private_playback'));
    t.is(codes.length, 10);
    t.deepEqual(
      codes.filter((code) => !contract.provoked.has(code)),
      [],
    );
  });
}
