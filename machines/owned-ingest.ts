import { assign, emit, fromCallback, fromPromise, setup } from 'xstate';
import { type Failure, failureMessage } from '../contract/base/failure.ts';
import type { ChartMeta } from '../contract/journal/chart-meta.ts';
import type { RegisteredSource } from '../contract/sources/source-session.ts';
import { type CommitEmission, commitOf, type EffectOutcome } from './commit-emission.ts';
import { messageOf, notProvided } from './effect.ts';
import { type IngestMedia, type MediaInput, mediaInput, type SourceRegisteredEmission } from './ingest-effects.ts';

export const ownedIngestVersion = 1;

export type OwnedIngestFailureCode =
  | 'upload_failed'
  | 'probe_failed'
  | 'seal_failed'
  | 'registration_failed'
  | 'canceled';

export interface OwnedIngestInput {
  readonly ingestId: string;
  /** When an ingest that got no bytes is given up, in epoch ms. */
  readonly uploadDueAt: number;
}

export interface OwnedIngestContext {
  readonly ingestId: string;
  readonly uploadDueAt: number;
  readonly media: IngestMedia | null;
  readonly failure: (Failure & { readonly code: OwnedIngestFailureCode }) | null;
}

export type OwnedIngestEvent =
  | { readonly type: 'media.received'; readonly contentId: string; readonly bytes: number }
  | { readonly type: 'upload.failed'; readonly message: string }
  | { readonly type: 'upload.expired' }
  | { readonly type: 'worker.granted' }
  | { readonly type: 'ingest.cancel' }
  | { readonly type: 'supervision.exhausted'; readonly message: string };

/** One owned file on its way from an open upload to a registered source revision. */
export const ownedIngestMachine = setup({
  types: {
    context: {} as OwnedIngestContext,
    events: {} as OwnedIngestEvent,
    input: {} as OwnedIngestInput,
    emitted: {} as SourceRegisteredEmission | CommitEmission,
    meta: {} as ChartMeta,
  },
  actors: {
    uploadDeadline: fromCallback<OwnedIngestEvent, { dueAt: number }>(() => undefined),
    probe: fromPromise<EffectOutcome, MediaInput>(notProvided('probe')),
    seal: fromPromise<EffectOutcome, MediaInput>(notProvided('seal')),
    register: fromPromise<RegisteredSource, MediaInput>(notProvided('register')),
  },
  actions: {
    commit: emit((_, params: EffectOutcome) => commitOf(params)),
    registerSource: emit((_, params: { source: RegisteredSource }) => ({
      type: 'source.registered' as const,
      source: params.source,
    })),
    fail: assign({
      failure: ({ context }, params: { code: OwnedIngestFailureCode; message: string }) =>
        context.failure ?? { code: params.code, message: failureMessage(params.message) },
    }),
    rememberMedia: assign({ media: (_, params: IngestMedia) => params }),
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
            'upload.failed': {
              target: '#owned-ingest.failed',
              actions: { type: 'fail', params: ({ event }) => ({ code: 'upload_failed', message: event.message }) },
            },
          },
        },
        awaitingWorker: {
          description: 'The media is stored; the ingest waits until a worker is free.',
          on: { 'worker.granted': '#owned-ingest.probing' },
        },
      },
      on: {
        'supervision.exhausted': {
          target: 'failed',
          actions: { type: 'fail', params: ({ event }) => ({ code: 'upload_failed', message: event.message }) },
        },
      },
    },
    probing: {
      description: 'ffprobe and ffmpeg measure the media and read it to its end.',
      invoke: {
        id: 'probe',
        src: 'probe',
        input: mediaInput,
        onDone: { target: 'sealing', actions: { type: 'commit', params: ({ event }) => event.output } },
        onError: {
          target: 'failed',
          actions: { type: 'fail', params: ({ event }) => ({ code: 'probe_failed', message: messageOf(event.error) }) },
        },
      },
      on: {
        'supervision.exhausted': {
          target: 'failed',
          actions: { type: 'fail', params: ({ event }) => ({ code: 'probe_failed', message: event.message }) },
        },
      },
    },
    sealing: {
      description: 'The host makes the media a source.',
      initial: 'writing',
      states: {
        writing: {
          description: 'The host writes the probe record, the source receipt and the preflight.',
          invoke: {
            id: 'seal',
            src: 'seal',
            input: mediaInput,
            onDone: { target: 'registering', actions: { type: 'commit', params: ({ event }) => event.output } },
            onError: {
              target: '#owned-ingest.failed',
              actions: {
                type: 'fail',
                params: ({ event }) => ({ code: 'seal_failed', message: messageOf(event.error) }),
              },
            },
          },
        },
        registering: {
          description: 'The host reads the sealed files back and verifies them as a whole.',
          invoke: {
            id: 'register',
            src: 'register',
            input: mediaInput,
            onDone: {
              target: '#owned-ingest.registered',
              actions: { type: 'registerSource', params: ({ event }) => ({ source: event.output }) },
            },
            onError: {
              target: '#owned-ingest.failed',
              actions: {
                type: 'fail',
                params: ({ event }) => ({ code: 'registration_failed', message: messageOf(event.error) }),
              },
            },
          },
        },
      },
      on: {
        'supervision.exhausted': {
          target: 'failed',
          actions: { type: 'fail', params: ({ event }) => ({ code: 'seal_failed', message: event.message }) },
        },
      },
    },
    registered: { type: 'final', description: 'The source stands in the list and can be studied.' },
    failed: {
      type: 'final',
      description: 'The ingest ended without a source; its status says why. A client opens another ingest.',
    },
  },
  on: {
    'ingest.cancel': {
      target: '.failed',
      actions: { type: 'fail', params: { code: 'canceled', message: 'canceled by the client' } },
    },
  },
});

export type OwnedIngestStatus = 'queued' | 'probing' | 'sealing' | 'registered' | 'failed';
