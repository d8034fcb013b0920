import { assign, type DoneActorEvent, emit, fromPromise, setup } from 'xstate';
import type { ChartMeta } from '../contract/journal.ts';
import type { RegisteredSource } from '../contract/sources/source-session.ts';
import { commitOutcome, type EffectOutcome, emissionOf, notProvided } from './emission.ts';
import {
  cancelable,
  failsAs,
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

export const videohostIngestVersion = 1;

type VideohostIngestFailureCode = 'resolution_failed' | 'download_failed' | TailFailureCode;

export interface VideohostIngestInput {
  readonly ingestId: string;
}

export type VideohostIngestContext = IngestContext<VideohostIngestFailureCode>;

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
    events: {} as IngestEvent,
    input: {} as VideohostIngestInput,
    emitted: {} as IngestEmission,
    meta: {} as ChartMeta,
  },
  actors: {
    resolve: fromPromise<EffectOutcome, VideohostIngestInput>(notProvided('resolve')),
    download: fromPromise<DownloadOutcome, VideohostIngestInput>(notProvided('download')),
    ...tailEffects,
  },
  actions: {
    commit: emit((_, outcome: EffectOutcome) => emissionOf(outcome)),
    registerSource: emit((_, source: RegisteredSource) => sourceRegistered(source)),
    fail: assign({
      failure: ({ context }, reason: { code: VideohostIngestFailureCode; message: string }) =>
        failureOf(context, reason),
    }),
    rememberMedia: assign({ media: (_, media: IngestMedia) => media }),
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
      on: { 'worker.granted': 'resolving', 'supervision.exhausted': givenUpAs('resolution_failed') },
    },
    resolving: {
      description: 'yt-dlp describes the video behind the address; a range past its end is refused.',
      invoke: {
        id: 'resolve',
        src: 'resolve',
        input: ingestInput,
        onDone: { target: 'downloading', actions: commitOutcome },
        onError: { target: 'failed', actions: failsAs('resolution_failed') },
      },
      on: { 'supervision.exhausted': givenUpAs('resolution_failed') },
    },
    downloading: {
      description: 'yt-dlp and ffmpeg fetch the range and encode it again, so that it begins and ends at the cuts.',
      invoke: {
        id: 'download',
        src: 'download',
        input: ingestInput,
        onDone: {
          target: 'probing',
          actions: [
            {
              type: 'rememberMedia',
              params: ({ event }: { event: DoneActorEvent<DownloadOutcome> }) => event.output.media,
            },
            commitOutcome,
          ],
        },
        onError: { target: 'failed', actions: failsAs('download_failed') },
      },
      on: { 'supervision.exhausted': givenUpAs('download_failed') },
    },
    ...ingestTail('videohost-ingest'),
  },
  on: cancelable,
});
