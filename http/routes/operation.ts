import { createHmac } from 'node:crypto';
import type { HostChecks } from '../../actors/operation/host-checks.ts';
import type { LedgerSnapshots } from '../../actors/operation/ledger-snapshots.ts';
import type { Pairings } from '../../actors/operation/pairings.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { version } from '../../contract/base/program-version.ts';
import {
  type HostHealth,
  type HostProof,
  hostChecks,
  hostHealth,
  hostProof,
  issuedPairingCode,
  ledgerSnapshot,
  ledgerSnapshotRequest,
  type Metric,
  type MetricSample,
  openApiDocument,
  pageToken,
  pageTokenRequest,
  pairing,
  pairingCodeRequest,
  pairingRequest,
  proofNonce,
} from '../../contract/operation.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { type HostFacts, proofMessage } from '../../formats/proof-message.ts';
import {
  conditionFields,
  entityTag,
  isKnownToClient,
  jsonHeaders,
  notModified,
  taggedFields,
} from '../exchange/answer.ts';
import { json, notModifiedAnswer } from '../exchange/description.ts';
import { type Route, read, route, write } from '../exchange/route.ts';

/** The source of the metrics that the floors below HTTP measure. */
interface MetricsSource {
  metrics(): Promise<readonly Metric[]>;
}

const health: HostHealth = { schema: 'studio.host-health.v1', status: 'ok', version };

/** Proves to a client that this host knows its token. Takes the nonce of the client, 64 hex digits. */
export type Prove = (nonce: string) => HostProof;

/** The proofs of a host. `token` is the one of its clients, `address` and `port` are those on which it really listens. */
export const hostProofs =
  (facts: HostFacts, token: string, { address, port }: { readonly address: string; readonly port: number }): Prove =>
  (nonce) => ({
    schema: 'studio.host-proof.v1',
    ...facts,
    proof: createHmac('sha256', token).update(proofMessage({ nonce, address, port }, facts)).digest('hex'),
  });

/** The route by which a client learns, before it sends its token, that the host knows it. */
export const proofRoutes = (prove: Prove): readonly Route[] => [
  route('/v1/host-proof', {
    room: 'operation',
    access: 'anyone',
    GET: read({
      id: 'proveHost',
      summary: 'the proof that the host knows its token, for a client that has not sent it yet',
      details:
        'Send 32 random bytes as `nonce`. The answer names the data root and the process of the host, and holds an HMAC-SHA-256 with the token as key. It covers the JSON list of eight texts without white space: `studio.host-proof.v1`, the nonce, the numeric address and the port on which the host listens, `device`, `inode`, `pid` and `startedAt` (empty for null). A client computes the same for the address and port that it called. It sends its token only if both are equal, so no program can pass on the proof of another host.',
      query: { nonce: proofNonce.describe('32 random bytes in lower-case hex, new for each question') },
      answers: [json(200, hostProof)],
      refusals: ['invalid_nonce'],
      handle: ({ query }) => {
        const nonce = proofNonce.safeParse(query.get('nonce'));
        if (!nonce.success) throw new ServiceError('invalid_nonce', 'nonce must be 64 lower-case hex digits');
        return { status: 200, body: prove(nonce.data) };
      },
    }),
  }),
];

