import type { AnyEventObject } from 'xstate';
import { isJournalDamage, type Ledger, type Write } from '../../storage/ledger/ledger.ts';
import { DamagedRow } from '../../storage/ledger/row-codec.ts';
import type { ActorDefinition, LastEntries } from './actor-definition.ts';
import { type ActorRow, actorRow, liveRow, snapshotValue, upgradedRow } from './actor-row.ts';
import { restatedRow, restored } from './row-state.ts';
import type { Supervisor } from './supervisor.ts';
import { byResume, recordedWrites, withTransitionCounted } from './transition-rows.ts';

/** Work that was resumed this often without a new commit runs alone from then on. */
export const resumeLimit = 2;

/** This many deaths of a host while a piece of work was the only one running end it. */
export const deathLimit = 5;

/** The reason why work ends if hosts died too often during it; the remedy for a person is after the semicolon. */
const tooManyDeaths =
  `resumes exhausted: the host died ${deathLimit} times while this was the only work running; ` +
  'look in the log of the system for why it died (often memory), then begin another attempt';

const firstDelayMs = 5_000;

/** How long work waits before it may run alone: twice as long after each death that it was alone with. */
export const aloneDelayMs = (deaths: number): number => firstDelayMs * 2 ** deaths;

/**
 * The row of work that was running when its host died; `wasAlone` means that nothing else was. One death is not evidence, because
 * anything may end a process. Work that was resumed in vain `resumeLimit` times runs alone from then on, and only deaths with
 * nothing else at work count against it. A transition resets all counts, and so does any part that the work keeps for a next host
 * (`RowNotes.moved`). So crashes of the host never end work that makes progress.
 */
function survived(row: ActorRow, wasAlone: boolean): ActorRow {
  const resumes = row.resumes + 1;
  if (row.alone !== undefined) {
    return { ...row, resumes, alone: { deaths: row.alone.deaths + (wasAlone ? 1 : 0), isRunning: false } };
  }
  return resumes <= resumeLimit ? { ...row, resumes } : { ...row, resumes, alone: { deaths: 0, isRunning: false } };
}

export interface RecoveryReport {
  readonly resumed: number;
  /** Waits for a worker, for an event, or for a turn alone. */
  readonly waiting: number;
  readonly ended: readonly string[];
  readonly damaged: readonly string[];
  /** Of a kind that this host does not run, such as that of a feature which is gone. They stay as they are, for a host that does. */
  readonly unserved: readonly string[];
}

/** In the ledger while a host is at work: a host that finds it learns that the last one did not stop on request. */
const atWork = { space: 'record', key: 'host/at-work' } as const;

/** Notes that the host stops on request: the next host resumes what was at work, and nothing is held against it. */
export const endedInPeace = (ledger: Ledger): Promise<void> => ledger.commit([{ del: atWork.space, key: atWork.key }]);

interface StoredActor {
  readonly id: string;
  readonly definition: ActorDefinition;
  readonly row: ActorRow;
}

/**
 * Resumes every live actor from the state in its row. Only the live index is read, so the start costs nothing for what ended long
 * ago. One bad row or journal ends or sets aside its own actor and never stops the others. No work begins before everything is
 * judged.
 */
export async function recover(supervisor: Supervisor, ledger: Ledger): Promise<RecoveryReport> {
  const live = await ledger.list('live');
  const rows = await ledger.getMany(
    'snapshot',
    live.map((entry) => entry.key),
  );
  const ended: string[] = [];
  const damaged: string[] = [];
  const unserved: string[] = [];
  const stored: StoredActor[] = [];
  for (const [index, { key: id, value }] of live.entries()) {
    const row = parsedRow(value, rows[index]);
    const definition = row === null ? undefined : supervisor.definition(row.kind);
    if (row === null) damaged.push(id);
    else if (definition === undefined) unserved.push(id);
    else stored.push({ id, definition, row: upgradedRow(definition, row) });
  }
  const resumable: StoredActor[] = [];
  for (const actor of await afterTheLastHost(ledger, stored)) {
    const outcome = await judged(supervisor, ledger, actor);
    if (outcome === 'resumes') resumable.push(actor);
    else if (outcome === 'damaged') damaged.push(actor.id);
    else ended.push(`${actor.id}: ${outcome.ended}`);
  }
  const now = supervisor.clock.now();
  const working = resumable
    .filter(({ definition, row }) => isWorking(definition, row))
    .map((actor) => begunAgain(actor, now));
  const waiting = resumable.filter(({ definition, row }) => !isWorking(definition, row));
  const begun = working.flatMap(({ id, row }): Write[] => [
    { put: 'snapshot', key: id, value: row },
    ...(row.alone === undefined ? recordedWrites(id, row, byResume) : []),
  ]);
  await ledger.commit([...begun, { put: atWork.space, key: atWork.key, value: {} }]);
  const alone = working.filter(({ row }) => row.alone !== undefined);
  for (const { id, definition, row } of alone)
    supervisor.resumeAlone(definition, id, row, aloneDelayMs(row.alone?.deaths ?? 0));
  const resumed = working.filter(({ row }) => row.alone === undefined);
  for (const { id, definition, row } of [...waiting, ...resumed]) supervisor.resume(definition, id, row);
  return { resumed: resumed.length, waiting: waiting.length + alone.length, ended, damaged, unserved };
}

