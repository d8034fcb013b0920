import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { listingWrites } from '../../../actors/study/listed-runtimes.ts';
import type { Lifecycle, RuntimeReason } from '../../../contract/study/status.ts';
import { canonicalJson } from '../../../formats/canonical-json.ts';
import { studyMachineVersion } from '../../../machines/study.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { openLedger } from '../../../storage/ledger/open-ledger.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import type { StoredStudy } from '../../receipts/evidence/stored-study.ts';
import { acceptedAt } from '../../receipts/sources/korean-clip.ts';

/** An opened data root; `hashed` counts the files that its object store has hashed. */
export interface OpenedStore {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  hashed: number;
  close(): Promise<void>;
}

/** A folder of the test's own, removed when it ends. */
export async function newDataRoot(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'audits-test-'));
  // A host that is stopped while it stores a file ends that write afterwards.
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return join(folder, 'data');
}

/** Opens a data root as a new process would: nothing about it is known. */
export async function openStore(root: string): Promise<OpenedStore> {
  const objectStore = await openObjectStore({
    root,
    points: (name) => {
      if (name === 'object-store:hashed') store.hashed += 1;
    },
  });
  const ledger = await openLedger({
    directory: dataRootAt(root).ledger,
    clock: { now: () => Date.parse(acceptedAt) },
    encodeEvent: canonicalJson,
    onFatal: (error) => {
      throw error;
    },
  });
  const store: OpenedStore = { ledger, objectStore, hashed: 0, close: () => ledger.close() };
  return store;
}

/** Opens a data root of the test's own, and closes it with the test. */
export async function newStore(t: ExecutionContext): Promise<OpenedStore> {
  const opened = await openStore(await newDataRoot(t));
  t.teardown(() => opened.close());
  return opened;
}

/** The stage of a study, and the state in its row. */
export interface StoredStage {
  /** The first of its commits; by default all. */
  readonly commits?: number;
  readonly lifecycle?: Lifecycle;
  readonly reason?: RuntimeReason | null;
}

/** The row of the actor of a runtime. */
const actorRowOf = ({ run }: StoredStudy, lifecycle: Lifecycle, reason: RuntimeReason | null) => ({
  kind: 'runtime',
  machineId: 'runtime',
  machineVersion: studyMachineVersion,
  input: { runtimeId: run.record.runtimeId, commandId: run.record.commandId },
  status: lifecycle,
  updatedAt: Date.parse(acceptedAt),
  ticket: null,
  resumes: 0,
  totalResumes: 0,
  remainingMs: null,
  snapshot: {
    status: lifecycle === 'running' ? 'active' : 'done',
    value: lifecycle === 'running' ? { running: 'read' } : lifecycle,
    historyValue: {},
    context: { runtimeId: run.record.runtimeId, commandId: run.record.commandId, reason },
    children: {},
  },
});

/** Stores a study as its host would have done. Returns the runtime's id. */
export async function store(
  { ledger, objectStore }: OpenedStore,
  study: StoredStudy,
  { commits = study.commits.length, lifecycle = 'terminal', reason = null }: StoredStage = {},
): Promise<string> {
  const { run, source, start, files } = study;
  const { runtimeId } = run.record;
  const { sessionId, revisionId } = source.session;
  await objectStore.putAll([...files].map(([contentId, bytes]) => ({ contentId, bytes })));
  await ledger.commit([
    { put: 'source', key: revisionId, value: source },
    { put: 'session', key: sessionId, value: { sessionId, currentRevisionId: revisionId, folderRevisionId: null } },
    ...listingWrites(runtimeId, sessionId, Date.parse(acceptedAt)),
    { put: 'record', key: `study/${runtimeId}`, value: start },
    { put: 'snapshot', key: runtimeId, value: actorRowOf(study, lifecycle, reason) },
    { append: runtimeId, events: study.commits.slice(0, commits).flat() },
  ]);
  return runtimeId;
}
