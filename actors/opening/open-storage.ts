import { type Ledger, LedgerError } from '../../storage/ledger/ledger.ts';
import { openLedger } from '../../storage/ledger/open-ledger.ts';
import { type DataRoot, dataRootAt } from '../../storage/objects/data-root.ts';
import type { IncomingFile, ObjectStore } from '../../storage/objects/object-store.ts';
import { openObjectStore } from '../../storage/objects/open-object-store.ts';
import { patientLedger, patientObjectStore } from '../../storage/patience.ts';
import type { HostOptions } from '../host-types.ts';
import { CommitFigures } from '../operation/host-figures.ts';
import { EncodedEvents } from '../reopening/stored-runtime.ts';
import { TransitionListeners } from '../supervision/transition-listeners.ts';

/** The data root of a host, open. */
export interface OpenStorage {
  readonly layout: DataRoot;
  /** Its `demandInPlace` ends the host where it throws: whatever writes into the data root by a path calls it first. */
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  /** The events that were committed lately. */
  readonly encoded: EncodedEvents;
  /** How long commits took. */
  readonly commits: CommitFigures;
  /** The listeners that get each committed transition. */
  readonly listeners: TransitionListeners;
}

/** Opens the objects and the ledger of a data root, both patient with a full disk. Rejects with coded errors. */
export async function openStorage({ dataRoot, clock, points, onFatal, report }: HostOptions): Promise<OpenStorage> {
  const opened = await openObjectStore({
    root: dataRoot,
    points,
    onDamage: (contentId) => report(`the damaged object ${contentId} was moved to quarantine`),
  });
  const layout = dataRootAt(dataRoot);
  const commits = new CommitFigures(() => performance.now());
  const listeners = new TransitionListeners(report);
  const encoded = new EncodedEvents();
  const ledger = await openLedger({
    directory: layout.ledger,
    clock,
    encodeEvent: encoded.encode,
    onFatal,
    points: commits.before(points),
    onStamped: listeners.stamped,
  });
  const objectStore = patientObjectStore(opened, clock);
  // A host still runs after its data root was moved. Its paths may lead into that of another host then.
  const demandInPlace = (): void => {
    try {
      ledger.demandInPlace();
    } catch (error) {
      // A host that stops refuses the writes of late requests: its data root is not at fault.
      if (!(error instanceof LedgerError && error.code === 'ledger_closed')) onFatal(error as Error);
      throw error;
    }
  };
  return {
    layout,
    commits,
    listeners,
    encoded,
    ledger: { ...patientLedger(ledger, clock), demandInPlace },
    objectStore: inPlace(objectStore, demandInPlace),
  };
}

/** An object store that looks at its place before it writes or removes anything by a path. */
function inPlace(store: ObjectStore, demandInPlace: () => void): ObjectStore {
  const placed =
    <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      demandInPlace();
      return work(...given);
    };
  const placedFile = (begin: (name: string) => IncomingFile) => (name: string) => {
    demandInPlace();
    const file = begin(name);
    return Object.assign(file, { finish: placed(file.finish.bind(file)) });
  };
  return {
    ...store,
    receive: placedFile(store.receive),
    partial: placedFile(store.partial),
    import: placed(store.import),
    put: placed(store.put),
    putAll: placed(store.putAll),
    quarantine: placed(store.quarantine),
    discard: placed(store.discard),
    removeStray: placed(store.removeStray),
    sweep: placed(store.sweep),
  };
}
