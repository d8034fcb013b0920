import { readFile, utimes, writeFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import type { ExecutionContext } from 'ava';
import { type PlaybackGrant, type PlaybackGrantRequest, playbackGrant } from '../../../contract/playback.ts';
import type { SourceSessionRow } from '../../../contract/sources/source-session.ts';
import type { RuntimeStatus } from '../../../contract/study/status.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';
import { TestHost, type TestHostOptions } from '../../host/test-host.ts';
import type { WireAnswer } from '../../host/wire-question.ts';
import { pageOrigin } from '../host/contract.ts';
import { ingest, statusOf } from '../host/ingest-steps.ts';
import { runtimeOf, startStudy, studyRequest } from '../host/study-steps.ts';

/** The fields that every answer to a page has beside the common ones. */
export const pageFields = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];

/** Another origin that a host allows by default. */
export const otherOrigin = 'http://localhost:4321';

/** A runtime and the request that grants its source to a page. */
export interface Granted {
  readonly runtimeId: string;
  readonly request: PlaybackGrantRequest;
}

export const grantsOf = (runtimeId: string): string => `/v1/runtimes/${runtimeId}/private-playback-grants`;

/** The receipt of its start is all that a grant of its source needs of a study. */
function grantable({ runtimeId, runStartReceipt }: RuntimeStatus): Granted {
  if (runStartReceipt === null) throw new Error('the study has no receipt');
  const { sourceSession, sourceArtifactId } = runStartReceipt.record;
  return {
    runtimeId,
    request: {
      schema: 'studio.private-playback-grant-request.v1',
      source: {
        revisionId: sourceSession.revisionId,
        artifactId: sourceArtifactId,
        contentId: sourceSession.source.contentId,
      },
    },
  };
}

/** A host that has studied the sample. */
export async function openPlaying(
  t: ExecutionContext,
  options: TestHostOptions = {},
): Promise<{ host: TestHost; sample: Granted }> {
  const host = await TestHost.open(t, { life: 'studied', ...options });
  return { host, sample: grantable(await runtimeOf(t, host, host.known.studies.oneSecond)) };
}

/** A host whose sample was granted to a page. */
export async function openGranted(t: ExecutionContext) {
  const { host, sample } = await openPlaying(t);
  return { host, sample, file: await readFile(sampleMedia), grant: await grantOf(t, host, sample) };
}

/** Starts a study over the recording that was registered in its life. */
export async function heldHum(t: ExecutionContext, host: TestHost): Promise<Granted> {
  const { source } = await statusOf(t, host, host.known.ingests.registered);
  if (source === null) throw new Error('the recording is not registered');
  return studied(t, host, source);
}

const studied = async (t: ExecutionContext, host: CheckedWire, source: SourceSessionRow): Promise<Granted> =>
  grantable(await startStudy(t, host, studyRequest(source, { range: { startMs: 0, endMs: 200 } })));

/** Registers media and starts a study over it. The host needs its media tools. */
export async function uploaded(
  t: ExecutionContext,
  host: CheckedWire,
  media: Buffer,
  filename = 'hum.wav',
): Promise<Granted> {
  const { source, failure } = await ingest(t, host, media, { filename, label: filename });
  if (source === null) throw new Error(`the ingest failed: ${failure?.message}`);
  return studied(t, host, source);
}

/** Asks for a grant as a page of an origin does. */
export const askGrant = (
  host: CheckedWire,
  { runtimeId, request }: Granted,
  origin = pageOrigin,
): Promise<WireAnswer> => host.ask('POST', grantsOf(runtimeId), { json: request, headers: { Origin: origin } });

export async function grantOf(
  t: ExecutionContext,
  host: CheckedWire,
  granted: Granted,
  origin = pageOrigin,
): Promise<PlaybackGrant> {
  return host.granted(t, await askGrant(host, granted, origin), 201, playbackGrant, pageFields);
}

export const askRevocation = (host: CheckedWire, runtimeId: string, grantId: string): Promise<WireAnswer> =>
  host.ask('POST', `${grantsOf(runtimeId)}/${grantId}/revocations`, {
    json: { schema: 'studio.private-playback-grant-revocation.v1' },
    headers: { Origin: pageOrigin },
  });

/** Asks for media as a media element of a page does: without the host's token. */
export const askMedia = (
  host: CheckedWire,
  mediaPath: string,
  headers: OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<WireAnswer> => host.ask(method, mediaPath, { token: null, headers: { Origin: pageOrigin, ...headers } });

let rewrites = 0;

/** Rewrites a file, with a time of its own: changes within one tick of the clock would be invisible. */
export async function rewrite(path: string, bytes: Uint8Array): Promise<void> {
  rewrites += 1;
  await writeFile(path, bytes);
  await utimes(path, rewrites, rewrites);
}
