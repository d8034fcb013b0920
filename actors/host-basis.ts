import type { Clock } from '../contract/base/clock.ts';
import type { CaptionAllowance } from '../contract/captions/caption-production.ts';
import type { KeyedMutex } from '../storage/keyed-mutex.ts';
import type { Ledger } from '../storage/ledger/ledger.ts';
import type { ObjectStore } from '../storage/objects/object-store.ts';
import type { VerifiedRuntimes } from './reopening/verified-runtimes.ts';
import type { SourceRegistry } from './sources/source-registry.ts';
import type { Supervisor } from './supervision/supervisor.ts';

/** The basis of the parts of a host. Each part names the fields that it uses. */
export interface HostBasis {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  readonly registry: SourceRegistry;
  readonly supervisor: Supervisor;
  readonly runtimes: VerifiedRuntimes;
  /** Whatever changes a runtime that has ended, or deletes it, takes turns by its id. */
  readonly mutex: KeyedMutex;
  readonly clock: Clock;
  /** Takes a line for people. */
  readonly report: (line: string) => void;
}

/** The limits of a host. They may change while the host runs; work that was accepted before goes on. */
export interface HostLimits {
  readonly maximumOwnedMediaBytes: number;
  readonly maximumStudyRangeMs: number;
  /** Studies that may be accepted and not have ended, at once. */
  readonly maximumLiveStudies: number;
  readonly captionAllowance: CaptionAllowance;
  /** The same for productions with a method; by default the longest that there are. */
  readonly methodAllowance?: CaptionAllowance;
}
