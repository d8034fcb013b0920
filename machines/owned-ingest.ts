import { assign, emit, fromCallback, setup } from 'xstate';
import type { ChartMeta } from '../contract/journal.ts';
import type { RegisteredSource } from '../contract/sources/source-session.ts';
import { type EffectOutcome, emissionOf } from './emission.ts';
import {
  cancelable,
  failureOf,
  givenUpAs,
  type IngestContext,
  type IngestEmission,
  type IngestEvent,
  type IngestMedia,
  ingestTail,
  sourceRegistered,
  type TailFailureCode,
  tailEffects,
} from './ingest-tail.ts';

export const ownedIngestVersion = 1;

type OwnedIngestFailureCode = 'upload_failed' | TailFailureCode;

interface OwnedIngestInput {
  readonly ingestId: string;
  /** The time when an ingest without bytes is given up, in epoch ms. */
  readonly uploadDueAt: number;
}

export interface OwnedIngestContext extends IngestContext<OwnedIngestFailureCode> {
  readonly uploadDueAt: number;
}

export type OwnedIngestEvent =
  | IngestEvent
  | { readonly type: 'media.received'; readonly contentId: string; readonly bytes: number }
  | { readonly type: 'upload.failed'; readonly message: string }
  | { readonly type: 'upload.expired' };

/** One owned file on its way from an open upload to a registered source revision. */
export const ownedIngestMachine = setup({
  types: {
    context: {} as OwnedIngestContext,
    events: {} as OwnedIngestEvent,
    input: {} as OwnedIngestInput,
    emitted: {} as IngestEmission,
    meta: {} as ChartMeta,
  },
  actors: {
    uploadDeadline: fromCallback<OwnedIngestEvent, { dueAt: number }>(() => undefined),
    ...tailEffects,
  },
  actions: {
    commit: emit((_, outcome: EffectOutcome) => emissionOf(outcome)),
    registerSource: emit((_, source: RegisteredSource) => sourceRegistered(source)),
    fail: assign({
      failure: ({ context }, reason: { code: OwnedIngestFailureCode; message: string }) => failureOf(context, reason),
    }),
    rememberMedia: assign({ media: (_, media: IngestMedia) => media }),
  },
}).createMachine({
  id: 'owned-ingest',
  version: String(ownedIngestVersion),
  context: ({ input }) => ({ ingestId: input.ingestId, uploadDueAt: input.uploadDueAt, media: null, failure: null }),
  description: 'The ingest of one owned file, from an open upload to a registered source revision.',
  meta: {
    mainWays: [
      [
        'queued.awaitingMedia',
        'queued.awaitingWorker',
        'probing',
        'sealing.writing',
        'sealing.registering',
        'registered',
      ],
    ],
  },
  initial: 'queued',
  states: {
    queued: {
      description: 'The ingest is open.',
      initial: 'awaitingMedia',
      states: {
        awaitingMedia: {
          description: 'A client sends the bytes of the file within 24 hours.',
          invoke: {
            id: 'uploadDeadline',
            src: 'uploadDeadline',
            input: ({ context }) => ({ dueAt: context.uploadDueAt }),
          },
          on: {
            'media.received': {
              target: 'awaitingWorker',
              actions: {
                type: 'rememberMedia',
                params: ({ event }) => ({ contentId: event.contentId, bytes: event.bytes }),
              },
            },
            'upload.expired': {
              target: '#owned-ingest.failed',
              actions: {
                type: 'fail',
                params: { code: 'upload_failed', message: 'no media arrived while the upload was open' },
              },
            },
            'upload.failed': { ...givenUpAs('upload_failed'), target: '#owned-ingest.failed' },
          },
        },
        awaitingWorker: {
          description: 'The media is stored; the ingest waits until a worker is free.',
          on: { 'worker.granted': '#owned-ingest.probing' },
        },
      },
      on: { 'supervision.exhausted': givenUpAs('upload_failed') },
    },
    ...ingestTail('owned-ingest'),
  },
  on: cancelable,
});
