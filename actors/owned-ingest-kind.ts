import { fromCallback } from 'xstate';
import type { Clock } from '../contract/clock.ts';
import type { CommitFact } from '../machines/commit-fact.ts';
import type { MediaInput, SourceRegisteredFact } from '../machines/ingest-effects.ts';
import {
  type OwnedIngestContext,
  type OwnedIngestEvent,
  ownedIngestMachine,
  ownedIngestVersion,
} from '../machines/owned-ingest.ts';
import type { Write } from '../storage/ledger.ts';
import { type ActorKind, type Change, effect } from './actor-kind.ts';
import type { ActorRow } from './actor-row.ts';
import type { OwnedIngestEffects } from './owned-ingest-effects.ts';
import { revisionKey } from './owned-ingest-row.ts';
import { ownedIngestPhase, ownedIngestState } from './owned-ingest-status.ts';
import type { SourceRegistry } from './source-registry.ts';
import type { Supervisor } from './supervisor.ts';
import type { UnusedMedia } from './unused-media.ts';
import type { WorkerLine } from './worker-line.ts';

export interface OwnedIngestKindOptions {
  readonly supervisor: Supervisor;
  readonly registry: SourceRegistry;
  readonly clock: Clock;
  readonly line: WorkerLine;
  readonly effects: OwnedIngestEffects;
  readonly unused: UnusedMedia;
  /** Called after an ingest ended, for what can be tidied then. */
  readonly ended: () => void;
}

/** Gives the chart of owned ingests its effects, and the supervisor what it needs to know of them. */
export function ownedIngestKind(options: OwnedIngestKindOptions): ActorKind {
  const { supervisor, registry, clock, line, effects, ended } = options;
  const barrier = {
    settled: (input: MediaInput) => supervisor.settled(input.ingestId),
    lifetime: (input: MediaInput) => supervisor.lifetime(input.ingestId),
  };
  return {
    name: 'owned-ingest',
    version: ownedIngestVersion,
    machine: ownedIngestMachine.provide({
      actors: {
        uploadDeadline: fromCallback<OwnedIngestEvent, { dueAt: number }>(({ input, sendBack }) => {
          const left = Math.max(0, input.dueAt - clock.now());
          const timer = clock.setTimeout(() => sendBack({ type: 'upload.expired' }), left);
          return () => clock.clearTimeout(timer);
        }),
        probe: effect(barrier, (input: MediaInput, signal) => effects.probe(input, signal)),
        seal: effect(barrier, (input: MediaInput) => effects.seal(input)),
        register: effect(barrier, (input: MediaInput) => effects.register(input)),
      },
    }),
    line,
    hasJournal: false,
    status: ownedIngestState,
    phase: ownedIngestPhase,
    writes: (change) => [
      ...change.facts.flatMap((fact) => factWrites(registry, change.id, fact as CommitFact | SourceRegisteredFact)),
      ...leftovers(options.unused, change),
    ],
    committed: (_, row: ActorRow) => {
      if (row.status === 'registered') registry.committed();
      if (row.status === 'registered' || row.status === 'failed') ended();
    },
  };
}

function factWrites(registry: SourceRegistry, ingestId: string, fact: CommitFact | SourceRegisteredFact): Write[] {
  if (fact.type === 'commit') return [...fact.writes];
  const { revisionId, writes } = registry.admitUpload(fact.source);
  return [...writes, { put: 'record', key: revisionKey(ingestId), value: { revisionId } }];
}

/** A failed ingest leaves its media behind; the note of it is part of the failure's own commit. */
function leftovers(unused: UnusedMedia, { after }: Change): Write[] {
  const { media } = after.context as OwnedIngestContext;
  return after.value === 'failed' && media !== null ? [unused.note(media.contentId, media.bytes)] : [];
}
