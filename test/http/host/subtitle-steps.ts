import type { ExecutionContext } from 'ava';
import { attachedSubtitleTrack, subtitleTracks as listedTracks } from '../../../contract/sources/source-session.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';
import { octets } from './ingest-steps.ts';

const said = {
  rightsScope: 'local_processing',
  ownershipAttested: 'true',
  rightsHolder: 'The tester',
  label: 'Lines',
} as const;
export const srt = (...cues: readonly string[]): Buffer =>
  Buffer.from(cues.map((cue, at) => `${at + 1}\n${cue}\n`).join('\n'), 'utf8');
export const hello = srt('00:00:00,100 --> 00:00:00,900\nHello');

export const tracksOf = (sessionId: string): string => `/v1/source-sessions/${sessionId}/subtitle-tracks`;

export const attach = (host: CheckedWire, sessionId: string, body: Buffer | readonly Buffer[], others: object = {}) =>
  host.ask('POST', `${tracksOf(sessionId)}?${new URLSearchParams({ ...said, ...others })}`, {
    headers: octets,
    body,
  });
export const attached = async (
  t: ExecutionContext,
  host: CheckedWire,
  sessionId: string,
  body: Buffer,
  others: object = {},
) => host.granted(t, await attach(host, sessionId, body, others), 201, attachedSubtitleTrack);
export const attachedTo = async (t: ExecutionContext, host: CheckedWire, sessionId: string) =>
  host.granted(t, await host.get(tracksOf(sessionId)), 200, listedTracks);