const isWorking = (definition: ActorDefinition, row: ActorRow): boolean =>
  definition.phase(snapshotValue(row)) === 'working';

/** An actor whose work begins again now, or has to wait for its turn alone. */
const begunAgain = ({ row, ...actor }: StoredActor, now: number): StoredActor =>
  row.alone === undefined
    ? { ...actor, row: withTransitionCounted(row, { ...row, totalResumes: row.totalResumes + 1 }, byResume, now) }
    : { ...actor, row: { ...row, alone: { ...row.alone, isRunning: false } } };

/** Work that ran when the last host died is marked with that, at once on disk, so that it is counted once. */
async function afterTheLastHost(ledger: Ledger, stored: readonly StoredActor[]): Promise<readonly StoredActor[]> {
  const [mark] = await ledger.getMany(atWork.space, [atWork.key]);
  if (mark === undefined) return stored;
  const running = stored.filter(({ definition, row }) => isWorking(definition, row) && row.alone?.isRunning !== false);
  const marked = new Map(running.map(({ id, row }) => [id, survived(row, running.length === 1)]));
  const marks = [...marked].map(([key, value]): Write => ({ put: 'snapshot', key, value }));
  await ledger.commit([...marks, { del: atWork.space, key: atWork.key }]);
  return stored.map((actor) => ({ ...actor, row: marked.get(actor.id) ?? actor.row }));
}

type Outcome = 'resumes' | 'damaged' | { readonly ended: string };

async function judged(supervisor: Supervisor, ledger: Ledger, { id, definition, row }: StoredActor): Promise<Outcome> {
  const end = async (from: ActorRow, event: AnyEventObject, why: string, entries?: LastEntries): Promise<Outcome> => {
    await supervisor.endStored(definition, id, from, event, entries);
    return { ended: why };
  };
  const complaint = definition.hasJournal ? await journalComplaint(ledger, id) : null;
  if (complaint !== null) return end(row, { type: 'content.damaged', message: complaint }, complaint, 'rows');
  if (ledger.get('unproven', id) !== undefined) {
    const message = 'the ledger lost commits that may have been of this work';
    return end(row, { type: 'supervision.exhausted', message }, message, 'rows');
  }
  await definition.recall?.(id);
  const obstacle = obstacleOf(definition, row);
  if (obstacle !== null) {
    const restated = restored(definition, row) === null ? await restatedRow(definition, row).catch(() => null) : row;
    // An actor that its record does not place stays as it is: a write now might contradict the record.
    if (restated === null) return 'damaged';
    return end(restated, { type: 'supervision.exhausted', message: obstacle }, obstacle);
  }
  const cut = definition.cutShort?.(snapshotValue(row)) ?? null;
  return cut === null ? 'resumes' : end(row, cut, 'what was under way is not taken up again');
}

/** Why an actor cannot resume from its row; null when it can. */
function obstacleOf(definition: ActorDefinition, row: ActorRow): string | null {
  const { machineId, machineVersion } = row;
  if (machineVersion > definition.version) {
    return `version ${machineVersion} of ${machineId} is newer than this program, which has ${definition.version}`;
  }
  if (machineVersion < definition.version) {
    return `version ${row.machineVersion} of ${row.machineId} can no longer be resumed`;
  }
  if (restored(definition, row) === null) return `${row.machineId} cannot be resumed from its stored state`;
  return (row.alone?.deaths ?? 0) >= deathLimit ? tooManyDeaths : null;
}

function parsedRow(live: unknown, stored: unknown): ActorRow | null {
  if (live instanceof DamagedRow || stored instanceof DamagedRow) return null;
  if (!liveRow.safeParse(live).success) return null;
  const row = actorRow.safeParse(stored);
  return row.success ? row.data : null;
}

async function journalComplaint(ledger: Ledger, id: string): Promise<string | null> {
  try {
    await ledger.verifyJournal(id);
    return null;
  } catch (error) {
    if (isJournalDamage(error)) return `the journal does not verify: ${error.message}`;
    throw error;
  }
}
