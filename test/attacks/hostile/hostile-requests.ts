import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import fc from 'fast-check';
import { errorEnvelope } from '../../../contract/base/errors.ts';
import { sourceSessionList } from '../../../contract/sources/source-session.ts';
import { readableDocument } from '../../../scripts/docs/openapi/read-document.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';
import type { WireAnswer } from '../../host/wire-question.ts';
import { type AdapterFlag, HostContract, pageOrigin } from '../../http/host/contract.ts';
import { ingestRequest, openIngest } from '../../http/host/ingest-steps.ts';
import { type HostileRequest, hostileRequest, type Known } from './hostile-request.ts';

const path = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

/** The documented answers of a host without that part, or without room. */
const honestFaults = ['videohost_local_ingest_unavailable', 'language_explanation_unavailable', 'insufficient_storage'];

// A header that the client library itself refuses to send does not count as an attack.
const unsendable = ['ERR_INVALID_CHAR', 'ERR_HTTP_INVALID_HEADER_VALUE', 'ERR_UNESCAPED_CHARACTERS'];

/** A host that is attacked. */
export interface Attacked {
  readonly wire: CheckedWire;
  readonly port: number;
  readonly token: string;
  /** The text for people. */
  readonly reports: () => string;
}

async function knownOf(t: ExecutionContext, { wire, port, token }: Attacked): Promise<Known> {
  const { sourceSessions } = sourceSessionList.parse(
    JSON.parse((await wire.get('/v1/source-sessions')).body.toString()),
  );
  const ingestId = await openIngest(t, wire, ingestRequest(64));
  return {
    port,
    token,
    origin: pageOrigin,
    ids: { sourceSessionId: sourceSessions.map(({ sourceSessionId }) => sourceSessionId), ingestId: [ingestId] },
  };
}

async function answerTo(
  wire: CheckedWire,
  { method, target, headers, token, body }: HostileRequest,
): Promise<WireAnswer | null> {
  try {
    return await wire.ask(method, target, { headers, token, ...(body === undefined ? {} : { body }) });
  } catch (error) {
    if (error instanceof Error && 'code' in error && unsendable.includes(String(error.code))) return null;
    throw error;
  }
}

/**
 * Sends requests that no one should send, and holds each answer against the description of the wire. Studies that one of them happens
 * to start are to wait, instead of decoding.
 */
export async function sendHostileRequests(t: ExecutionContext, attacked: Attacked, requests: number): Promise<void> {
  const document = readableDocument.parse(JSON.parse(await readFile(path, 'utf8')));
  const seed = Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_122);
  const counts: Record<string, number> = {};
  const property = fc.asyncProperty(hostileRequest(document, await knownOf(t, attacked)), async (request) => {
    const answer = await answerTo(attacked.wire, request);
    const status = String(answer?.status ?? 'not sent');
    counts[status] = (counts[status] ?? 0) + 1;
    if (answer === null || answer.status < 500) return;
    const { error } = errorEnvelope.parse(JSON.parse(answer.body.toString('utf8')));
    if (!honestFaults.includes(error.code)) throw new Error(`${answer.status} ${error.code}: ${error.message}`);
  });
  await fc.assert(property, { numRuns: requests, seed, includeErrorInReport: true });
  t.log(JSON.stringify(counts));
  t.is((await attacked.wire.get('/v1/health', { token: null })).status, 200);
  t.false(attacked.reports().includes('internal_failure'), attacked.reports());
}

/** The same with a real host behind a socket. */
export async function attackAdapter(t: ExecutionContext, adapter: AdapterFlag, requests: number): Promise<void> {
  const contract = new HostContract(adapter);
  await contract.open();
  t.teardown(() => contract.close());
  await contract.gate.close();
  const { port, token } = contract.client;
  await sendHostileRequests(t, { wire: contract, port, token, reports: () => contract.host.stderr }, requests);
}
