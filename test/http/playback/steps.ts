import { readdir, readlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import {
  type PlaybackGrant,
  type PlaybackGrantRequest,
  playbackGrant,
} from '../../../contract/playback/private-playback.ts';
import type { SourceSessionRow } from '../../../contract/sources/source-session-list.ts';
import { type HostContract, pageOrigin } from '../host/contract.ts';
import { ingest } from '../host/ingest-steps.ts';
import { startStudy, studyRequest } from '../host/study-steps.ts';
import type { WireAnswer } from '../../host/wire-question.ts';

/** The fields that every answer to a page has beside the common ones. */
export const pageFields = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];

export const otherOrigin = 'http://localhost:4321';

/** A runtime and the request that grants its source to a page. */
export interface Granted {
  readonly runtimeId: string;
  readonly request: PlaybackGrantRequest;
}

export const grantsOf = (runtimeId: string): string => `/v1/runtimes/${runtimeId}/private-playback-grants`;

/** Starts a study over a source; its receipt is all that a grant needs. */
export async function studied(t: ExecutionContext, contract: HostContract, source: SourceSessionRow): Promise<Granted> {
  const { runtimeId, runStartReceipt } = await startStudy(t, contract, studyRequest(source, { range: firstBlink }));
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

const firstBlink = { startMs: 0, endMs: 200 };

/** Registers media and starts a study over it. */
export async function uploaded(
  t: ExecutionContext,
  contract: HostContract,
  media: Buffer,
  filename: string,
): Promise<Granted> {
  const { source, failure } = await ingest(t, contract, media, { filename, label: filename });
  if (source === null) throw new Error(`the ingest failed: ${failure?.message}`);
  return studied(t, contract, source);
}

/** Asks for a grant as a page of an origin does. */
export const askGrant = (
  contract: HostContract,
  { runtimeId, request }: Granted,
  origin = pageOrigin,
): Promise<WireAnswer> => contract.ask('POST', grantsOf(runtimeId), { json: request, headers: { Origin: origin } });

export async function grantOf(
  t: ExecutionContext,
  contract: HostContract,
  granted: Granted,
  origin = pageOrigin,
): Promise<PlaybackGrant> {
  return contract.granted(t, await askGrant(contract, granted, origin), 201, playbackGrant, pageFields);
}

export const askRevocation = (contract: HostContract, runtimeId: string, grantId: string): Promise<WireAnswer> =>
  contract.ask('POST', `${grantsOf(runtimeId)}/${grantId}/revocations`, {
    json: { schema: 'studio.private-playback-grant-revocation.v1' },
    headers: { Origin: pageOrigin },
  });

/** Asks for media as a media element of a page does: without the host's token. */
export const askMedia = (
  contract: HostContract,
  mediaPath: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<WireAnswer> => contract.ask(method, mediaPath, { token: null, headers: { Origin: pageOrigin, ...headers } });

/** Where an object of the object store lies. */
export function objectPath(contract: HostContract, contentId: string): string {
  const hex = contentId.slice('sha256:'.length);
  return join(contract.dataRoot, 'objects', 'sha256', hex.slice(0, 2), hex);
}

let rewrites = 0;

/** Writes a file anew, with a time of its own: changes within one tick of the clock could not be told apart. */
export async function rewrite(path: string, bytes: Uint8Array): Promise<void> {
  rewrites += 1;
  await writeFile(path, bytes);
  await utimes(path, rewrites, rewrites);
}

/** How many descriptors of the host are of a file. */
export async function descriptorsOf(contract: HostContract, path: string): Promise<number> {
  const folder = `/proc/${JSON.parse(contract.host.stdout).pid}/fd`;
  const names = await readdir(folder);
  const targets = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => '')));
  return targets.filter((target) => target === path).length;
}