/** The routes for the operator of the host; `wire` gives what HTTP itself measures. */
export const operationRoutes = (
  figures: MetricsSource,
  checks: HostChecks,
  wire: () => readonly Metric[],
  snapshots: LedgerSnapshots,
): readonly Route[] => [
  route('/v1/health', {
    room: 'operation',
    access: 'anyone',
    GET: read({
      id: 'readHealth',
      summary: 'whether the host answers, and its version',
      answers: [json(200, hostHealth)],
      refusals: [],
      handle: () => ({ status: 200, body: health }),
    }),
  }),
  route('/v1/host-checks', {
    room: 'operation',
    GET: read({
      id: 'readHostChecks',
      summary: 'the tools, the sandbox and the room that the host has, and which engines are on',
      details:
        'Tools are as the host found them when it started. `media-study doctor` looks again, and at the stored data as well. For each engine the answer shows how far its data goes, and whether it may be billed.',
      answers: [json(200, hostChecks)],
      refusals: [],
      handle: async () => ({ status: 200, body: await checks.read() }),
    }),
  }),
  route('/v1/metrics', {
    room: 'operation',
    GET: read({
      id: 'readMetrics',
      summary: 'what the host measures, in the Prometheus text format',
      answers: [{ status: 200, types: [expositionType] }],
      refusals: [],
      handle: async () => ({
        status: 200,
        body: Buffer.from(exposition([...wire(), ...(await figures.metrics())]), 'utf8'),
        headers: { ...jsonHeaders, 'Content-Type': expositionType },
      }),
    }),
  }),
  route('/v1/ledger-snapshots', {
    room: 'operation',
    POST: write({
      id: 'snapshotLedger',
      summary: 'copy the ledger as it is now, for a backup of the data root',
      details:
        'The copy stays in the data root until the next copy, deletion, garbage collection or start of the host.',
      request: ledgerSnapshotRequest,
      invalid: 'invalid_snapshot_request',
      answers: [json(201, ledgerSnapshot)],
      refusals: ['insufficient_storage'],
      handle: async () => ({ status: 201, body: await snapshots.take() }),
    }),
  }),
];

/** The media type of the Prometheus text format. */
const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics in the Prometheus text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export const exposition = (metrics: readonly Metric[]): string => metrics.map(textOf).join('');

function textOf({ name, type, help, samples }: Metric): string {
  const lines = samples.map((sample) => `${name}${sample.suffix ?? ''}${labelsOf(sample)} ${numberOf(sample.value)}\n`);
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelsOf({ labels = {} }: MetricSample): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** The routes by which a page without a token gets one. */
export const pairingRoutes = (pairings: Pairings): readonly Route[] => [
  route('/v1/pairing-codes', {
    room: 'operation',
    POST: write({
      id: 'openPairing',
      summary: 'a code with which one page gets a token of its own',
      details: 'It can be used once within five minutes, and ends with the next code or after five wrong ones.',
      request: pairingCodeRequest,
      invalid: 'invalid_pairing_request',
      answers: [json(201, issuedPairingCode)],
      refusals: [],
      handle: () => ({ status: 201, body: pairings.issue() }),
    }),
  }),
  route('/v1/page-tokens', {
    room: 'operation',
    access: 'token-and-origin',
    POST: write({
      id: 'grantPageToken',
      summary: 'a token of its own for a page that has one',
      details:
        'It has the rights of the host’s token and ends with the process of the host. A page can keep it over a reload. A host keeps 64 such tokens; another one ends the first.',
      request: pageTokenRequest,
      invalid: 'invalid_pairing_request',
      answers: [json(201, pageToken)],
      refusals: [],
      handle: () => ({ status: 201, body: pairings.grant() }),
    }),
  }),
  route('/v1/pairings', {
    room: 'operation',
    access: 'origin',
    POST: write({
      id: 'pairPage',
      summary: 'exchange a pairing code for a token',
      details: 'The token is of the page alone and ends with the host.',
      request: pairingRequest,
      invalid: 'invalid_pairing_request',
      answers: [json(201, pairing)],
      refusals: ['pairing_refused'],
      handle: ({ body }) => ({ status: 201, body: pairings.exchange(body.code) }),
    }),
  }),
];

/** The bytes of the description of the wire. */
export type ReadDocument = () => Promise<Uint8Array>;

/** The route of the description of all routes. It is read on request: a start neither makes nor loads it. */
export const descriptionRoutes = (readDocument: ReadDocument): readonly Route[] => [
  route('/v1/openapi.json', {
    room: 'description',
    GET: read({
      id: 'readDescription',
      summary: 'this description, in OpenAPI 3.1',
      headers: conditionFields,
      answers: [json(200, openApiDocument, ['ETag', 'Access-Control-Expose-Headers']), notModifiedAnswer],
      refusals: [],
      handle: async ({ client }) => {
        const body = await readDocument();
        const tag = entityTag(contentIdOfBytes(body));
        if (isKnownToClient(client.head, tag)) return notModified(tag);
        return { status: 200, headers: { ...jsonHeaders, ...taggedFields(tag) }, body };
      },
    }),
  }),
];
