import type { HostChecks } from '../../actors/operation/host-checks.ts';
import type { LedgerSnapshots } from '../../actors/operation/ledger-snapshots.ts';
import { version } from '../../contract/base/program-version.ts';
import { hostChecks } from '../../contract/operation/host-checks.ts';
import { type HostHealth, hostHealth } from '../../contract/operation/host-health.ts';
import { ledgerSnapshot, ledgerSnapshotRequest } from '../../contract/operation/ledger-snapshot.ts';
import type { Metric } from '../../contract/operation/metric.ts';
import { jsonHeaders } from '../exchange/answer.ts';
import { json } from '../exchange/description.ts';
import { exposition, expositionType } from '../exchange/exposition.ts';
import { type Route, read, write } from '../exchange/route.ts';

/** What the floors below HTTP measure. */
export interface Measured {
  metrics(): Promise<readonly Metric[]>;
}

const health: HostHealth = { schema: 'studio.host-health.v1', status: 'ok', version };

/** The routes for the operator of the host; `wire` gives what HTTP itself measures. */
export const operationRoutes = (
  figures: Measured,
  checks: HostChecks,
  wire: () => readonly Metric[],
  snapshots: LedgerSnapshots,
): readonly Route[] => [
  {
    path: '/v1/health',
    room: 'operation',
    access: 'anyone',
    GET: read({
      id: 'readHealth',
      summary: 'whether the host answers, and its version',
      answers: [json(200, hostHealth)],
      refusals: [],
      handle: () => ({ status: 200, body: health }),
    }),
  },
  {
    path: '/v1/host-checks',
    room: 'operation',
    GET: read({
      id: 'readHostChecks',
      summary: 'the tools, the sandbox and the room that the host has, and which engines are on',
      details:
        'Tools are as the host found them when it started; `media-study doctor` looks anew, and at the stored data as well. Of each engine the answer says how far what it works on goes, and whether it may be billed.',
      answers: [json(200, hostChecks)],
      refusals: [],
      handle: async () => ({ status: 200, body: await checks.read() }),
    }),
  },
  {
    path: '/v1/metrics',
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
  },
  {
    path: '/v1/ledger-snapshots',
    room: 'operation',
    POST: write({
      id: 'snapshotLedger',
      summary: 'copy the ledger as it is now, for a backup of the data root',
      details: 'The copy lies in the data root until the next one is asked for, or until the next start of the host.',
      request: ledgerSnapshotRequest,
      invalid: 'invalid_snapshot_request',
      answers: [json(201, ledgerSnapshot)],
      refusals: ['insufficient_storage'],
      handle: async () => ({ status: 201, body: await snapshots.take() }),
    }),
  },
];
