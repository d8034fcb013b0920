import { assign, emit, fromPromise, setup } from 'xstate';
import { type Failure, failureMessage } from '../contract/failure.ts';
import type { RegisteredSource } from '../contract/source-session.ts';
import { type CommitFact, commitOf, type EffectOutcome } from './commit-fact.ts';
import { messageOf, notProvided } from './effect.ts';
import { type IngestMedia, type MediaInput, mediaInput, type SourceRegisteredFact } from './ingest-effects.ts';

export const videohostIngestVersion = 1;

export type VideohostIngestFailureCode =
  | 'resolution_failed'
  | 'download_failed'
  | 'probe_failed'
  | 'seal_failed'
  | 'registration_failed'
  | 'canceled';

export interface VideohostIngestInput {
  readonly ingestId: string;
}

export interface VideohostIngestContext {
  readonly ingestId: string;
  readonly media: IngestMedia | null;
  readonly failure: (Failure & { readonly code: VideohostIngestFailureCode }) | null;
}

export type VideohostIngestEvent =
  | { readonly type: 'worker.granted' }
  | { readonly type: 'ingest.cancel' }
  | { readonly type: 'supervision.exhausted'; readonly message: string };

/** A download hands over the media that it has put into the vault. */
export interface DownloadOutcome extends EffectOutcome {
  readonly media: IngestMedia;
}

const ingestInput = ({ context }: { context: VideohostIngestContext }): VideohostIngestInput => ({
  ingestId: context.ingestId,
});

/** One range of a video on its way from an address to a registered source revision. */
export const videohostIngestMachine = setup({
  types: {
    context: {} as VideohostIngestContext,
    events: {} as VideohostIngestEvent,
    input: {} as VideohostIngestInput,
    emitted: {} as SourceRegisteredFact | CommitFact,
  },
  actors: {
    resolve: fromPromise<EffectOutcome, VideohostIngestInput>(notProvided('resolve')),
    download: fromPromise<DownloadOutcome, VideohostIngestInput>(notProvided('download')),
    probe: fromPromise<EffectOutcome, MediaInput>(notProvided('probe')),
    seal: fromPromise<EffectOutcome, MediaInput>(notProvided('seal')),
    register: fromPromise<RegisteredSource, MediaInput>(notProvided('register')),
  },
  actions: {
    fail: assign({
      failure: ({ context }, params: { code: VideohostIngestFailureCode; message: string }) =>
        context.failure ?? { code: params.code, message: failureMessage(params.message) },
    }),
    rememberMedia: assign({ media: (_, params: IngestMedia) => params }),
  },
}).createMachine({
  id: 'videohost-ingest',
  version: String(videohostIngestVersion),
  context: ({ input }) => ({ ingestId: input.ingestId, media: null, failure: null }),
  initial: 'queued',
  states: {
    queued: {
      on: {
        'worker.granted': 'resolving',
        'supervision.exhausted': {
          target: 'failed',
          actions: { type: 'fail', params: ({ event }) => ({ code: 'resolution_failed', message: event.message }) },
        },
      },
    },
    resolving: {
      invoke: {
        id: 'resolve',
        src: 'resolve',
        input: ingestInput,
        onDone: { target: 'downloading', actions: emit(({ event }) => commitOf(event.output)) },
        onError: {
          target: 'failed',
          actions: {
            type: 'fail',
            params: ({ event }) => ({ code: 'resolution_failed', message: messageOf(event.error) }),
          },
        },
      },
      on: {
        'supervision.exhausted': {
          target: 'failed',
          actions: { type: 'fail', params: ({ event }) => ({ code: 'resolution_failed', message: event.message }) },
        },
      },
    },
    downloading: {
      invoke: {
        id: 'download',
        src: 'download',
        input: ingestInput,
        onDone: {
          target: 'probing',
          actions: [
            { type: 'rememberMedia', params: ({ event }) => event.output.media },
            emit(({ event }) => commitOf(event.output)),
          ],
        },
        onError: {
          target: 'failed',
          actions: {
            type: 'fail',
            params: ({ event }) => ({ code: 'download_failed', message: messageOf(event.error) }),
          },
        },
      },
      on: {
        'supervision.exhausted': {
          target: 'failed',
          actions: { type: 'fail', params: ({ event }) => ({ code: 'download_failed', message: event.message }) },
        },
      },
    },
    probing: {
      invoke: {
        id: 'probe',
        src: 'probe',
        input: mediaInput,
        onDone: { target: 'sealing', actions: emit(({ event }) => commitOf(event.output)) },
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
      initial: 'writing',
      states: {
        writing: {
          invoke: {
            id: 'seal',
            src: 'seal',
            input: mediaInput,
            onDone: { target: 'registering', actions: emit(({ event }) => commitOf(event.output)) },
            onError: {
              target: '#videohost-ingest.failed',
              actions: {
                type: 'fail',
                params: ({ event }) => ({ code: 'seal_failed', message: messageOf(event.error) }),
              },
            },
          },
        },
        registering: {
          invoke: {
            id: 'register',
            src: 'register',
            input: mediaInput,
            onDone: {
              target: '#videohost-ingest.registered',
              actions: emit(({ event }) => ({ type: 'source.registered', source: event.output })),
            },
            onError: {
              target: '#videohost-ingest.failed',
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
    registered: { type: 'final' },
    failed: { type: 'final' },
  },
  on: {
    'ingest.cancel': {
      target: '.failed',
      actions: { type: 'fail', params: { code: 'canceled', message: 'canceled by the client' } },
    },
  },
});
