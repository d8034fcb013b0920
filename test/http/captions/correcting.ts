import type { ExecutionContext } from 'ava';
import {
  type AskedChange,
  type CaptionCorrections,
  captionCorrections,
  correctionAttestation,
} from '../../../contract/captions/correction.ts';
import type { TestHost } from '../../host/test-host.ts';
import type { WireAnswer } from '../../host/wire-question.ts';
import { pathOf } from './steps.ts';

/** The reviewer of test hosts, who attests each correction. */
export const reviewer = { id: 'reviewer:local-operator', attestation: correctionAttestation };

/** The lines of captions with their corrections. */
export async function correctionsOf(
  t: ExecutionContext,
  host: TestHost,
  runtimeId: string,
): Promise<CaptionCorrections> {
  return host.granted(t, await host.get(pathOf(runtimeId, 'caption-corrections')), 200, captionCorrections);
}

let requests = 0;

/** A request for a correction of the lines as they are. */
export async function asked(t: ExecutionContext, host: TestHost, runtimeId: string, others: object) {
  const { head } = await correctionsOf(t, host, runtimeId);
  requests += 1;
  return { clientRequestId: `request-${requests}`, head, reviewer, note: null, ...others };
}

export const send = (host: TestHost, runtimeId: string, body: object): Promise<WireAnswer> =>
  host.post(pathOf(runtimeId, 'caption-corrections'), body);

/** Writes a correction, which the host has to grant. */
export async function corrected(
  t: ExecutionContext,
  host: TestHost,
  runtimeId: string,
  others: { readonly changes: readonly AskedChange[] } | { readonly reverts: string },
): Promise<CaptionCorrections> {
  const answer = await send(host, runtimeId, await asked(t, host, runtimeId, others));
  return host.granted(t, answer, 201, captionCorrections);
}

/** The id of the newest correction. */
export const newest = ({ corrections }: CaptionCorrections): string => corrections.at(-1)?.correctionId ?? '';
