import { assign, emit, fromPromise, setup } from 'xstate';
import { type Failure, failureMessage } from '../contract/base/failure.ts';
import type { ChartMeta } from '../contract/journal/chart-meta.ts';
import type { RegisteredSource } from '../contract/sources/source-session.ts';
import { type CommitEmission, commitOf, type EffectOutcome } from './commit-emission.ts';
import { messageOf, notProvided } from './effect.ts';
import { type IngestMedia, type MediaInput, mediaInput, type SourceRegisteredEmission } from './ingest-effects.ts';

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

/** A download hands over the media that it has put into the object store. */
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
    emitted: {} as SourceRegisteredEmission | CommitEmission,
    meta: {} as ChartMeta,
  },
  actors: {
    resolve: fromPromise<EffectOutcome, VideohostIngestInput>(notProvided('resolve')),
    download: fromPromise<DownloadOutcome, VideohostIngestInput>(notProvided('download')),
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
      failure: ({ context }, params: { code: VideohostIngestFailureCode; message: string }) =>
        context.failure ?? { code: params.code, message: failureMessage(params.message) },
    }),
    rememberMedia: assign({ media: (_, params: IngestMedia) => params }),
  },
}).createMachine({
  id: 'videohost-ingest',
  version: String(videohostIngestVersion),
  context: ({ input }) => ({ ingestId: input.ingestId, media: null, failure: null }),
  description: 'The ingest of a range from a video host, from its address to a registered source revision.',
  meta: {
    mainWays: [
      ['queued', 'resolving', 'downloading', 'probing', 'sealing.writing', 'sealing.registering', 'registered'],
    ],
  },
  initial: 'queued',
  states: {
    queued: {
      description: 'The ingest waits until a worker is free.',
      on: {
        'worker.granted': 'resolving',
        'supervision.exhausted': {
          target: 'failed',
          actions: { type: 'fail', params: ({ event }) => ({ code: 'resolution_failed', message: event.message }) },
        },
      },
    },
    resolving: {
      description: 'yt-dlp describes the video behind the address; a range past its end is refused.',
      invoke: {
        id: 'resolve',
        src: 'resolve',
        input: ingestInput,
        onDone: { target: 'downloading', actions: { type: 'commit', params: ({ event }) => event.output } },
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
      description: 'yt-dlp and ffmpeg fetch the range, encoded anew so that it begins and ends at the cuts.',
      invoke: {
        id: 'download',
        src: 'download',
        input: ingestInput,
        onDone: {
          target: 'probing',
          actions: [
            { type: 'rememberMedia', params: ({ event }) => event.output.media },
            { type: 'commit', params: ({ event }) => event.output },
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
              target: '#videohost-ingest.failed',
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
              target: '#videohost-ingest.registered',
              actions: { type: 'registerSource', params: ({ event }) => ({ source: event.output }) },
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
