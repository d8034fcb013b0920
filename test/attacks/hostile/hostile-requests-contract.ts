import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { errorEnvelope } from '../../../contract/base/error-envelope.ts';
import { sourceSessionList } from '../../../contract/sources/source-session-list.ts';
import { readableDocument } from '../../../scripts/docs/openapi/read-document.ts';
import type { WireAnswer } from '../../host/wire-question.ts';
import { type AdapterFlag, HostContract, pageOrigin } from '../../http/host/contract.ts';
import { ingestRequest, openIngest } from '../../http/host/ingest-steps.ts';
import { type HostileRequest, hostileRequest, type Known } from './hostile-request.ts';

const path = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

/** What a host without that part, or without room, is described to answer. */
const honestFaults = ['videohost_local_ingest_unavailable', 'language_explanation_unavailable', 'insufficient_storage'];

// A header that the client library itself refuses to send is no attack.
const unsendable = ['ERR_INVALID_CHAR', 'ERR_HTTP_INVALID_HEADER_VALUE', 'ERR_UNESCAPED_CHARACTERS'];

/** Sends requests that no one should send, and holds each answer against the description of the wire. */
export function hostileRequests(adapter: AdapterFlag, requests: number): void {
  const contract = new HostContract(adapter);
  test.before(() => contract.open());
  test.after.always(() => contract.close());

  async function known(t: ExecutionContext): Promise<Known> {
    const { port, token } = contract.client;
    const { sourceSessions } = sourceSessionList.parse(
      JSON.parse((await contract.get('/v1/source-sessions')).body.toString()),
    );
    const ingestId = await openIngest(t, contract, ingestRequest(64));
    return {
      port,
      token,
      origin: pageOrigin,
      ids: { sourceSessionId: sourceSessions.map(({ sourceSessionId }) => sourceSessionId), ingestId: [ingestId] },
    };
  }

  async function answerTo({ method, target, headers, token, body }: HostileRequest): Promise<WireAnswer | null> {
    const question = { headers, token, ...(body === undefined ? {} : { body }) };
    try {
      return await contract.ask(method, target, question);
    } catch (error) {
      if (error instanceof Error && 'code' in error && unsendable.includes(String(error.code))) return null;
      throw error;
    }
  }

  test.serial(
    contract.title('a request of any kind gets an answer that is described, and never a fault'),
    async (t) => {
      const document = readableDocument.parse(JSON.parse(await readFile(path, 'utf8')));
      const seed = Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_122);
      const counts: Record<string, number> = {};
      // Studies that a request happens to start wait here instead of decoding.
      await contract.gate.close();
      const property = fc.asyncProperty(hostileRequest(document, await known(t)), async (request) => {
        const answer = await answerTo(request);
        const status = String(answer?.status ?? 'not sent');
        counts[status] = (counts[status] ?? 0) + 1;
        if (answer === null || answer.status < 500) return;
        const { error } = errorEnvelope.parse(JSON.parse(answer.body.toString('utf8')));
        if (!honestFaults.includes(error.code)) throw new Error(`${answer.status} ${error.code}: ${error.message}`);
      });
      await fc.assert(property, { numRuns: requests, seed, includeErrorInReport: true });
      t.log(JSON.stringify(counts));
      t.is((await contract.get('/v1/health', { token: null })).status, 200);
      t.false(contract.host.stderr.includes('internal_failure'), contract.host.stderr);
    },
  );
}
