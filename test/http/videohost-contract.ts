import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { ErrorCode } from '../../contract/base/error-codes.ts';
import { openVideoHost, type VideoHost } from '../../fixtures/video-host/server.ts';
import { type AdapterFlag, HostContract } from './host/contract.ts';
import { lives } from './videohost/lives.ts';
import { requests } from './videohost/requests.ts';
import { unavailable } from './videohost/unavailable.ts';

const media = fileURLToPath(new URL('../../fixtures/sample/source/media/sample.mp4', import.meta.url));

/** Codes that these suites have to provoke. */
const codes: readonly ErrorCode[] = [
  'videohost_local_ingest_unavailable',
  'invalid_ingest_request',
  'invalid_rights_attestation',
  'ingest_range_too_large',
  'unknown_ingest',
  'ingest_already_terminal',
];

/** Ranges of a video host over the wire of a real host on one adapter. The suites run in this order, on the same host. */
export function videohostContract(adapter: AdapterFlag): void {
  const flags = ['--allow-loopback-videohost'];
  const environment: Record<string, string> = {};
  const contract = new HostContract(adapter, flags, environment);
  let videos: VideoHost | undefined;
  const origin = () => videos?.origin ?? '';
  test.before(async () => {
    videos = await openVideoHost({ media, statedSeconds: 50, port: 0 });
    flags.push('--videohost-origin', videos.origin);
    await contract.open();
  });
  test.after.always(async () => {
    await contract.close();
    await videos?.close();
  });
  requests(contract, origin);
  lives(contract, origin);
  unavailable(contract, environment, origin);
  test.serial(contract.title('every code of video-host ingests was provoked'), (t) => {
    t.deepEqual(
      codes.filter((code) => !contract.provoked.has(code)),
      [],
    );
  });
}
